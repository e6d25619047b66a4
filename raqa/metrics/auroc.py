"""Subject bootstrap of the area under the ROC curve, as matrix products over all resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raqa.metrics.bootstrap import resample_counts
from raqa.metrics.number import Interval, Number

Floats = NDArray[np.float64]

LOST = 0.01
"""Share of resamples that may lack a class; above it the others would be a biased choice."""
_CHUNK = 5_000_000  # pairs of recordings compared at once; about 100 MB


@dataclass(frozen=True)
class _Pairs:
    """Of one class: which subjects have it, which have another, and who is ranked above whom.

    Attributes:
        positive, negative: numbers of the subjects `[p]` and `[n]`.
        wins: `[p, n]`, pairs of their recordings in the right order, ties half, mean over seeds.
        positives, negatives: recordings of each subject `[p]` and `[n]`.
    """

    positive: NDArray[np.int64]
    negative: NDArray[np.int64]
    wins: Floats
    positives: Floats
    negatives: Floats

    def auroc(self, times: Floats) -> Floats:
        """The AUROC of every resample `[resamples]`; NaN where it has one kind of recording only.

        Args:
            times: `[resamples, subjects]`, how often each subject was drawn.
        """
        drawn, others = times[:, self.positive], times[:, self.negative]
        right = np.einsum("rn,rn->r", drawn @ self.wins, others)
        pairs = (drawn @ self.positives) * (others @ self.negatives)
        undefined = np.full(len(right), np.nan)
        return np.asarray(np.divide(right, pairs, out=undefined, where=pairs > 0), np.float64)


def auroc_interval(
    scores: Floats,
    truth: NDArray[np.bool_],
    subjects: ArrayLike,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval over subjects of the AUROC, averaged over seeds and classes.

    Args:
        scores: `[seeds, recordings, classes]`, larger where the class is more probable.
        truth: `[recordings, classes]`, whether a recording has the class; each class has
            recordings of both kinds.
        subjects: `[recordings]`.

    Returns:
        the interval, undefined where resamples too often lack a class.
    """
    names, index = np.unique(np.asarray(subjects), return_inverse=True)
    classes = [
        _pairs(scores[:, :, number], truth[:, number], index) for number in range(truth.shape[1])
    ]
    drawn = np.concatenate(
        [
            np.mean([pairs.auroc(times) for pairs in classes], axis=0)
            for times in resample_counts(len(names), resamples=resamples, seed=seed)
        ]
    )
    lost = int(np.isnan(drawn).sum())
    if lost > LOST * resamples:
        return Interval.undefined(f"a class is missing from {lost:,} of {resamples:,} resamples")
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(Number(float(low)), Number(float(high)))


def _pairs(scores: Floats, truth: NDArray[np.bool_], index: NDArray[np.int64]) -> _Pairs:
    positive, row = np.unique(index[truth], return_inverse=True)
    negative, column = np.unique(index[~truth], return_inverse=True)
    order = np.argsort(column, kind="stable")  # recordings of a subject side by side
    starts = np.searchsorted(column[order], np.arange(len(negative)))
    wins = np.zeros((len(positive), len(negative)))
    step = max(1, _CHUNK // len(column))
    for one in scores:
        upper, lower = one[truth], one[~truth][order]
        for first in range(0, len(upper), step):
            above = np.sign(np.subtract.outer(upper[first : first + step], lower))
            right = np.add.reduceat((above + 1) / 2, starts, axis=1)
            np.add.at(wins, row[first : first + step], right)
    return _Pairs(
        positive,
        negative,
        wins / len(scores),
        np.bincount(row).astype(np.float64),
        np.bincount(column).astype(np.float64),
    )
