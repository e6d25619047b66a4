"""What each seed did in each epoch."""

from __future__ import annotations

import polars as pl

from raqa.tables import Columns

HISTORY: Columns = {
    "seed": pl.Int64,
    "epoch": pl.Int64,  # from 1; 0 is a head that is fitted without epochs
    # Mean squared error in the units trained in, or cross-entropy; null: none, or not finite.
    "train_loss": pl.Float64,
    "validation_error": pl.Float64,  # MAE in label units, or cross-entropy; null: not finite
}


def best_epochs(history: pl.DataFrame) -> dict[int, int]:
    """Each seed's first epoch with the lowest validation error, from HISTORY rows."""
    best = (
        history.drop_nulls("validation_error")
        .sort("validation_error", "epoch")
        .group_by("seed", maintain_order=True)
        .first()
        .sort("seed")
    )
    return dict(best.select("seed", "epoch").iter_rows())


def epoch_metrics(rows: pl.DataFrame, error_name: str) -> dict[str, float]:
    """One epoch's HISTORY rows as metrics for a logger.

    Means are over the seeds still in training; values that are not finite are left out.

    Args:
        error_name: what the validation error is called, for example "validation_mae".
    """
    metrics = {
        "train_loss": rows["train_loss"].mean(),
        error_name: rows["validation_error"].mean(),
        "epoch": rows["epoch"].max(),
        "seeds_in_training": rows.height,
    }
    for seed, error in rows.select("seed", "validation_error").iter_rows():
        metrics[f"{error_name}/seed_{seed}"] = error
    return {name: float(value) for name, value in metrics.items() if value is not None}  # type: ignore[arg-type]
