"""The within regime: one corpus, trained and tested on different subjects."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.regimes.fold import Fold
from raqa.regimes.task import Task
from raqa.tables import FOLD, SIDES

GROUPS = ("age", "sex")  # kept beside the label, so that errors can be shown by group
LEAKAGE = (
    "subjects are not known in this corpus, so one person may be on two sides: "
    "leakage is possible and the interval too narrow"
)


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Within:
    """Train, select and test on one corpus."""

    def fold(self, recordings: Recordings, task: Task) -> Fold:
        """Keep the recordings that have a side, the label and audio.

        Args:
            recordings: a cohort whose table has a `side` column (regimes/split.py).

        Raises:
            UserError: a side would be empty; the message counts what is there.
        """
        table = recordings.table
        sided = table.filter(pl.col("side").is_not_null())
        usable = sided.filter(task.label.is_not_null(), pl.col("audio"))
        present = usable.group_by("side").len()
        counts = dict(zip(present["side"], present["len"], strict=True))
        if any(not counts.get(side) for side in SIDES):
            raise UserError(_too_little(recordings.corpus, task.target, sided, counts))
        groups = [name for name in GROUPS if name in table.columns and name != "label"]
        fold = usable.with_columns(label=task.label).select(*FOLD, *groups)
        known = bool(fold["subject_known"].all())
        leakage = None if known else LEAKAGE
        return Fold("within", task.target, fold, leakage, task.class_names)


def _too_little(corpus: str, target: str, sided: pl.DataFrame, counts: Mapping[str, int]) -> str:
    present = int(sided["audio"].sum())
    labelled = int(sided[target].is_not_null().sum())
    sides = ", ".join(f"{side} {counts.get(side, 0)}" for side in SIDES)
    return (
        f"{corpus}: {present:,} of {sided.height:,} recordings present ({labelled:,} with a label "
        f"for {target}); usable are {sides}. Every side needs at least one. "
        f"`raqa corpora check {corpus}` shows what is missing and how to get it."
    )
