"""A fold: three sides of recordings with labels, no subject in two of them (checked, not hoped)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import polars as pl

from raqa.errors import UserError
from raqa.tables import FOLD, SIDES, check_table


@dataclass(frozen=True)
class Fold:
    """What one fit trains, selects and is tested on.

    Attributes:
        name: within a run, for example "within" or "coswara to coughvid".
        target: canonical name of the attribute that `label` holds.
        table: FOLD columns, one row per recording; age and sex follow where the corpus has them.
        leakage: why subjects might stand on two sides all the same, or None.
        as_published: an official split was kept although subjects stand on two of its sides.
        epoch_recordings: an epoch is as many updates long as with so many training recordings;
            None: as there are.
        classes: names of the classes whose numbers the labels are; empty where they are numbers.
    """

    name: str
    target: str
    table: pl.DataFrame
    leakage: str | None = None
    as_published: bool = False
    epoch_recordings: int | None = None
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        table = check_table(self.table, FOLD, name="fold", key=["corpus", "recording_id"])
        object.__setattr__(self, "table", table)
        unknown = set(table["side"]) - set(SIDES)
        if unknown:
            raise ValueError(f"a fold's sides are {SIDES}, not {sorted(unknown)}")
        if table["label"].null_count() or table["label"].is_nan().any():
            raise ValueError("a fold has a label for every recording")
        if self.classes:
            _check_classes(table, self.classes)
        if self.torn.height and not self.as_published:
            first = self.torn.row(0, named=True)
            raise UserError(
                f"{self.torn.height} subject(s) stand in more than one split, first "
                f"{first['subject_id']} of {first['corpus']} ({' and '.join(first['side'])}). "
                "A subject may be in one only."
            )

    @cached_property
    def torn(self) -> pl.DataFrame:
        """Subjects on more than one side: corpus, subject_id, side (a list)."""
        sides = self.table.group_by("corpus", "subject_id").agg(pl.col("side").unique().sort())
        return sides.filter(pl.col("side").list.len() > 1).sort("corpus", "subject_id")

    def side(self, name: str) -> pl.DataFrame:
        """The rows of train, validation or test."""
        return self.table.filter(pl.col("side") == name)

    def without(self, unusable: Mapping[str, Sequence[str]]) -> Self:
        """The same fold without some recordings, given as corpus to recording_ids.

        For example those whose audio turned out to be unusable.
        """
        keep = pl.lit(value=True)
        for corpus, recording_ids in unusable.items():
            gone = pl.col("recording_id").is_in(list(recording_ids))
            keep &= ~((pl.col("corpus") == corpus) & gone)
        return replace(self, table=self.table.filter(keep))


def _check_classes(table: pl.DataFrame, classes: tuple[str, ...]) -> None:
    numbers = set(table["label"])
    if not numbers <= set(range(len(classes))):
        raise ValueError(f"labels {sorted(numbers)} are not all numbers of the classes {classes}")
    learnt = table.filter(pl.col("side") == "train")["label"]
    if learnt.n_unique() < 2:
        counts = [f"{name} {(learnt == number).sum()}" for number, name in enumerate(classes)]
        raise UserError(
            f"{', '.join(table['corpus'].unique().sort())}: classes can be told apart only where "
            "the training side has at least two of them; it has, in recordings, "
            f"{', '.join(counts)}. Widen the cohort, or name other classes."
        )
