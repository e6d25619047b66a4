"""The task of sitting an exam: which of its questions are asked, and how they are put."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import ClassVar, Literal

import polars as pl
from pydantic import ConfigDict, field_validator
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import Attribute
from raqa.corpora.base import Recordings
from raqa.errors import UserError, neighbours
from raqa.exams.corpus import EXAM_TASK
from raqa.exams.read import cached_exam
from raqa.metrics.bertscore import BertScorer
from raqa.regimes.task import Task
from raqa.tables import TaskKind

CHOSEN_BY = ("benchmark", "question_type", "corpus", "difficulty", "audio_source")
"""Columns of EXAM by which questions can be chosen."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ExamTask(Task):
    """Answer an exam's questions, once, without learning anything from them.

    Attributes:
        file: the questions; the one of the datamodule.
        only: which of them: values by column of CHOSEN_BY; None, or no column: all.
        carried: what later turns of a chain are told of the earlier ones: the model's own
            answers, or the right ones.
        bertscore: compares answers in words with the references; None: ROUGE-L alone does.
    """

    file: Path | None = None
    only: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    carried: Literal["own", "gold"] = "own"
    bertscore: BertScorer | None = None
    target: str = EXAM_TASK
    kind: ClassVar[TaskKind] = "exam"

    @field_validator("only")
    @classmethod
    def _are_columns(
        cls, only: Mapping[str, tuple[str, ...] | None]
    ) -> Mapping[str, tuple[str, ...] | None]:
        for name in only:
            if name not in CHOSEN_BY:
                raise ValueError(f"questions are not chosen by {name}. "
                                 f"{neighbours(name, CHOSEN_BY)}")  # fmt: skip
        return only

    @property
    def attribute(self) -> Attribute:
        """Questions have no unit and no labels of their own."""
        return Attribute(EXAM_TASK, "recording", "categorical", "an exam's questions")

    @property
    def class_names(self) -> tuple[str, ...]:
        """None: every question has answers of its own."""
        return ()

    @property
    def label(self) -> pl.Expr:
        """1 for a recording that is asked about; null for others."""
        return pl.col(EXAM_TASK)

    def apply(self, recordings: Recordings) -> Recordings:
        """Mark the recordings that are asked about."""
        keys = self.questions().select("corpus", "recording_id").unique()
        marked = keys.with_columns(pl.lit(1.0).alias(EXAM_TASK))
        table = recordings.table.join(
            marked, on=["corpus", "recording_id"], how="left", maintain_order="left"
        )
        if table[EXAM_TASK].is_null().all():
            raise UserError(
                f"task=exam: no question of {self.file} is about a recording of the cohort. "
                "Set datamodule=exam datamodule.corpus.file=FILE, and look at its filters."
            )
        return replace(recordings, table=table)

    def questions(self) -> pl.DataFrame:
        """The questions that are asked, EXAM columns sorted by qa_id.

        Raises:
            UserError: there is no file, anything in it is wrong, or `only` leaves nothing.
        """
        if self.file is None:
            raise UserError(
                "task=exam asks an exam's questions: set datamodule=exam "
                "datamodule.corpus.file=FILE."
            )
        exam = cached_exam(self.file).questions
        problems = []
        chosen = {name: wanted for name, wanted in self.only.items() if wanted is not None}
        for name, wanted in chosen.items():
            known = exam[name].drop_nulls().unique().to_list()
            problems += [
                f"task.only.{name}: {self.file} has no {value!r}. {neighbours(value, known)}"
                for value in wanted
                if value not in known
            ]
        if problems:
            raise UserError(problems)
        for name, wanted in chosen.items():
            exam = exam.filter(pl.col(name).is_in(list(wanted)))
        if not exam.height:
            raise UserError("task.only: no question has all of these at once.")
        return self._whole_chains(exam).sort("qa_id")

    def _whole_chains(self, exam: pl.DataFrame) -> pl.DataFrame:
        """Chains that `only` would tear are asked as a whole: a turn needs those before it."""
        everything = cached_exam(self.file).questions if self.file else exam
        torn = everything.filter(pl.col("chain").is_not_null()).join(
            exam, on=["benchmark", "chain"], how="semi"
        )
        return pl.concat([exam, torn.join(exam, on="qa_id", how="anti")])
