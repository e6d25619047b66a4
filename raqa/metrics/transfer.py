"""How much is lost by training on another corpus: against a model of the tested corpus itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.regression import align


@dataclass(frozen=True)
class TransferScores:
    """A transferred model against one of the same encoder, head and seeds at home.

    Both are tested on the same recordings; in the label's unit.

    Attributes:
        own_mae: of the model trained on the tested corpus, mean and SD over seeds.
        own_mae_interval: 95 % over subjects.
        gap: transferred minus own; above 0 the transferred model is worse.
        gap_interval: 95 % over subjects, paired.
        own_median_mae: MAE of always saying the tested corpus's training median. The training
            corpus's median is the run's own baseline.
        own_recordings, own_subjects: on the tested corpus's training side.
    """

    own_mae: OverSeeds
    own_mae_interval: Interval
    gap: OverSeeds
    gap_interval: Interval
    own_median_mae: Number
    own_recordings: int
    own_subjects: int


def score_transfer(
    predictions: pl.DataFrame,
    own_predictions: pl.DataFrame,
    own_fold: pl.DataFrame,
    *,
    resamples: int = 10_000,
    bootstrap_seed: int = 0,
) -> TransferScores:
    """Score a transferred model against the tested corpus's own.

    Args:
        predictions, own_predictions: PREDICTIONS columns, the same seeds and test recordings.
        own_fold: FOLD columns of the tested corpus's own fold.

    Raises:
        ValueError: seeds, test recordings or truths of the two differ.
    """
    test, train = (own_fold.filter(pl.col("side") == side) for side in ("test", "train"))
    test = test.sort("corpus", "recording_id")
    (seeds, transferred), (own_seeds, own) = align(predictions, test), align(own_predictions, test)
    if seeds != own_seeds:
        raise ValueError(f"the transferred model has seeds {seeds}, the own one {own_seeds}")
    labels = test["label"].to_numpy()
    errors, own_errors = np.abs(transferred - labels), np.abs(own - labels)
    own_interval, gap_interval = subject_intervals(
        np.column_stack([own_errors.mean(axis=0), (errors - own_errors).mean(axis=0)]),
        subject_names(test["corpus"].to_list(), test["subject_id"].to_list()),
        resamples=resamples,
        seed=bootstrap_seed,
    )
    median = np.median(train["label"].to_numpy())
    return TransferScores(
        own_mae=OverSeeds.of([Number(float(row.mean())) for row in own_errors]),
        own_mae_interval=own_interval,
        gap=OverSeeds.of([Number(float(row.mean())) for row in errors - own_errors]),
        gap_interval=gap_interval,
        own_median_mae=Number(float(np.abs(labels - median).mean())),
        own_recordings=train.height,
        own_subjects=train["subject_id"].n_unique(),
    )
