"""Scores of a regression run, made from its predictions and its fold and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.align import align
from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.scores import Scores, collapsed, recording_counts, sides, subject_counts

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RegressionScores(Scores):
    """What one run reached on its test recordings, in the label's unit unless said otherwise.

    The baseline is always saying the training median, the best constant for the MAE.

    Attributes:
        mae: mean absolute error of every seed, mean and SD (ddof 1).
        mae_interval: 95 % over subjects, of the recording-weighted MAE averaged over seeds.
        median_mae, mean_mae: MAE of always saying the training median or mean, same recordings.
        mad: mean absolute deviation of all labels of the fold around their mean (the paper's).
        r2, spearman: no unit.
        spread: SD of the predictions over SD of the labels; no unit.
    """

    kind: Literal["regression"] = "regression"
    baseline: ClassVar[str] = "training median"
    compared: ClassVar[str] = "error"
    mae: OverSeeds
    mae_interval: Interval
    median_mae: Number
    mean_mae: Number
    mad: Number
    r2: OverSeeds
    spearman: OverSeeds


def score_regression(
    predictions: pl.DataFrame,
    fold: pl.DataFrame,
    *,
    resamples: int = 10_000,
    bootstrap_seed: int = 0,
) -> RegressionScores:
    """Score predictions of the fold's test recordings, given the trained models.

    Args:
        predictions: PREDICTIONS columns; every seed predicts every test recording once.
        fold: FOLD columns.

    Raises:
        UserError: the fold has an empty training or test side.
        ValueError: predictions and fold do not belong together.
    """
    fold, train, test = sides(fold)
    seeds, predicted = align(predictions, test)
    labels = test["label"].to_numpy()
    fitted, everything = train["label"].to_numpy(), fold["label"].to_numpy()
    errors = np.abs(predicted - labels)
    median_errors = np.abs(labels - np.median(fitted))
    model_errors = errors.mean(axis=0)
    mae_interval, difference_interval = subject_intervals(
        np.column_stack([model_errors, model_errors - median_errors]),
        subject_names(test["corpus"].to_list(), test["subject_id"].to_list()),
        resamples=resamples,
        seed=bootstrap_seed,
    )
    spread = tuple(_spread(row, labels) for row in predicted)
    return RegressionScores(
        seeds=seeds,
        mae=OverSeeds.of([Number(float(row.mean())) for row in errors]),
        mae_interval=mae_interval,
        median_mae=Number(float(median_errors.mean())),
        mean_mae=Number(float(np.abs(labels - fitted.mean()).mean())),
        mad=Number(float(np.abs(everything - everything.mean()).mean())),
        difference=Number(float((model_errors - median_errors).mean())),
        difference_interval=difference_interval,
        r2=OverSeeds.of([_r2(row, labels) for row in predicted]),
        spearman=OverSeeds.of([_spearman(row, labels) for row in predicted]),
        spread=OverSeeds.of(spread),
        recordings=recording_counts(fold),
        subjects=subject_counts(fold),
        subject_known=bool(fold["subject_known"].all()),
        collapsed_seeds=collapsed(seeds, spread),
        resamples=resamples,
        bootstrap_seed=bootstrap_seed,
    )


def _why_undefined(labels: Floats) -> str | None:
    if len(labels) < 2:
        return "one test recording"
    return "all test labels are equal" if np.ptp(labels) == 0 else None


def _r2(predicted: Floats, labels: Floats) -> Number:
    from sklearn.metrics import r2_score

    if reason := _why_undefined(labels):
        return Number.undefined(reason)
    return Number(float(r2_score(labels, predicted)))


def _spearman(predicted: Floats, labels: Floats) -> Number:
    from scipy.stats import spearmanr

    if reason := _why_undefined(labels):
        return Number.undefined(reason)
    if np.ptp(predicted) == 0:
        return Number.undefined("all predictions are equal")
    return Number(float(spearmanr(labels, predicted).statistic))


def _spread(predicted: Floats, labels: Floats) -> Number:
    if reason := _why_undefined(labels):
        return Number.undefined(reason)
    return Number(float(predicted.std() / labels.std()))
