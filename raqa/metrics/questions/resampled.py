"""Scores that are not made of `Totals`: pooled F1 and likeness of wording, with resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.questions.layout import Floats, Layout
from raqa.metrics.questions.measures import ratio
from raqa.metrics.questions.pooled import Pooled
from raqa.metrics.questions.texts import Compared

TEXT_MEASURES = ("exact_match", "rouge_l", "bertscore", "bertscore_rescaled")

Scoring = Callable[[Floats], list[Floats]]
"""From `[resamples, subjects]` to every seed's `[slices, resamples]`."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """One measure of all slices.

    Attributes:
        by_seed: `[seeds, slices]`.
        drawn: `[resamples, slices]`, averaged over seeds.
    """

    by_seed: Floats
    drawn: NDArray[np.float32]


def resample_pooled(
    layout: Layout, judged: pl.DataFrame, members: Floats, *, resamples: int, seed: int
) -> Resampled:
    """Macro-F1 over pooled labels.

    Args:
        members: `[slices, groups]`, 1 where the group belongs to the slice.
    """
    pooled = Pooled.of(layout, judged)
    return _resampled(layout, lambda times: pooled.f1(members, times), resamples, seed)


def resample_texts(
    layout: Layout, compared: Compared, members: Floats, *, resamples: int, seed: int
) -> Mapping[str, Resampled]:
    """Means of TEXT_MEASURES over the answers that have a text."""
    return {
        name: _resampled(layout, _means(layout, compared, name, members), resamples, seed)
        for name in TEXT_MEASURES
    }


def _means(layout: Layout, compared: Compared, name: str, members: Floats) -> Scoring:
    rows = (-1, len(layout.group))
    values, said = compared.values[name].reshape(rows), compared.said.reshape(rows)
    sums = [_sums(layout, value, mask) for value, mask in zip(values, said, strict=True)]
    counts = [_sums(layout, np.ones(len(mask)), mask) for mask in said]

    def means(times: Floats) -> list[Floats]:
        return [
            ratio(members @ (one @ times.T), members @ (count @ times.T))
            for one, count in zip(sums, counts, strict=True)
        ]

    return means


def _sums(layout: Layout, values: Floats, mask: NDArray[np.bool_]) -> Any:
    from scipy.sparse import csr_matrix

    place = (layout.group[mask], layout.subject[mask])
    return csr_matrix((values[mask], place), shape=(layout.groups.height, layout.subjects))


def _resampled(layout: Layout, scores: Scoring, resamples: int, seed: int) -> Resampled:
    by_seed = np.concatenate([one.T for one in scores(np.ones((1, layout.subjects)))])
    blocks = [np.zeros((0, by_seed.shape[1]), np.float32)]
    if layout.subjects > 1 and not np.isnan(by_seed).all():
        blocks += [
            np.asarray(np.mean(scores(times), axis=0), np.float32).T
            for times in layout.draws(resamples=resamples, seed=seed)
        ]
    return Resampled(by_seed, np.concatenate(blocks))
