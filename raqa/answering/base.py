"""What a head that answers questions is: fitted on pairs, asked without ever seeing an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from raqa.heads.abilities import Abilities
from raqa.heads.data import FloatArray
from raqa.tables import (
    ANSWERS,
    EXAM,
    EXAM_ASKED,
    GOLD,
    QUESTIONS,
    Columns,
    TaskKind,
    check_table,
)

if TYPE_CHECKING:
    from pytorch_lightning.loggers import Logger
    from rich.console import Console

    from raqa.training.settings import TrainerSettings

AUDIO_ROW = "audio_row"
"""Column that says which row of the audio a question is about."""

FILES: Columns = {"path": pl.String, "start_s": pl.Float64, "end_s": pl.Float64}
"""Where each row of the audio was recorded: columns of RECORDINGS."""

SHARES: Columns = {
    "seed": pl.Int64,
    "qa_id": pl.String,
    "label": pl.String,
    "probability": pl.Float64,  # of all labels that are valid for the question they sum to 1
}


@dataclass(frozen=True, eq=False)
class Asked:
    """Questions and what is heard, without anything of their answers.

    Attributes:
        audio: float32, `[recordings, width]` or `[recordings, frames, width]`.
        rows: QUESTIONS columns without GOLD's, and AUDIO_ROW; an exam's have EXAM_ASKED as well.
        files: FILES columns, a row for each of `audio`, for heads that open recordings
            themselves; None: where the recordings are is not known.
        told: of chains, the right answers that later turns are told, by the qa_id of the turn that
            they answer; empty: later turns are told the model's own answers.
    """

    audio: FloatArray
    rows: pl.DataFrame
    files: pl.DataFrame | None = None
    told: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = {name: kind for name, kind in QUESTIONS.items() if name not in GOLD}
        exam = EXAM_ASKED if set(EXAM_ASKED) <= set(self.rows.columns) else ()
        wanted = {**columns, AUDIO_ROW: pl.Int64, **{name: EXAM[name] for name in exam}}
        rows = check_table(self.rows, wanted, name="asked", key=["qa_id"]).select(*wanted)
        object.__setattr__(self, "rows", rows)
        if self.files is not None:
            files = check_table(self.files, FILES, name="files").select(*FILES)
            object.__setattr__(self, "files", files)


@dataclass(frozen=True, eq=False)
class QuestionPairs:
    """Questions with their answers, to be learnt from.

    Attributes:
        audio, files: as in Asked.
        rows: QUESTIONS columns and AUDIO_ROW.
    """

    audio: FloatArray
    rows: pl.DataFrame
    files: pl.DataFrame | None = None

    def __post_init__(self) -> None:
        wanted = {**QUESTIONS, AUDIO_ROW: pl.Int64}
        rows = check_table(self.rows, wanted, name="questions", key=["qa_id"])
        object.__setattr__(self, "rows", rows)

    @property
    def asked(self) -> Asked:
        """The same without the answers."""
        return Asked(self.audio, self.rows.drop(*GOLD), self.files)


@dataclass(frozen=True)
class Fitting:
    """How a fit is to be done, beside the head's own settings.

    Attributes:
        checkpoint: file for the state of an unfinished fit; where there is one, it goes on.
        stop: asked now and then whether to stop, by raising StoppedError.
    """

    seeds: Sequence[int]
    settings: TrainerSettings
    console: Console | None = None
    loggers: Sequence[Logger] = ()
    checkpoint: Path | None = None
    stop: Callable[[], bool] | None = None


class FittedQuestionHead(ABC):
    """The fitted models of all seeds.

    Attributes:
        history: HISTORY columns (training/history.py).
    """

    history: pl.DataFrame

    @abstractmethod
    def answer(self, asked: Asked) -> pl.DataFrame:
        """Answer every question with every seed's model.

        Returns:
            ANSWERS columns, `len(seeds) * len(asked.rows)` rows.
        """

    def shares(self, asked: Asked) -> pl.DataFrame | None:  # noqa: ARG002
        """The probability of every valid label, by seed and question.

        Returns:
            SHARES columns, nothing about questions whose answer is a number; None: the head
            names an answer and does not weigh the others.
        """
        return None

    def unanswered(self) -> Mapping[str, str]:
        """Why questions of the last `answer` were not answered at all, by qa_id."""
        return {}

    def unusable(self) -> frozenset[str]:
        """Those of the `unanswered` whose recording can not be used, whoever is asked."""
        return frozenset()

    def text_vectors(self, texts: Sequence[str]) -> FloatArray | None:  # noqa: ARG002
        """What the head sees of texts, `[texts, width]`; None: it does not compare meanings."""
        return None

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write what was trained into a folder, and nothing that was not."""


class QuestionHead(Abilities, ABC):
    """A head that is asked in words about a recording.

    Attributes:
        kinds: the kinds of task that it can do; a label is asked for as a question. An exam is
            for heads that learn nothing.
        uses_audio: whether it hears the recording at all.
        says_labels: whether it names labels and numbers, which templates then put into words.
    """

    kinds: ClassVar[tuple[TaskKind, ...]] = ("regression", "classification", "questions")
    uses_audio: ClassVar[bool] = True
    says_labels: ClassVar[bool] = True

    @abstractmethod
    def fit(
        self, train: QuestionPairs, validation: QuestionPairs, fitting: Fitting
    ) -> FittedQuestionHead:
        """Learn from the training pairs, select on the validation pairs."""

    @abstractmethod
    def load(self, folder: Path, seeds: Sequence[int]) -> FittedQuestionHead:
        """Read what `save` wrote, given the settings and seeds that it was fitted with.

        Raises:
            UserError: it is not there, damaged, or of another version.
        """


def answers_table(rows: pl.DataFrame) -> pl.DataFrame:
    """Check a table of answers and put its columns and rows in order."""
    checked = check_table(rows, ANSWERS, name="answers", key=["seed", "qa_id"])
    return checked.select(*ANSWERS).sort("seed", "qa_id")


def learnt_answers(rows: pl.DataFrame) -> pl.DataFrame:
    """The same of a head that has learnt answers: where it knows none, it says nothing.

    An empty answer is one that can not be read, and so a wrong one; a null would be one that
    never came back, and would leave the question out.
    """
    silent = pl.all_horizontal(pl.col("response", "label", "value").is_null())
    said = pl.when(silent).then(pl.lit("")).otherwise("response")
    return answers_table(rows.with_columns(response=said))
