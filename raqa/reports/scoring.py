"""From a run's tables to its scores: the one way, whether a run is written or scored again."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from raqa.metrics.regression import RegressionScores, score_regression
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


def score_run(
    predictions: pl.DataFrame, fold: pl.DataFrame, draws: tuple[int, int]
) -> RegressionScores:
    """Scores with so many resamples from that seed."""
    resamples, seed = draws
    return score_regression(predictions, fold, resamples=resamples, bootstrap_seed=seed)


def score_own(
    predictions: pl.DataFrame, own: Own | None, draws: tuple[int, int]
) -> TransferScores | None:
    """Scores against the tested corpus's own model, where there is one."""
    if own is None:
        return None
    resamples, seed = draws
    return score_transfer(
        predictions, own.predictions, own.fold, resamples=resamples, bootstrap_seed=seed
    )
