"""From a run's tables to its scores: the one way, whether a run is written or scored again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from raqa.errors import UserError
from raqa.metrics.answers import AnswerScores, score_answers
from raqa.metrics.bertscore import BertScorer
from raqa.metrics.classification import ClassificationScores
from raqa.metrics.exams import ExamScores, score_exam
from raqa.metrics.regression import RegressionScores
from raqa.metrics.score import AnyScores, score
from raqa.metrics.transfer import TransferScores, score_transfer


@dataclass(frozen=True)
class Own:
    """The same head trained on the tested corpus itself, where that is not the training corpus.

    Attributes:
        fold: FOLD columns; its test side is the run's.
        predictions: PREDICTIONS columns, the run's seeds and test recordings.
    """

    fold: pl.DataFrame
    predictions: pl.DataFrame


@dataclass(frozen=True)
class Answered:
    """What a run that answers questions was asked.

    Attributes:
        questions: QUESTIONS columns of the training and the test side, with the right answers.
        prior: ANSWERS of the question prior, learnt on the same training questions; None where
            there are none.
        rendered: whether responses are made from labels by the templates.
        scorer: settings of the model behind BERTScore; None: it is left out.
    """

    questions: pl.DataFrame
    prior: pl.DataFrame | None
    rendered: bool = False
    scorer: BertScorer | None = None


@dataclass(frozen=True)
class Examined:
    """What a run that sat an exam was asked, and what its answers were found to be.

    Attributes:
        questions: EXAM columns, with the right answers.
        verdicts: VERDICTS columns, one for each answer.
        scorer: settings of the model behind BERTScore; None: it is left out.
    """

    questions: pl.DataFrame
    verdicts: pl.DataFrame
    scorer: BertScorer | None = None


class Scored:
    """Something with scores, asked for those of one kind."""

    path: Path
    scores: AnyScores

    @property
    def regression(self) -> RegressionScores:
        """The scores of a run that predicts a number.

        Raises:
            UserError: it predicts none.
        """
        if isinstance(self.scores, RegressionScores):
            return self.scores
        raise UserError(f"{self.path.name} predicts no number.")

    @property
    def classification(self) -> ClassificationScores:
        """The scores of a run that predicts classes.

        Raises:
            UserError: it predicts none.
        """
        if isinstance(self.scores, ClassificationScores):
            return self.scores
        raise UserError(f"{self.path.name} predicts no classes.")

    @property
    def answering(self) -> AnswerScores:
        """The scores of a run that answers questions.

        Raises:
            UserError: it does not.
        """
        if isinstance(self.scores, AnswerScores):
            return self.scores
        raise UserError(f"{self.path.name} answers no questions.")

    @property
    def exam(self) -> ExamScores:
        """The scores of a run that sat an exam.

        Raises:
            UserError: it did not.
        """
        if isinstance(self.scores, ExamScores):
            return self.scores
        raise UserError(f"{self.path.name} sat no exam.")


def score_run(
    predictions: pl.DataFrame,
    fold: pl.DataFrame,
    classes: Sequence[str],
    draws: tuple[int, int],
    asked: Answered | Examined | None = None,
) -> AnyScores:
    """Scores with so many resamples from that seed, of numbers where there are no classes."""
    resamples, seed = draws
    if isinstance(asked, Examined):
        return score_exam(
            asked.questions, predictions, asked.verdicts, fold, scorer=asked.scorer,
            resamples=resamples, bootstrap_seed=seed,
        )  # fmt: skip
    if asked is not None:
        return score_answers(
            asked.questions,
            predictions,
            asked.prior,
            fold,
            scorer=asked.scorer,
            rendered=asked.rendered,
            resamples=resamples,
            bootstrap_seed=seed,
        )
    return score(predictions, fold, classes, resamples=resamples, bootstrap_seed=seed)


def score_own(
    predictions: pl.DataFrame, own: Own | None, classes: Sequence[str], draws: tuple[int, int]
) -> TransferScores | None:
    """Scores against the tested corpus's own model, where there is one."""
    if own is None:
        return None
    resamples, seed = draws
    return score_transfer(
        predictions,
        own.predictions,
        own.fold,
        classes,
        resamples=resamples,
        bootstrap_seed=seed,
    )
