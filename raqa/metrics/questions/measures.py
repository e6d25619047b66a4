"""From totals of groups to measures of slices: sets of groups, such as all of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raqa.metrics.number import Interval, Number
from raqa.metrics.questions.layout import Floats, Layout, Totals

MEASURES = (
    "macro_f1",
    "balanced_accuracy",
    "accuracy",
    "accuracy_readable",
    "mae",
    "mae_readable",
    "median_mae",
    "relative_mae",
)
INTERVALS = ("macro_f1", "balanced_accuracy", "accuracy", "mae", "relative_mae")
"""Measures that have an interval."""
LOST = 0.01
"""Share of resamples in which a measure may be undefined; above it the rest is a biased choice."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Measures of slices.

    Attributes:
        by_seed: `[seeds, slices]` by name of the measure, NaN where undefined.
        drawn: `[resamples, slices]` by name, averaged over seeds.
    """

    by_seed: Mapping[str, Floats]
    drawn: Mapping[str, NDArray[np.float32]]

    def mean(self, name: str) -> Floats:
        """Averaged over seeds, `[slices]`."""
        return np.asarray(self.by_seed[name].mean(axis=0), np.float64)


def measure(
    layout: Layout, sums: Sequence[Any], members: Floats, *, resamples: int, seed: int
) -> Measured:
    """Compute all measures, and those of INTERVALS over resampled subjects.

    Args:
        sums: what `Layout.sums` gives, a matrix for each seed.
        members: `[slices, groups]`, 1 where the group belongs to the slice.
    """
    once = np.ones((1, layout.subjects))
    points = [measures(layout, layout.totals(one, once), members) for one in sums]
    by_seed = {name: np.concatenate([one[name].T for one in points]) for name in MEASURES}
    distinct = _distinct(sums)
    blocks: dict[str, list[NDArray[np.float32]]] = {name: [] for name in INTERVALS}
    for times in layout.draws(resamples=resamples, seed=seed) if layout.subjects > 1 else ():
        totals = [
            (count, measures(layout, layout.totals(one, times), members)) for one, count in distinct
        ]
        for name in INTERVALS:
            mean = sum(count * found[name] for count, found in totals) / len(sums)
            blocks[name].append(np.asarray(mean, np.float32).T)
    none = np.zeros((0, len(members)), np.float32)
    return Measured(by_seed, {name: np.concatenate([none, *blocks[name]]) for name in INTERVALS})


def _distinct(sums: Sequence[Any]) -> list[tuple[Any, int]]:
    """Seeds that answer alike are drawn once."""
    counted: dict[tuple[bytes, bytes, bytes], tuple[Any, int]] = {}
    for one in sums:
        key = (one.data.tobytes(), one.indices.tobytes(), one.indptr.tobytes())
        counted[key] = (one, counted.get(key, (one, 0))[1] + 1)
    return list(counted.values())


def measures(layout: Layout, totals: Totals, members: Floats) -> dict[str, Floats]:
    """Every measure of every slice in every resample, `[slices, resamples]`.

    Macro-F1, balanced accuracy and the relative MAE are averaged unweighted over the groups in
    which they are defined; accuracy and MAE are over questions.
    """
    f1, recall = _by_class(layout, totals)
    numbers = members * layout.numeric
    labels = members - numbers
    return {
        "macro_f1": _mean_of(labels, f1),
        "balanced_accuracy": _mean_of(labels, recall),
        "accuracy": ratio(labels @ totals.right, labels @ totals.scored),
        "accuracy_readable": ratio(labels @ totals.right, labels @ totals.readable),
        "mae": ratio(_sum_of(numbers, totals.error), numbers @ totals.scored),
        "mae_readable": ratio(numbers @ totals.error_read, numbers @ totals.readable),
        "median_mae": ratio(_sum_of(numbers, totals.median_error), numbers @ totals.scored),
        "relative_mae": _mean_of(numbers, ratio(totals.error, totals.median_error)),
    }


def _by_class(layout: Layout, totals: Totals) -> tuple[Floats, Floats]:
    """Macro-F1 and mean recall of every group `[groups, resamples]`, over classes of the truth.

    NaN where the truth has fewer than two classes: nothing can be told apart.
    """
    present = totals.truth > 0
    group = layout.cells["group"].to_numpy()
    member = np.zeros((layout.groups.height, len(group)))
    member[group, np.arange(len(group))] = 1
    classes = member @ present.astype(np.float64)
    f1 = np.where(present, ratio(2 * totals.hits, totals.truth + totals.said), 0.0)
    recall = np.where(present, ratio(totals.hits, totals.truth), 0.0)
    enough = np.where(classes > 1, classes, np.nan)
    return member @ f1 / enough, member @ recall / enough


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide, NaN where there is nothing to divide by."""
    undefined = np.full(np.broadcast(above, below).shape, np.nan)
    return np.asarray(np.divide(above, below, out=undefined, where=below > 0), np.float64)


def _sum_of(members: Floats, values: Floats) -> Floats:
    """Sums over a slice's groups; NaN where one of them is."""
    unknown = np.isnan(values)
    total = members @ np.where(unknown, 0.0, values)
    return np.where(members @ unknown.astype(np.float64) > 0, np.nan, total)


def _mean_of(members: Floats, values: Floats) -> Floats:
    """The mean over a slice's groups of what is defined."""
    defined = np.isfinite(values)
    return ratio(members @ np.where(defined, values, 0.0), members @ defined.astype(np.float64))


def interval(drawn: NDArray[np.float32], level: float = 0.95) -> Interval:
    """Percentile interval of one slice's resamples `[resamples]`."""
    if not len(drawn):
        return Interval.undefined("1 subject(s) have no interval")
    lost = int(np.isnan(drawn).sum())
    if lost > LOST * len(drawn):
        return Interval.undefined(f"undefined in {lost:,} of {len(drawn):,} resamples")
    low, high = np.nanquantile(drawn.astype(np.float64), [(1 - level) / 2, (1 + level) / 2])
    return Interval(Number(float(low)), Number(float(high)))
