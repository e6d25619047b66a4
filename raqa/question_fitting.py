"""Fitting heads that answer questions: to a task's questions, or to a label asked for in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from raqa.answering.base import AUDIO_ROW, FILES, QuestionHead, QuestionPairs
from raqa.answering.base import Fitting as HeadFitting
from raqa.answering.baselines import QuestionPriorHead
from raqa.corpora.base import Recordings
from raqa.display import csv_cell
from raqa.errors import UserError
from raqa.fitting import Fitting, Outcome
from raqa.questions.asked_label import ask_for_labels, read_predictions
from raqa.questions.rendering import render_answers
from raqa.questions.task import QuestionTask
from raqa.regimes.base import Folds
from raqa.regimes.fold import Fold
from raqa.reports.scoring import Answered, Own
from raqa.reports.tracking import RunFacts
from raqa.tables import QUESTIONS, SetAside, set_aside_table

if TYPE_CHECKING:
    from raqa.answering.base import FittedQuestionHead


@dataclass(frozen=True)
class _Sides:
    """The questions of a fold, with the audio that they are about."""

    train: QuestionPairs
    validation: QuestionPairs
    test: QuestionPairs


def fit_questions(
    fitting: Fitting,
    recordings: Sequence[Recordings],
    folds: Folds,
    facts: RunFacts,  # noqa: ARG001
    loggers: Sequence[Any],
) -> Outcome:
    """Fit to the questions about the training side and answer those about the test side.

    The question prior is fitted beside every head: it is what the head is measured against. Where
    nothing is on the training side there is none. Questions about recordings that turn out to be
    unusable are set aside.

    Raises:
        UserError: no recording of the test side can be used.
    """
    task = fitting.experiment.task
    assert isinstance(task, QuestionTask)
    sided = pl.concat([one.table for one in recordings], how="diagonal")
    questions = task.questions(sided, folds.main.table)
    sides = _sides(questions, folds.main, fitting, recordings)
    fitted = _fit(fitting, sides, loggers)
    templates, tested = task.wording(), sides.test.rows.select(*QUESTIONS)
    said = render_answers(fitted.answer(sides.test.asked), tested, templates)
    constant = _prior(fitting, sides)
    aside, lost = unanswered_rows(fitted, tested), _among(fitted.unusable())
    gone, tested, said = tested.filter(lost), tested.filter(~lost), said.filter(~lost)
    if constant is not None:
        constant = render_answers(constant.filter(~lost), tested, templates)
    if not tested.height:
        raise UserError(f"No recording of the test side can be used: {aside['reason'][0]}.")
    both = pl.concat([sides.train.rows.select(*QUESTIONS), tested])
    head = fitting.experiment.head
    assert isinstance(head, QuestionHead)
    answered = Answered(both, constant, head.says_labels, task.bertscore)
    unusable = dict(gone.group_by("corpus").agg(pl.col("recording_id").unique().sort()).rows())
    return Outcome(
        said, fitted.history, fitted.save, answered=answered, set_aside=aside, unusable=unusable
    )


def _prior(fitting: Fitting, sides: _Sides) -> pl.DataFrame | None:
    """What the question prior says to the test questions; None: there is nothing to learn from."""
    if not sides.train.rows.height:
        return None
    how = HeadFitting(fitting.experiment.seeds[:1], fitting.experiment.trainer)
    prior = QuestionPriorHead().fit(sides.train, sides.validation, how)
    return prior.answer(sides.test.asked)


def _among(qa_ids: Collection[str]) -> pl.Expr:
    return pl.col("qa_id").is_in(list(qa_ids))


def unanswered_rows(fitted: FittedQuestionHead, tested: pl.DataFrame) -> pl.DataFrame:
    """A SET_ASIDE row for each recording and reason why a question about it was not answered.

    Args:
        tested: corpus, recording_id and qa_id of what was asked.
    """
    why, unusable = fitted.unanswered(), fitted.unusable()
    about = tested.filter(_among(why.keys())).select("corpus", "recording_id", "qa_id")
    counted = Counter(
        (corpus, recording, "audio" if name in unusable else "answer", csv_cell(why[name]))
        for corpus, recording, name in about.iter_rows()
    )
    return set_aside_table(
        SetAside(
            corpus, stage, recording,
            reason if stage == "audio" else f"not answered: {reason}", value=f"{count} questions",
        )
        for (corpus, recording, stage, reason), count in counted.items()
    )  # fmt: skip


def fit_asked_labels(
    fitting: Fitting,
    recordings: Sequence[Recordings],
    folds: Folds,
    facts: RunFacts,  # noqa: ARG001
    loggers: Sequence[Any],
) -> Outcome:
    """Ask a label task as a question, and read numbers or classes out of the answers.

    Where another corpus is tested, the same head learns from that one too, as with other heads.
    """
    read = _ask_labels(fitting, recordings, folds.main, "main", loggers)
    own = None
    if folds.own is not None:
        own = Own(
            folds.own.table, _ask_labels(fitting, recordings, folds.own, "own", ()).predictions
        )
    return replace(read, own=own)


def _ask_labels(
    fitting: Fitting,
    recordings: Sequence[Recordings],
    fold: Fold,
    name: str,
    loggers: Sequence[Any],
) -> Outcome:
    """The same for one fold; `name` is that of its checkpoint."""
    task = fitting.experiment.task
    rows = ask_for_labels(task, fold)
    sides = _sides(rows, fold, fitting, recordings)
    fitted = _fit(fitting, sides, loggers, name)
    said = fitted.answer(sides.test.asked)
    predictions, aside = read_predictions(said, rows, task, fold)
    return Outcome(predictions, fitted.history, fitted.save, set_aside=aside)


def _fit(
    fitting: Fitting, sides: _Sides, loggers: Sequence[Any], name: str = "main"
) -> FittedQuestionHead:
    head = fitting.experiment.head
    assert isinstance(head, QuestionHead)
    how = HeadFitting(
        seeds=fitting.experiment.seeds,
        settings=fitting.experiment.trainer,
        console=fitting.console,
        loggers=loggers,
        checkpoint=fitting.checkpoints / f"{name}.safetensors",
        stop=fitting.stop,
    )
    return head.fit(sides.train, sides.validation, how)


def _sides(
    questions: pl.DataFrame, fold: Fold, fitting: Fitting, recordings: Sequence[Recordings]
) -> _Sides:
    """Part questions by the side of their recording, all pointing into one table of audio."""
    key = ["corpus", "recording_id"]
    heard = fold.table.select(*key).unique().sort(*key)
    files = heard.join(
        pl.concat([one.table.select(*key, *FILES) for one in recordings]),
        on=key, how="left", maintain_order="left",
    ).select(*FILES)  # fmt: skip
    audio = np.ascontiguousarray(fitting.embedded.inputs(heard), dtype=np.float32)
    placed = questions.join(
        heard.with_row_index(AUDIO_ROW).cast({AUDIO_ROW: pl.Int64}), on=key, how="inner"
    )
    train, validation, test = (
        QuestionPairs(audio, placed.filter(pl.col("split") == side).sort("qa_id"), files)
        for side in ("train", "validation", "test")
    )
    return _Sides(train, validation, test)
