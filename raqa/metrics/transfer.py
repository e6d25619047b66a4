"""How much is lost by training on another corpus: against a model of the tested corpus itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.align import align, align_probabilities
from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.class_measures import surprise
from raqa.metrics.number import Interval, Number, OverSeeds

Floats = NDArray[np.float64]
_NO_CHANCE = "a true class was given probability 0"


@dataclass(frozen=True)
class TransferScores:
    """A transferred model against one of the same encoder, head and seeds at home.

    Both are tested on the same recordings. The error is the MAE in the label's unit, or the
    cross-entropy of classes in nat.

    Attributes:
        own_error: of the model trained on the tested corpus, mean and SD over seeds.
        own_error_interval: 95 % over subjects.
        gap: transferred minus own; above 0 the transferred model is worse.
        gap_interval: 95 % over subjects, paired.
        own_baseline: error of always saying the tested corpus's training median or prior. That
            of the training corpus is the run's own baseline.
        own_recordings, own_subjects: on the tested corpus's training side.
    """

    own_error: OverSeeds
    own_error_interval: Interval
    gap: OverSeeds
    gap_interval: Interval
    own_baseline: Number
    own_recordings: int
    own_subjects: int


def score_transfer(
    predictions: pl.DataFrame,
    own_predictions: pl.DataFrame,
    own_fold: pl.DataFrame,
    classes: Sequence[str] = (),
    *,
    resamples: int = 10_000,
    bootstrap_seed: int = 0,
) -> TransferScores:
    """Score a transferred model against the tested corpus's own.

    Args:
        predictions, own_predictions: PREDICTIONS or CLASS_PREDICTIONS columns, the same seeds
            and test recordings.
        own_fold: FOLD columns of the tested corpus's own fold.
        classes: names of the classes, where there are.

    Raises:
        ValueError: seeds, test recordings or truths of the two differ.
    """
    test, train = (own_fold.filter(pl.col("side") == side) for side in ("test", "train"))
    test = test.sort("corpus", "recording_id")
    seeds, errors = _errors(predictions, test, classes)
    own_seeds, own_errors = _errors(own_predictions, test, classes)
    if seeds != own_seeds:
        raise ValueError(f"the transferred model has seeds {seeds}, the own one {own_seeds}")
    gaps = errors - own_errors
    own_interval, gap_interval = (
        _interval(rows.mean(axis=0), test, resamples, bootstrap_seed) for rows in (own_errors, gaps)
    )
    return TransferScores(
        own_error=OverSeeds.of([_mean(row) for row in own_errors]),
        own_error_interval=own_interval,
        gap=OverSeeds.of([_mean(row) for row in gaps]),
        gap_interval=gap_interval,
        own_baseline=_mean(_baseline_errors(train, test, classes)),
        own_recordings=train.height,
        own_subjects=train["subject_id"].n_unique(),
    )


def _errors(
    predictions: pl.DataFrame, test: pl.DataFrame, classes: Sequence[str]
) -> tuple[tuple[int, ...], Floats]:
    """Every recording's absolute error, or cross-entropy: `[seeds, recordings]`."""
    labels = test["label"].to_numpy()
    if not classes:
        seeds, values = align(predictions, test)
        return seeds, np.abs(values - labels)
    seeds, probabilities = align_probabilities(predictions, test, len(classes))
    return seeds, np.stack([surprise(one, labels.astype(np.int64)) for one in probabilities])


def _baseline_errors(train: pl.DataFrame, test: pl.DataFrame, classes: Sequence[str]) -> Floats:
    """The same of the training median or prior: `[recordings]`."""
    known, labels = train["label"].to_numpy(), test["label"].to_numpy()
    if not classes:
        return np.asarray(np.abs(labels - np.median(known)), np.float64)
    prior = np.bincount(known.astype(np.int64), minlength=len(classes)) / len(known)
    return surprise(np.tile(prior, (len(labels), 1)), labels.astype(np.int64))


def _interval(values: Floats, test: pl.DataFrame, resamples: int, seed: int) -> Interval:
    if not np.isfinite(values).all():
        return Interval.undefined(_NO_CHANCE)
    subjects = subject_names(test["corpus"].to_list(), test["subject_id"].to_list())
    (interval,) = subject_intervals(values[:, None], subjects, resamples=resamples, seed=seed)
    return interval


def _mean(values: Floats) -> Number:
    if not np.isfinite(values).all():
        return Number.undefined(_NO_CHANCE)
    return Number(float(values.mean()))
