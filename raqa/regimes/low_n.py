"""The low-N regime: how much a head learns from few training subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import polars as pl
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.regimes.base import Folds, Regime, corpus_fold
from raqa.regimes.task import Task
from raqa.tables import SIDES


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class LowN(Regime):
    """Train on a random subset of the training subjects; validation and test stay whole.

    Subsets are nested: the first 50 subjects of a draw are among its first 100. They depend on
    the fold and the draw only, so every encoder, head and training seed gets the same ones.

    Args:
        size: how many training subjects, or "all".
        subset_seed: which random order of subjects; another one is another draw.
        equal_updates: make each epoch as many updates long as with all subjects. Otherwise a
            small subset also means fewer updates, and a head may never have left its start.
    """

    name: ClassVar[str] = "low_n"
    size: Annotated[int, Field(ge=1)] | Literal["all"]
    subset_seed: Annotated[int, Field(ge=0)]
    equal_updates: bool

    @property
    def slug(self) -> str:
        """For example "low_n-50-draw_0", with "-equal_updates" behind it where they are."""
        variant = "-equal_updates" if self.equal_updates else ""
        return f"{self.name}-{self.size}-draw_{self.subset_seed}{variant}"

    def settings(self) -> Mapping[str, Any]:
        """Size, draw and variant."""
        return {
            "size": self.size,
            "subset_seed": self.subset_seed,
            "equal_updates": self.equal_updates,
        }

    def folds(
        self,
        sided: Sequence[Recordings],
        task: Task,
        *,
        as_published: bool = False,
        needed: Sequence[str] = SIDES,  # noqa: ARG002 - it is about training
    ) -> Folds:
        """The within fold with fewer training subjects.

        Raises:
            UserError: there are not so many training subjects.
        """
        (recordings,) = sided
        whole = corpus_fold(recordings, task, self.name, as_published=as_published)
        training = whole.side("train")
        keep = self._subset(recordings.corpus, training["subject_id"].unique().sort())
        table = whole.table.filter(
            (pl.col("side") != "train") | pl.col("subject_id").is_in(keep.implode())
        )
        updates = training.height if self.equal_updates else None
        return Folds(replace(whole, table=table, epoch_recordings=updates))

    def _subset(self, corpus: str, subjects: pl.Series) -> pl.Series:
        if self.size == "all":
            return subjects
        if self.size > len(subjects):
            raise UserError(
                f"regime.size={self.size}: {corpus} has {len(subjects):,} training subjects with "
                "label and audio. Ask for fewer, or for regime.size=all."
            )
        order = np.random.default_rng(self.subset_seed).permutation(len(subjects))
        return subjects[order[: self.size]]
