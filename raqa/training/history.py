"""What each seed did in each epoch."""

from __future__ import annotations

import polars as pl

from raqa.tables import Columns

HISTORY: Columns = {
    "seed": pl.Int64,
    "epoch": pl.Int64,  # from 1; 0 is a head that is fitted without epochs
    "train_loss": pl.Float64,  # mean squared error in the units trained in; null: none, not finite
    "validation_mae": pl.Float64,  # in label units; null: not finite
}


def best_epochs(history: pl.DataFrame) -> dict[int, int]:
    """Each seed's first epoch with the lowest validation MAE, from HISTORY rows."""
    best = (
        history.drop_nulls("validation_mae")
        .sort("validation_mae", "epoch")
        .group_by("seed", maintain_order=True)
        .first()
        .sort("seed")
    )
    return dict(best.select("seed", "epoch").iter_rows())


def epoch_metrics(rows: pl.DataFrame) -> dict[str, float]:
    """One epoch's HISTORY rows as metrics for a logger.

    Means are over the seeds still in training; values that are not finite are left out.
    """
    metrics = {
        "train_loss": rows["train_loss"].mean(),
        "validation_mae": rows["validation_mae"].mean(),
        "epoch": rows["epoch"].max(),
        "seeds_in_training": rows.height,
    }
    for seed, mae in rows.select("seed", "validation_mae").iter_rows():
        metrics[f"validation_mae/seed_{seed}"] = mae
    return {name: float(value) for name, value in metrics.items() if value is not None}  # type: ignore[arg-type]
