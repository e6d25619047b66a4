"""Test questions as numbered groups, classes and subjects; answers as sums over subjects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.bootstrap import resample_counts, subject_names
from raqa.metrics.questions.judge import GROUP

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_CELLS = 8_000_000
"""Sums of resamples held at once; about 64 MB."""


@dataclass(frozen=True, eq=False)
class Layout:
    """How test questions are numbered, the same for every model that answers them.

    Attributes:
        groups: GROUP's columns, family, kind and unit, a row for each group.
        group, subject, cell: of every question, sorted by qa_id; `cell` numbers its true class
            among those of all groups, -1 for a number.
        cells: a column for the group and one for the label of every class that the truth has.
        subjects: how many.
    """

    groups: pl.DataFrame
    group: Integers
    subject: Integers
    cell: Integers
    cells: pl.DataFrame
    subjects: int

    @classmethod
    def of(cls, judged: pl.DataFrame) -> Layout:
        """Number the questions of one seed's JUDGED rows."""
        questions = judged.filter(pl.col("seed") == judged["seed"][0]).sort("qa_id")
        facts = [*GROUP, "family", "kind", "unit"]
        groups = questions.select(facts).unique(GROUP, keep="first").sort(GROUP)
        numbered = groups.select(*GROUP).with_row_index("group")
        questions = questions.join(numbered, on=GROUP, how="left", maintain_order="left")
        cells = questions.select("group", "truth").drop_nulls().unique().sort("group", "truth")
        placed = questions.join(
            cells.with_row_index("cell"), on=["group", "truth"], how="left", maintain_order="left"
        )
        names = subject_names(questions["corpus"].to_list(), questions["subject_id"].to_list())
        distinct, subject = np.unique(names, return_inverse=True)
        cell = placed["cell"].cast(pl.Int64).fill_null(-1).to_numpy()
        group = questions["group"].cast(pl.Int64).to_numpy()
        return cls(groups, group, subject.astype(np.int64), cell, cells, len(distinct))

    @property
    def numeric(self) -> NDArray[np.bool_]:
        """Which groups are about a number."""
        return (self.groups["kind"] == "numeric").to_numpy()

    def sums(self, judged: pl.DataFrame) -> list[Any]:
        """Every seed's sums over subjects: sparse `[columns of Totals, subjects]`.

        Args:
            judged: JUDGED rows of these questions.
        """
        seeds = judged.sort("seed", "qa_id").partition_by("seed", maintain_order=True)
        return [self._sums_of(one) for one in seeds]

    def _sums_of(self, one: pl.DataFrame) -> Any:
        from scipy.sparse import csr_matrix

        outcome = one["outcome"].to_numpy()
        scored, readable = outcome != "unscored", np.isin(outcome, ["right", "wrong"])
        error = (one["said_value"] - one["true_value"]).abs().fill_null(np.nan).to_numpy()
        worst, median = (
            one[name].fill_null(np.nan).to_numpy() for name in ("worst_error", "median_error")
        )
        said = self._cells_said(one)
        numeric, classes, groups = self.numeric[self.group], self.cells.height, self.groups.height
        named = scored & (self.cell >= 0)
        hit, answered = named & (said == self.cell), named & (said >= 0)
        parts: list[tuple[NDArray[np.bool_], Integers, Floats | None]] = [
            (named, self.cell, None),
            (hit, classes + self.cell, None),
            (answered, 2 * classes + said, None),
        ]
        charged = np.where(readable, error, worst)
        for place, (mask, weight) in enumerate(
            (
                (scored & (outcome == "right"), None),
                (scored, None),
                (readable, None),
                (scored & numeric, charged),
                (scored & numeric, median),
                (readable & numeric, error),
            )
        ):
            parts.append((mask, 3 * classes + place * groups + self.group, weight))
        rows = np.concatenate([column[mask] for mask, column, _ in parts])
        columns = np.concatenate([self.subject[mask] for mask, _, _ in parts])
        values = np.concatenate(
            [np.ones(mask.sum()) if weight is None else weight[mask] for mask, _, weight in parts]
        )
        shape = (3 * classes + 6 * groups, self.subjects)
        return csr_matrix((values, (rows, columns)), shape=shape)

    def _cells_said(self, one: pl.DataFrame) -> Integers:
        """The class of its group that every answer names, -1 where the truth never has it."""
        said = pl.DataFrame({"group": self.group, "truth": one["said"]}).with_columns(
            pl.col("group").cast(pl.UInt32)
        )
        found = said.join(
            self.cells.with_row_index("cell"), on=["group", "truth"], how="left",
            maintain_order="left",
        )  # fmt: skip
        return found["cell"].cast(pl.Int64).fill_null(-1).to_numpy()

    def totals(self, summed: Any, times: Floats) -> Totals:
        """Totals over subjects that are drawn so often: `times` is `[resamples, subjects]`."""
        values = np.asarray(summed @ times.T, np.float64)
        classes, groups = self.cells.height, self.groups.height
        per_class = values[: 3 * classes].reshape(3, classes, len(times))
        per_group = values[3 * classes :].reshape(6, groups, len(times))
        return Totals(*per_class, *per_group)

    def draws(self, *, resamples: int, seed: int) -> Iterator[Floats]:
        """How often resamples draw every subject, in blocks that fit into memory."""
        rows = max(1, _CELLS // max(1, 3 * self.cells.height + 6 * self.groups.height))
        for times in resample_counts(self.subjects, resamples=resamples, seed=seed):
            yield from (times[start : start + rows] for start in range(0, len(times), rows))


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over drawn subjects.

    Attributes:
        truth, hits, said: `[classes, resamples]`: questions of the class, those answered with it,
            and all of its group that were answered with it.
        right, scored, readable: `[groups, resamples]`, answers.
        error, median_error: `[groups, resamples]`, absolute, of numbers; unreadable and refused
            ones with the worst error that training's range has.
        error_read: the same of readable ones only.
    """

    truth: Floats
    hits: Floats
    said: Floats
    right: Floats
    scored: Floats
    readable: Floats
    error: Floats
    median_error: Floats
    error_read: Floats
