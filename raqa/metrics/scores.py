"""What scores of every kind of task have in common: on whom, and how far from the baseline."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from raqa.errors import UserError
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.tables import FOLD, SIDES, check_table

FEW_SUBJECTS = 50
"""Below this many test subjects a percentile interval is too narrow to be relied on."""

COLLAPSED = 0.1
"""Predictions that spread less than this share of the labels' spread say nearly the same always."""

Verdict = Literal["above", "below", "undecided"]


@dataclass(frozen=True, kw_only=True)
class Scores(ABC):
    """What one run reached on its test recordings.

    Attributes:
        baseline: what the run is compared with, in words.
        compared: what the difference is of, in words.
        difference_unit: its unit, where that is not the label's.
        unknown_subjects: what follows where `subject_known` is false.
        seeds: the seeds, in the order of every `by_seed`.
        difference: model's error minus the baseline's; negative is better.
        difference_interval: 95 % over subjects, paired.
        recordings, subjects: how many on each side of the fold.
        subject_known: whether every subject of the fold is known to be one person.
        spread: how far predictions spread, 1 being as far as the labels; no unit.
        collapsed_seeds: seeds whose predictions hardly spread.
        resamples, bootstrap_seed: how the intervals were drawn.
    """

    baseline: ClassVar[str]
    compared: ClassVar[str]
    difference_unit: ClassVar[str | None] = None
    unknown_subjects: ClassVar[str] = (
        "Subjects unknown: leakage between training and test is possible and the intervals are too "
        "narrow."
    )
    seeds: tuple[int, ...]
    difference: Number
    difference_interval: Interval
    recordings: Mapping[str, int]
    subjects: Mapping[str, int]
    subject_known: bool
    spread: OverSeeds
    collapsed_seeds: tuple[int, ...]
    resamples: int
    bootstrap_seed: int

    @property
    def few_subjects(self) -> bool:
        """Whether the test side has too few subjects for the interval to be relied on."""
        return self.subjects["test"] < FEW_SUBJECTS

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else must be known before believing the numbers, a sentence each."""
        return ()

    @property
    def against_baseline(self) -> Verdict:
        """Whether the model beats the baseline; decided by the paired interval only."""
        if not self.difference_interval.excludes_zero():
            return "undecided"
        return "above" if self.difference.value < 0 else "below"


def collapsed(seeds: Sequence[int], spreads: Sequence[Number]) -> tuple[int, ...]:
    """The seeds whose spread is so small that they say nearly the same always."""
    return tuple(
        seed for seed, spread in zip(seeds, spreads, strict=True) if spread.value < COLLAPSED
    )


def sides(fold: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The fold as it is scored: all of it, its training and its test side in order.

    Args:
        fold: FOLD columns.

    Raises:
        UserError: the training or the test side is empty.
    """
    fold = check_table(fold, FOLD, name="fold", key=["corpus", "recording_id"])
    train, test = (fold.filter(pl.col("side") == side) for side in ("train", "test"))
    for name, rows in (("training", train), ("test", test)):
        if not rows.height:
            raise UserError(f"The {name} side has no recording, so there is nothing to score.")
    return fold, train, test.sort("corpus", "recording_id")


def recording_counts(fold: pl.DataFrame) -> dict[str, int]:
    """Recordings on each side."""
    return {side: fold.filter(pl.col("side") == side).height for side in SIDES}


def subject_counts(fold: pl.DataFrame) -> dict[str, int]:
    """Subjects on each side; equal ids of two corpora are two subjects."""
    return {
        side: fold.filter(pl.col("side") == side).select("corpus", "subject_id").n_unique()
        for side in SIDES
    }
