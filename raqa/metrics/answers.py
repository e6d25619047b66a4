"""Scores of a run that answers questions: its answers, the question prior's, the difference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from raqa.metrics.bertscore import BertScorer
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.questions import (
    PartScores,
    QuestionScores,
    compare_answers,
    score_questions,
)
from raqa.metrics.questions.paired import AnswerDifference
from raqa.metrics.questions.score import RESAMPLES
from raqa.metrics.scores import Scores, recording_counts, subject_counts

_NO_SPREAD = "answers in words have no spread"
_NO_TRAINING = "no question is about a training recording, so there is no question prior"
_UNTRAINED = (
    "No training side: there is no question prior and no training median to compare answers with."
)
_MISSING = "answers are missing, so that the two are not about the same questions"


@dataclass(frozen=True, kw_only=True)
class AnswerScores(Scores):
    """What a run's answers reached, beside the question prior that never listens.

    The difference is of errors, as everywhere: 1 − balanced accuracy where any answer is a label,
    else the MAE divided by that of the training median. Not macro-F1, for the prior always says
    the same: on two even classes its macro-F1 is 1/3, a coin's 1/2, and the coin would win. The
    balanced accuracy of both is 1/2.

    Attributes:
        answers: the run's own.
        prior: of the most frequent training answer to each question; None: nothing is on the
            training side.
    """

    kind: Literal["questions"] = "questions"
    baseline: ClassVar[str] = "question prior"
    compared: ClassVar[str] = "error (1 − balanced accuracy, or MAE ÷ that of the training median)"
    difference_unit: ClassVar[str | None] = "points"
    answers: QuestionScores
    prior: QuestionScores | None

    @property
    def few_subjects(self) -> bool:
        """Whether the test side has too few subjects for the interval to be relied on."""
        return self.answers.few_subjects

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else must be known before believing the numbers."""
        if self.prior is None:
            return (_UNTRAINED, *self.answers.remarks)
        return self.answers.remarks

    @property
    def prior_headline(self) -> Number:
        """The prior's headline, mean over seeds."""
        if self.prior is None:
            return Number.undefined(_NO_TRAINING)
        return headline_of(self.prior).mean

    def prior_part(self, part: PartScores) -> PartScores | None:
        """What the prior reached on the same part, where there is a prior."""
        return None if self.prior is None else self.prior.part(part.by, part.name)

    @property
    def named(self) -> tuple[str, bool]:
        """What the headline is called, and whether larger is better."""
        return ("macro-F1", True) if self.answers.all.labels else ("relative MAE", False)


def headline_of(scores: QuestionScores) -> OverSeeds:
    """Macro-F1 over labels, or the relative MAE where every answer is a number."""
    if scores.all.labels is not None:
        return scores.all.labels.macro_f1
    assert scores.all.numbers is not None
    return scores.all.numbers.relative_mae


def score_answers(
    questions: pl.DataFrame,
    answers: pl.DataFrame,
    prior: pl.DataFrame | None,
    fold: pl.DataFrame,
    *,
    scorer: BertScorer | None = None,
    rendered: bool = False,
    resamples: int = RESAMPLES,
    bootstrap_seed: int = 0,
) -> AnswerScores:
    """Score a run.

    Args:
        questions: QUESTIONS columns of the training and the test side, told apart by `split`.
        answers, prior: ANSWERS columns, about the test side; no prior where there is no training
            side.
        fold: FOLD columns of the recordings that were asked about.
        rendered: whether responses are made from labels by the templates.
    """
    train, test = (questions.filter(pl.col("split") == side) for side in ("train", "test"))
    drawn = min(resamples, RESAMPLES)  # every group of every corpus is drawn at once
    own = score_questions(
        train, test, answers, scorer=scorer, rendered=rendered, resamples=drawn,
        bootstrap_seed=bootstrap_seed,
    )  # fmt: skip
    constant = None
    if prior is not None:
        constant = score_questions(
            train, test, prior, scorer=scorer, rendered=True, resamples=drawn,
            bootstrap_seed=bootstrap_seed,
        )  # fmt: skip
    reason = _NO_TRAINING if prior is None else _MISSING
    difference, interval = Number.undefined(reason), Interval.undefined(reason)
    if prior is not None and constant is not None and own.complete and constant.complete:
        found = compare_answers(
            train, test, answers, prior, resamples=drawn, bootstrap_seed=bootstrap_seed
        )
        difference, interval = error_difference(found)
    return AnswerScores(
        answers=own,
        prior=constant,
        seeds=own.seeds,
        difference=difference,
        difference_interval=interval,
        recordings=recording_counts(fold),
        subjects=subject_counts(fold),
        subject_known=bool(fold["subject_known"].all()),
        spread=OverSeeds.of([Number.undefined(_NO_SPREAD)] * len(own.seeds)),
        collapsed_seeds=(),
        resamples=drawn,
        bootstrap_seed=bootstrap_seed,
    )


def error_difference(found: Iterable[AnswerDifference]) -> tuple[Number, Interval]:
    """Model minus prior of what decides, turned so that below 0 is better."""
    first: dict[str, AnswerDifference] = {one.measure: one for one in found if one.by == "all"}
    if "balanced_accuracy" not in first:
        one = first["relative_mae"]
        return one.difference, one.interval
    one = first["balanced_accuracy"]
    low, high = one.interval.low, one.interval.high
    return negative(one.difference), Interval(negative(high), negative(low))


def negative(number: Number) -> Number:
    """The number with its sign turned."""
    return Number(-number.value) if number.defined else number
