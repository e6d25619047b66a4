"""Intervals over subjects: subjects are resampled with all their recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raqa.metrics.number import Interval, Number

BLOCK = 2_000_000
"""Resample counts held at once; about 50 MB in all."""


def subject_totals(
    values: NDArray[np.float64], subjects: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add up each subject's recordings.

    Args:
        values: `[recordings, statistics]`.
        subjects: `[recordings]`, whose recording it is.

    Returns:
        sums `[subjects, statistics]` and numbers of recordings `[subjects]`.
    """
    _, index, counts = np.unique(np.asarray(subjects), return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, index, values)
    return sums, counts.astype(np.float64)


def resampled_means(
    sums: NDArray[np.float64], counts: NDArray[np.float64], *, resamples: int, seed: int
) -> NDArray[np.float64]:
    """Recording-weighted means after drawing subjects with replacement.

    Args:
        sums: `[subjects, statistics]`, each subject's sum over its recordings.
        counts: `[subjects]`, each subject's number of recordings.

    Returns:
        `[resamples, statistics]`; all statistics of a row come from the same draw, so that their
        differences are paired.
    """
    totals = np.column_stack([sums, counts])
    summed = np.concatenate(
        [times @ totals for times in resample_counts(len(counts), resamples=resamples, seed=seed)]
    )
    return np.asarray(summed[:, :-1] / summed[:, -1:], np.float64)


def resample_counts(subjects: int, *, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """How often each resample draws each subject: `[block, subjects]`, block by block."""
    generator = np.random.default_rng(seed)
    rows = max(1, BLOCK // subjects)
    for start in range(0, resamples, rows):
        block = min(rows, resamples - start)
        drawn = generator.integers(subjects, size=(block, subjects))
        drawn += subjects * np.arange(block)[:, None]
        times = np.bincount(drawn.ravel(), minlength=block * subjects).reshape(block, subjects)
        yield times.astype(np.float64)


def subject_intervals(
    values: NDArray[np.float64],
    subjects: ArrayLike,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> tuple[Interval, ...]:
    """Percentile bootstrap interval over subjects of the mean of every column.

    Args:
        values: `[recordings, statistics]`.
        subjects: `[recordings]`.

    Returns:
        one interval per statistic, undefined where there is a single subject.
    """
    sums, counts = subject_totals(values, subjects)
    if len(counts) < 2:
        nothing = Interval.undefined(f"{len(counts)} subject(s) have no interval")
        return tuple(nothing for _ in range(values.shape[1]))
    means = resampled_means(sums, counts, resamples=resamples, seed=seed)
    lows, highs = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        Interval(Number(float(low)), Number(float(high)))
        for low, high in zip(lows, highs, strict=True)
    )


def subject_names(corpora: Sequence[str], subjects: Sequence[str]) -> NDArray[np.str_]:
    """Name subjects so that equal ids of two corpora stay two subjects, `[recordings]`."""
    return np.array(
        [f"{corpus}\0{subject}" for corpus, subject in zip(corpora, subjects, strict=True)]
    )
