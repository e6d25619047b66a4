"""The within regime: one corpus, trained and tested on different subjects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Recordings
from raqa.regimes.base import Folds, Regime, corpus_fold
from raqa.regimes.task import Task
from raqa.tables import SIDES


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Within(Regime):
    """Train, select and test on one corpus."""

    name: ClassVar[str] = "within"

    def folds(
        self,
        sided: Sequence[Recordings],
        task: Task,
        *,
        as_published: bool = False,
        needed: Sequence[str] = SIDES,
    ) -> Folds:
        """The corpus's recordings that have a side, the label and audio."""
        (recordings,) = sided
        return Folds(
            corpus_fold(recordings, task, self.name, needed=needed, as_published=as_published)
        )
