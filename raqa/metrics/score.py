"""Scores of a run, whatever kind of task it had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import polars as pl
from pydantic import Field

from raqa.metrics.answers import AnswerScores
from raqa.metrics.classification import ClassificationScores, score_classification
from raqa.metrics.exams.scores import ExamScores
from raqa.metrics.regression import RegressionScores, score_regression

AnyScores = Annotated[
    RegressionScores | ClassificationScores | AnswerScores | ExamScores, Field(discriminator="kind")
]
"""Scores as they are stored: `kind` tells which they are."""


def score(
    predictions: pl.DataFrame,
    fold: pl.DataFrame,
    classes: Sequence[str],
    *,
    resamples: int = 10_000,
    bootstrap_seed: int = 0,
) -> RegressionScores | ClassificationScores:
    """Score predictions as classes, or as numbers where there are no classes."""
    if classes:
        return score_classification(
            predictions, fold, classes, resamples=resamples, bootstrap_seed=bootstrap_seed
        )
    return score_regression(predictions, fold, resamples=resamples, bootstrap_seed=bootstrap_seed)
