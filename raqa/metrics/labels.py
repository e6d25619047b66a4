"""How often labels are right, for several attributes at once, with intervals over subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raqa.metrics.bootstrap import resample_counts
from raqa.metrics.number import Interval, Number

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabelScores:
    """What guesses of labels reached.

    Attributes:
        questions, subjects: how many were scored.
        accuracy: share of right guesses over all questions together.
        macro_f1: F1 averaged over the labels of a group that its truth has, then over groups;
            undefined where every group has a single label.
    """

    questions: int
    subjects: int
    accuracy: Number
    accuracy_interval: Interval
    macro_f1: Number
    macro_f1_interval: Interval


def score_labels(
    truth: Sequence[str],
    guesses: Sequence[str],
    groups: Sequence[str],
    subjects: ArrayLike,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> LabelScores:
    """Score guessed labels, all arguments `[questions]`.

    Groups with a single label in the truth count for the accuracy, not for F1: nothing can be
    told apart in them.

    Args:
        groups: which labels belong together, an attribute for example.
        subjects: who is drawn as a whole when questions are resampled.
    """
    names, owner = np.unique(np.asarray(subjects), return_inverse=True)
    if not len(truth):
        nothing = Number.undefined("there are no such test questions")
        none = Interval.undefined("there are no such test questions")
        return LabelScores(0, 0, nothing, none, nothing, none)
    counts, of_group = _counts(truth, guesses, groups, owner)
    totals = counts.sum(axis=0)[None, :]
    accuracy, f1 = _accuracy(totals)[0], _mean_f1(totals, of_group)[0]
    why = None if of_group.size else "all test questions of an attribute have the same label"
    intervals = [Interval.undefined("1 subject has no interval")] * 2
    if len(names) > 1:
        drawn = resample_counts(len(names), resamples=resamples, seed=seed)
        resampled = np.concatenate([np.asarray(times @ counts) for times in drawn])
        intervals = [_interval(_accuracy(resampled)), _interval(_mean_f1(resampled, of_group))]
    return LabelScores(
        questions=len(truth),
        subjects=len(names),
        accuracy=Number(float(accuracy)),
        accuracy_interval=intervals[0],
        macro_f1=Number.undefined(why) if why else Number(float(f1)),
        macro_f1_interval=Interval.undefined(why) if why else intervals[1],
    )


def _counts(
    truth: Sequence[str], guesses: Sequence[str], groups: Sequence[str], owner: NDArray[np.int64]
) -> tuple[csr_array, NDArray[np.int64]]:
    """Add up each subject's questions: all, right ones, then by class hits, guessed and true.

    Returns:
        `[subjects, 2 + 3 · classes]` and each class's group `[classes]`; a class is a label that
        the truth of a group with several labels has.
    """
    from scipy.sparse import coo_array

    pairs = sorted(set(zip(groups, truth, strict=True)))
    several = {group for group, _ in pairs if sum(other == group for other, _ in pairs) > 1}
    classes = {pair: place for place, pair in enumerate(p for p in pairs if p[0] in several)}
    group_places = {group: place for place, group in enumerate(sorted(several))}
    of_group = np.array([group_places[group] for group, _ in classes], np.int64)
    said = np.array([classes.get(pair, -1) for pair in zip(groups, guesses, strict=True)])
    meant = np.array([classes.get(pair, -1) for pair in zip(groups, truth, strict=True)])
    right = np.array([one == other for one, other in zip(truth, guesses, strict=True)])
    width, every = len(classes), np.full(len(owner), True)
    found = [
        (owner[mask], column[mask])
        for mask, column in (
            (every, np.zeros_like(owner)),
            (right, np.ones_like(owner)),
            (right & (meant >= 0), 2 + meant),
            (said >= 0, 2 + width + said),
            (meant >= 0, 2 + 2 * width + meant),
        )
    ]
    places, columns = (np.concatenate(part) for part in zip(*found, strict=True))
    shape = (int(owner.max()) + 1, 2 + 3 * width)
    return coo_array((np.ones(len(places)), (places, columns)), shape=shape).tocsr(), of_group


def _accuracy(totals: Floats) -> Floats:
    return np.asarray(totals[:, 1] / totals[:, 0])


def _mean_f1(totals: Floats, of_group: NDArray[np.int64]) -> Floats:
    """F1 averaged within groups, then over them; a class that a resample lacks is left out."""
    hits, said, meant = np.split(totals[:, 2:], 3, axis=1)
    with np.errstate(invalid="ignore"):
        f1 = 2 * hits / (said + meant)
    f1[(meant == 0)] = np.nan
    known = np.isfinite(f1)
    groups = np.eye(int(of_group.max(initial=-1)) + 1)[of_group]
    with np.errstate(invalid="ignore"):
        means = (np.where(known, f1, 0) @ groups) / (known @ groups)
    present = np.isfinite(means)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(present, means, 0).sum(axis=1) / present.sum(axis=1))


def _interval(values: Floats) -> Interval:
    if not np.isfinite(values).any():
        return Interval.undefined("no resample has two labels")
    low, high = np.nanquantile(values, [0.025, 0.975])
    return Interval(Number(float(low)), Number(float(high)))
