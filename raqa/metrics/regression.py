"""Scores of a regression run, made from its predictions and its fold and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.errors import UserError
from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.tables import FOLD, PREDICTIONS, SIDES, check_table

FEW_SUBJECTS = 50
"""Below this many test subjects a percentile interval is too narrow to be relied on."""
COLLAPSED = 0.1
"""Predictions that spread less than this share of the labels' spread say nearly the same always."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegressionScores:
    """What one run reached on its test recordings, in the label's unit unless said otherwise.

    Attributes:
        seeds: the seeds, in the order of every `by_seed`.
        mae: mean absolute error of every seed, mean and SD (ddof 1).
        mae_interval: 95 % over subjects, of the recording-weighted MAE averaged over seeds.
        median_mae, mean_mae: MAE of always saying the training median or mean, same recordings.
        mad: mean absolute deviation of all labels of the fold around their mean (the paper's).
        difference: model's MAE minus the training median's; negative is better.
        difference_interval: 95 % over subjects, paired.
        r2, spearman: no unit.
        spread: SD of the predictions over SD of the labels; no unit.
        recordings, subjects: how many on each side of the fold.
        subject_known: whether every subject of the fold is known to be one person.
        collapsed_seeds: seeds whose predictions hardly spread.
        resamples, bootstrap_seed: how the intervals were drawn.
    """

    seeds: tuple[int, ...]
    mae: OverSeeds
    mae_interval: Interval
    median_mae: Number
    mean_mae: Number
    mad: Number
    difference: Number
    difference_interval: Interval
    r2: OverSeeds
    spearman: OverSeeds
    spread: OverSeeds
    recordings: Mapping[str, int]
    subjects: Mapping[str, int]
    subject_known: bool
    collapsed_seeds: tuple[int, ...]
    resamples: int
    bootstrap_seed: int

    @property
    def few_subjects(self) -> bool:
        """Whether the test side has too few subjects for the interval to be relied on."""
        return self.subjects["test"] < FEW_SUBJECTS

    @property
    def against_median(self) -> Literal["above", "below", "undecided"]:
        """Whether the model beats the training median; decided by the paired interval only."""
        if not self.difference_interval.excludes_zero():
            return "undecided"
        return "above" if self.difference.value < 0 else "below"


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
    fold = check_table(fold, FOLD, name="fold", key=["corpus", "recording_id"])
    train, test = (fold.filter(pl.col("side") == side) for side in ("train", "test"))
    for name, rows in (("training", train), ("test", test)):
        if not rows.height:
            raise UserError(f"The {name} side has no recording, so there is nothing to score.")
    seeds, predicted = align(predictions, test)
    labels = test.sort("corpus", "recording_id")["label"].to_numpy()
    test = test.sort("corpus", "recording_id")
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
        recordings={side: fold.filter(pl.col("side") == side).height for side in SIDES},
        subjects={side: _subjects(fold.filter(pl.col("side") == side)) for side in SIDES},
        subject_known=bool(fold["subject_known"].all()),
        collapsed_seeds=tuple(
            seed for seed, ratio in zip(seeds, spread, strict=True) if ratio.value < COLLAPSED
        ),
        resamples=resamples,
        bootstrap_seed=bootstrap_seed,
    )


def align(predictions: pl.DataFrame, test: pl.DataFrame) -> tuple[tuple[int, ...], Floats]:
    """Lay predictions out as `[seeds, recordings]`, recordings sorted by corpus and id.

    Raises:
        ValueError: a seed does not predict exactly the test recordings, truths are not the
            fold's labels, or a prediction is not finite.
    """
    key = ["seed", "corpus", "recording_id"]
    predictions = check_table(predictions, PREDICTIONS, name="predictions", key=key).sort(key)
    test = test.sort("corpus", "recording_id")
    seeds = predictions["seed"].unique().sort().to_list()
    expected = pl.DataFrame({"seed": seeds}, schema={"seed": pl.Int64}).join(
        test.select("corpus", "recording_id", "label"), how="cross", maintain_order="left_right"
    )
    if not seeds or not expected.select(key).equals(predictions.select(key)):
        raise ValueError(
            f"every seed must predict each of the {test.height} test recordings once; there are "
            f"{predictions.height} predictions of {len(seeds)} seed(s)"
        )
    if not np.allclose(predictions["truth"].to_numpy(), expected["label"].to_numpy(), atol=1e-6):
        raise ValueError("the truth beside the predictions is not the fold's label")
    values = predictions["prediction"].to_numpy()
    if not np.isfinite(values).all():
        raise ValueError(f"{(~np.isfinite(values)).sum()} prediction(s) are not finite")
    return tuple(seeds), values.reshape(len(seeds), test.height)


def _subjects(rows: pl.DataFrame) -> int:
    return rows.select("corpus", "subject_id").n_unique()


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
