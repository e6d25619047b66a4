"""The task of answering questions: which questions a run's recordings are asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import polars as pl
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import ATTRIBUTES, Attribute
from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.metrics.bertscore import BertScorer
from raqa.questions.collection import Collection, scan
from raqa.questions.corpus import QUESTIONS_ASKED
from raqa.questions.generate import Generator, QuestionSettings
from raqa.questions.templates import Templates, load_templates
from raqa.regimes.task import Task
from raqa.tables import QUESTIONS, TaskKind, check_table

_KEY = ("corpus", "recording_id")


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class QuestionTask(Task):
    """Answer questions about recordings: those of a collection, or made of what is known.

    Attributes:
        collection: what `raqa qa build` or `raqa qa sample` wrote; None: questions are made on
            the spot with the settings below.
        templates: how they are worded; None: as shipped.
        wordings, balance, most_options, seed: see QuestionSettings.
        bertscore: compares responses with the right answers by meaning; None: left out.
    """

    collection: Path | None = None
    templates: str | None = None
    wordings: Literal["all"] | Annotated[int, Field(ge=1)] = 1
    balance: bool = True
    most_options: Annotated[int, Field(ge=2)] = 8
    seed: Annotated[int, Field(ge=0)] = 0
    bertscore: BertScorer | None = None
    target: str = QUESTIONS_ASKED
    kind: ClassVar[TaskKind] = "questions"

    @property
    def attribute(self) -> Attribute:
        """Questions have no unit and no labels of their own."""
        return Attribute(QUESTIONS_ASKED, "recording", "categorical", "questions about recordings")

    @property
    def class_names(self) -> tuple[str, ...]:
        """None: every question has answers of its own."""
        return ()

    @property
    def label(self) -> pl.Expr:
        """1 for a recording that questions can be asked about; null for others."""
        return pl.col(QUESTIONS_ASKED)

    def apply(self, recordings: Recordings) -> Recordings:
        """Mark the recordings that questions can be asked about."""
        table = recordings.table
        if self.collection is None:
            known = [name for name in table.columns if name in ATTRIBUTES]
            asked = pl.any_horizontal(pl.col(known).is_not_null()) if known else pl.lit(value=False)
            return replace(
                recordings,
                table=table.with_columns(pl.when(asked).then(1.0).alias(QUESTIONS_ASKED)),
            )
        # Its files are checked when their questions are taken, once for each run.
        keys = Collection.open(self.collection).unchecked().select(*_KEY).unique().collect()
        marked = keys.with_columns(pl.lit(1.0).alias(QUESTIONS_ASKED))
        joined = table.join(marked, on=list(_KEY), how="left", maintain_order="left")
        if joined[QUESTIONS_ASKED].is_null().all():
            raise UserError(
                f"task.collection={self.collection}: no question is about a recording of "
                f"{recordings.corpus}. It is about {', '.join(sorted(keys['corpus'].unique()))}; "
                "datamodule=questions reads the recordings that a collection was built from."
            )
        return replace(recordings, table=joined)

    def questions(self, sided: pl.DataFrame, fold: pl.DataFrame) -> pl.DataFrame:
        """The questions about a fold's recordings, each on the side of its recording.

        Args:
            sided: recordings with attributes and `side`, of every corpus of the fold.
            fold: FOLD columns.

        Returns:
            QUESTIONS columns, sorted by qa_id.

        Raises:
            UserError: a side has no question.
        """
        sides = fold.select(*_KEY, pl.col("side").alias("split"))
        if self.collection is not None:
            wanted = scan(self.collection).drop("split").join(sides.lazy(), on=list(_KEY))
            found = wanted.collect()
        else:
            found = self._made(sided.drop("side").join(
                sides.rename({"split": "side"}), on=list(_KEY)))  # fmt: skip
        table = check_table(found, QUESTIONS, name="questions", key=["qa_id"]).select(*QUESTIONS)
        for side in fold["side"].unique():
            if not (table["split"] == side).any():
                raise UserError(f"There is no question about a recording of the {side} side.")
        return table.sort("qa_id")

    def wording(self) -> Templates:
        """The templates, checked."""
        return load_templates(self.templates)

    def _made(self, sided: pl.DataFrame) -> pl.DataFrame:
        settings = QuestionSettings(
            wordings=self.wordings, balance=self.balance, most_options=self.most_options,
            seed=self.seed,
        )  # fmt: skip
        templates = self.wording()
        blocks = [
            pl.DataFrame(pl.from_arrow(block))
            for part in sided.partition_by("corpus", maintain_order=True)
            for block in Generator(part, templates, settings).blocks()
        ]
        if not blocks:
            raise UserError("Nothing is known of these recordings that a question could be about.")
        texts = [name for name, kind in QUESTIONS.items() if kind == pl.String]
        plain = [pl.col(*texts).cast(pl.String), pl.col("options").cast(pl.List(pl.String))]
        return pl.concat([block.with_columns(plain) for block in blocks])
