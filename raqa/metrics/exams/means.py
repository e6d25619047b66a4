"""Means over answers, by seed and over resampled subjects; many at once from the same draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raqa.metrics.bootstrap import resample_counts
from raqa.metrics.number import Interval, Number, OverSeeds

Floats = NDArray[np.float64]
LOST = 0.01
"""Share of resamples in which a mean may be undefined; above it the rest is a biased choice."""
ALIKE = 1e-9
"""An interval that is narrower than this is rounding."""


@dataclass(frozen=True, eq=False)
class Means:
    """Means of several columns.

    Attributes:
        by_seed: `[seeds, columns]`, NaN where nothing is in it.
        counts: `[columns]`, answers of all seeds.
        drawn: `[resamples, columns]`, averaged over seeds; none where there is one subject.
        subjects: how many were drawn from.
    """

    by_seed: Floats
    counts: NDArray[np.int64]
    drawn: Floats
    subjects: int

    def over_seeds(self, column: int, reason: str) -> OverSeeds:
        """A column's mean; undefined for the reason."""
        return OverSeeds.of([number(value, reason) for value in self.by_seed[:, column]])

    def interval(self, column: int, reason: str) -> Interval:
        """A column's 95 % interval."""
        if not self.counts[column]:
            return Interval.undefined(reason)
        return percentiles(self.drawn[:, column], self.subjects)

    def difference(self, first: int, second: int, reason: str) -> tuple[Number, Interval]:
        """A column minus another, paired."""
        value = float(self.by_seed[:, first].mean() - self.by_seed[:, second].mean())
        if not np.isfinite(value):
            return Number.undefined(reason), Interval.undefined(reason)
        drawn = self.drawn[:, first] - self.drawn[:, second]
        if value == 0 and len(drawn) and not drawn.any():  # alike for every subject: no estimate
            return Number(value), Interval(Number(0.0), Number(0.0))
        return Number(value), percentiles(drawn, self.subjects)


def number(value: float, reason: str) -> Number:
    """A number, or undefined for the reason where it is NaN."""
    return Number(float(value)) if np.isfinite(value) else Number.undefined(reason)


def percentiles(drawn: Floats, subjects: int, level: float = 0.95) -> Interval:
    """The percentile interval of resamples `[resamples]`.

    Where all are the same it is undefined: none right of twelve is not none right for certain.
    """
    if subjects < 2:
        return Interval.undefined(f"{subjects} subject(s) have no interval")
    lost = int(np.isnan(drawn).sum())
    if lost > LOST * len(drawn):
        return Interval.undefined(f"undefined in {lost:,} of {len(drawn):,} resamples")
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    if high - low < ALIKE:
        return Interval.undefined("all subjects score alike, which tells nothing of the next one")
    return Interval(Number(float(low)), Number(float(high)))


def subject_means(
    columns: Sequence[Floats], subjects: NDArray[np.int64], *, resamples: int, seed: int
) -> Means:
    """Means of columns, with all subjects' answers drawn again together.

    Args:
        columns: `[seeds, questions]` each, NaN where an answer does not belong to it.
        subjects: `[questions]`, whose each is, from 0.
    """
    known = int(subjects.max(initial=-1)) + 1
    sums, counts = _totals(columns, subjects, known)
    distinct: dict[bytes, list[int]] = {}
    for place, (one, other) in enumerate(zip(sums, counts, strict=True)):
        distinct.setdefault(one.tobytes() + other.tobytes(), []).append(place)
    blocks = [np.zeros((0, len(columns)))]
    for times in resample_counts(known, resamples=resamples, seed=seed) if known > 1 else ():
        parts = [
            len(seeds) * _ratio(times @ sums[seeds[0]], times @ counts[seeds[0]])
            for seeds in distinct.values()  # seeds that answer alike are drawn once
        ]
        blocks.append(np.asarray(sum(parts), np.float64) / len(sums))
    return Means(
        by_seed=_ratio(sums.sum(axis=1), counts.sum(axis=1)),
        counts=counts.sum(axis=(0, 1)).astype(np.int64),
        drawn=np.concatenate(blocks),
        subjects=known,
    )


def _totals(
    columns: Sequence[Floats], subjects: NDArray[np.int64], known: int
) -> tuple[Floats, Floats]:
    """Sums and numbers of answers, `[seeds, subjects, columns]` each."""
    seeds = columns[0].shape[0]
    sums = np.zeros((seeds, known, len(columns)))
    counts = np.zeros_like(sums)
    for place, column in enumerate(columns):
        for row, values in enumerate(column):
            there = np.isfinite(values)
            whose = subjects[there]
            sums[row, :, place] = np.bincount(whose, values[there], minlength=known)
            counts[row, :, place] = np.bincount(whose, minlength=known)
    return sums, counts


def _ratio(above: Floats, below: Floats) -> Floats:
    undefined = np.full(above.shape, np.nan)
    return np.asarray(np.divide(above, below, out=undefined, where=below > 0), np.float64)
