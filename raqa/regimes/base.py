"""What a regime is: which corpora it needs, and which folds it makes of their recordings.

A regime knows recordings and labels, never heads: what is trained on its folds is not its business.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import polars as pl

from raqa.corpora.base import Corpus, Recordings
from raqa.corpora.cohort import Cohort
from raqa.errors import UserError
from raqa.regimes.fold import Fold
from raqa.regimes.task import Task
from raqa.tables import FOLD, SIDES

GROUPS = ("age", "sex")  # kept beside the label, so that errors can be shown by group
UNKNOWN_SUBJECTS = (
    "subjects are not known in this corpus, so one person may be on two sides: "
    "leakage is possible and the interval too narrow"
)


@dataclass(frozen=True)
class Source:
    """Where recordings come from: a corpus, and which of its recordings take part."""

    corpus: Corpus
    cohort: Cohort


@dataclass(frozen=True)
class Folds:
    """What a run trains and tests.

    Attributes:
        main: the fold that the run is about.
        own: where the test side belongs to another corpus than the training side: that corpus's
            own fold, with the same test side. A model trained on it is what transfer is
            measured against.
    """

    main: Fold
    own: Fold | None = None

    @property
    def all(self) -> tuple[Fold, ...]:
        """The main fold, then the other one where there is one."""
        return (self.main,) if self.own is None else (self.main, self.own)

    def without(self, unusable: Mapping[str, Sequence[str]]) -> Self:
        """The same folds without some recordings, given as corpus to recording_ids."""
        own = self.own and self.own.without(unusable)
        return replace(self, main=self.main.without(unusable), own=own)


class Regime(ABC):
    """From the recordings of one or more corpora to folds."""

    name: ClassVar[str]

    @property
    def others(self) -> tuple[Source, ...]:
        """Corpora needed besides the one that `datamodule` chooses."""
        return ()

    @property
    def slug(self) -> str:
        """What a run's folder says of the regime: its name and what tells variants apart."""
        return self.name

    def settings(self) -> Mapping[str, Any]:
        """What tells variants of the regime apart, as plain values for results and reports."""
        return {}

    def problems(self, corpus: Corpus, task: Task) -> Iterable[str]:  # noqa: ARG002
        """Why this regime can not be had for a corpus and task, a sentence each, before reading."""
        return ()

    @abstractmethod
    def folds(
        self,
        sided: Sequence[Recordings],
        task: Task,
        *,
        as_published: bool = False,
        needed: Sequence[str] = SIDES,
    ) -> Folds:
        """Make the folds.

        Args:
            sided: cohorts with a `side` column (regimes/split.py): the one that `datamodule`
                chooses, then those of `others`.
            as_published: keep subjects that an official split puts on two sides.
            needed: sides that must not be empty; regimes that are about training need all.

        Raises:
            UserError: such a side would be empty; the message counts what is there.
        """


def corpus_fold(
    recordings: Recordings,
    task: Task,
    name: str,
    *,
    needed: Sequence[str] = SIDES,
    as_published: bool = False,
) -> Fold:
    """Keep one corpus's recordings that have a side, the label and audio.

    Args:
        needed: sides that must not be empty.

    Raises:
        UserError: such a side is empty.
    """
    table = recordings.table
    sided = table.filter(pl.col("side").is_not_null())
    usable = sided.filter(task.label.is_not_null(), pl.col("audio"))
    present = usable.group_by("side").len()
    counts = dict(zip(present["side"], present["len"], strict=True))
    if any(not counts.get(side) for side in needed):
        raise UserError(_too_little(recordings.corpus, task.target, sided, counts, needed))
    groups = [name for name in GROUPS if name in table.columns and name != "label"]
    fold = usable.with_columns(label=task.label).select(*FOLD, *groups)
    known = bool(fold["subject_known"].all())
    leakage = None if known else UNKNOWN_SUBJECTS
    return Fold(
        name, task.target, fold, leakage, as_published=as_published, classes=task.class_names
    )


def _too_little(
    corpus: str,
    target: str,
    sided: pl.DataFrame,
    counts: Mapping[str, int],
    needed: Sequence[str],
) -> str:
    present = int(sided["audio"].sum())
    labelled = int(sided[target].is_not_null().sum())
    sides = ", ".join(f"{side} {counts.get(side, 0)}" for side in SIDES)
    which = "Every side" if tuple(needed) == SIDES else f"{' and '.join(needed)}: each side"
    return (
        f"{corpus}: {present:,} of {sided.height:,} recordings present ({labelled:,} with a label "
        f"for {target}); usable are {sides}. {which} needs at least one. "
        f"`raqa corpora check {corpus}` shows what is missing and how to get it."
    )
