"""Macro-F1 over the labels of all groups in one pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.questions.layout import Floats, Integers, Layout


@dataclass(frozen=True, eq=False)
class Pooled:
    """Mean F1 over labels that the truth has, a yes of one attribute being a yes of another.

    How the RA-QA paper pools labels is not stated; this is the other reading of its table.

    Attributes:
        group, label: `[pairs]`, of every label that is true or said in a group.
        labels: how many different ones there are.
        sums: of every seed, sparse `[3 * pairs, subjects]`: how often the label is the truth, is
            rightly said, and is said.
    """

    group: Integers
    label: Integers
    labels: int
    sums: list[Any]

    @classmethod
    def of(cls, layout: Layout, judged: pl.DataFrame) -> Self:
        """Count labels by group and subject.

        Args:
            judged: JUDGED rows of the layout's questions, sorted by seed and qa_id.
        """
        names = judged["truth"].unique().drop_nulls().sort()
        codes = {name: place for place, name in enumerate(names)}
        width, seeds = max(1, len(codes)), len(judged) // len(layout.group)
        group = np.tile(layout.group, seeds)
        truth, said = (_coded(judged[name], codes) for name in ("truth", "said"))
        scored = (judged["outcome"] != "unscored").to_numpy() & (truth >= 0)
        shown = [
            (scored, truth),
            (scored & (truth == said), truth),
            (scored & (said >= 0), said),
        ]
        keys = np.unique(np.concatenate([(group * width + label)[mask] for mask, label in shown]))
        rows = len(layout.group)
        sums = [
            _sums(layout, keys, width, [
                (mask[start : start + rows], label[start : start + rows]) for mask, label in shown
            ])
            for start in range(0, rows * seeds, rows)
        ]  # fmt: skip
        return cls(keys // width, keys % width, len(codes), sums)

    def f1(self, members: Floats, times: Floats) -> list[Floats]:
        """Every seed's score of every slice and resample, `[slices, resamples]` each.

        NaN where the truth has fewer than two labels.

        Args:
            members: `[slices, groups]`, 1 where the group belongs to the slice.
            times: `[resamples, subjects]`, how often each subject is drawn.
        """
        return [self._f1(one, members, times) for one in self.sums]

    def _f1(self, sums: Any, members: Floats, times: Floats) -> Floats:
        from scipy.sparse import csr_matrix

        pairs = len(self.group)
        totals = np.asarray(sums @ times.T, np.float64).reshape(3, pairs, len(times))
        found = np.full((len(members), len(times)), np.nan)
        for place, inside in enumerate(members[:, self.group] > 0):
            row, column = self.label[inside], np.arange(int(inside.sum()))
            shape = (self.labels, len(column))
            pool = csr_matrix((np.ones(len(column)), (row, column)), shape=shape)
            truth, hits, said = (pool @ one[inside] for one in totals)
            present = truth > 0
            enough = present.sum(axis=0) > 1
            f1 = np.divide(2 * hits, truth + said, out=np.zeros_like(truth), where=present)
            mean = f1.sum(axis=0)[enough] / present.sum(axis=0)[enough]
            found[place, enough] = mean
        return found


def _sums(
    layout: Layout, keys: Integers, width: int, shown: list[tuple[NDArray[np.bool_], Integers]]
) -> Any:
    from scipy.sparse import csr_matrix

    rows, columns = [], []
    for part, (mask, label) in enumerate(shown):
        pair = np.searchsorted(keys, (layout.group * width + label)[mask])
        rows.append(part * len(keys) + pair)
        columns.append(layout.subject[mask])
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (3 * len(keys), layout.subjects)
    return csr_matrix((np.ones(len(row)), (row, column)), shape=shape)


def _coded(labels: pl.Series, codes: Mapping[str, int]) -> Integers:
    coded = labels.replace_strict(codes, default=-1, return_dtype=pl.Int64).fill_null(-1)
    return coded.to_numpy()
