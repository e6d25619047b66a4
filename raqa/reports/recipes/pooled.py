"""Several runs of one cell with different random subsets of training subjects, taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.compare import recording_errors
from raqa.metrics.number import Interval, OverSeeds
from raqa.reports.recipes.cells import errors_of
from raqa.reports.run_tables import Run


@dataclass(frozen=True)
class Pooled:
    """What they reached together.

    Attributes:
        mae, spread: every seed of every subset counts as one.
        interval: 95 % over test subjects, of errors averaged over seeds and subsets.
        subjects: training subjects; their mean where subsets differ.
        collapsed: how many seeds hardly spread.
    """

    runs: tuple[Run, ...]
    mae: OverSeeds
    interval: Interval
    spread: OverSeeds
    subjects: float
    collapsed: int


def pool(runs: Sequence[Run]) -> Pooled:
    """Take at least one run together."""
    scores = [errors_of(run) for run in runs]
    errors = recording_errors(pooled_predictions(runs))
    (interval,) = subject_intervals(
        errors.select("error").to_numpy(),
        subject_names(errors["corpus"].to_list(), errors["subject_id"].to_list()),
        resamples=scores[0].resamples,
        seed=scores[0].bootstrap_seed,
    )
    return Pooled(
        runs=tuple(runs),
        mae=OverSeeds.of([one for each in scores for one in each.mae.by_seed]),
        interval=scores[0].mae_interval if len(runs) == 1 else interval,
        spread=OverSeeds.of([one for each in scores for one in each.spread.by_seed]),
        subjects=float(np.mean([each.subjects["train"] for each in scores])),
        collapsed=sum(len(each.collapsed_seeds) for each in scores),
    )


def pooled_predictions(runs: Sequence[Run]) -> pl.DataFrame:
    """All predictions, to be averaged over seeds and subsets alike."""
    return pl.concat(run.predictions for run in runs)
