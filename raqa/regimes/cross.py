"""The cross regime: trained on one corpus, tested on another one's test side, not adapted to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Corpus, Recordings
from raqa.corpora.cohort import Cohort
from raqa.regimes.base import Folds, Regime, Source, corpus_fold
from raqa.regimes.fold import Fold
from raqa.regimes.task import Task
from raqa.tables import SIDES


@dataclass(frozen=True, config=ConfigDict(extra="forbid", arbitrary_types_allowed=True))
class Cross(Regime):
    """Train and select on one corpus, test on the test side of another.

    Nothing of the target but its test side is seen: scaling, early stopping and the choice of
    the best epoch use the training corpus's own sides. The target's own fold goes with it, so
    that the gap is taken against a model of the target itself on the same test recordings.

    Args:
        target: the other datamodule, `corpus` and `cohort`; None where it was not chosen.
    """

    name: ClassVar[str] = "cross"
    target: Mapping[str, Any] | None = None

    @property
    def others(self) -> tuple[Source, ...]:
        """The target."""
        if self.target is None:
            return ()
        corpus, cohort = self.target["corpus"], self.target["cohort"]
        assert isinstance(corpus, Corpus)
        assert isinstance(cohort, Cohort)
        return (Source(corpus, cohort),)

    @property
    def slug(self) -> str:
        """For example "cross-to-coughvid"."""
        return f"{self.name}-to-{self.others[0].corpus.name}"

    def problems(self, corpus: Corpus, task: Task) -> Iterator[str]:
        """A target that was not chosen, is the training corpus, or lacks the label."""
        if not self.others:
            yield (
                "regime=cross: say which corpus to test on: datamodule@regime.target=NAME "
                "(a choice of datamodule; `python train.py --help` lists them)."
            )
            return
        target = self.others[0].corpus
        if target.name == corpus.name:
            yield (
                f"regime=cross: {corpus.name} would be trained and tested on. Choose another "
                "datamodule@regime.target, or regime=within. Two tables of your own need "
                "different names (datamodule.corpus.name)."
            )
        if task.kind != "questions" and task.target not in target.attributes:
            both = [name for name in corpus.attributes if name in target.attributes]
            shared = f"Labels that both have: {', '.join(both)}." if both else "They share none."
            yield (
                f"task={task.target}: {target.name} has no such label, so a model of "
                f"{corpus.name} can not be tested on it. {shared}"
            )

    def folds(
        self,
        sided: Sequence[Recordings],
        task: Task,
        *,
        as_published: bool = False,
        needed: Sequence[str] = SIDES,  # noqa: ARG002 - it is about training
    ) -> Folds:
        """Training and validation of the first corpus with the test side of the second."""
        source, target = sided
        learnt = corpus_fold(
            source, task, source.corpus, needed=("train", "validation"), as_published=as_published
        )
        own = corpus_fold(target, task, "within", as_published=as_published)
        table = pl.concat(
            [learnt.table.filter(pl.col("side") != "test"), own.side("test")], how="diagonal"
        )
        main = Fold(
            name=f"{source.corpus} to {target.corpus}",
            target=task.target,
            table=table,
            leakage=learnt.leakage or own.leakage,
            as_published=as_published,
            classes=task.class_names,
        )
        return Folds(main, own)
