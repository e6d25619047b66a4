"""Predictions laid out as arrays beside the test recordings that they belong to, checked."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.tables import CLASS_PREDICTIONS, PREDICTIONS, Columns, check_table

Floats = NDArray[np.float64]
_KEY = ["seed", "corpus", "recording_id"]


def align(predictions: pl.DataFrame, test: pl.DataFrame) -> tuple[tuple[int, ...], Floats]:
    """Lay predictions out as `[seeds, recordings]`, recordings sorted by corpus and id.

    Raises:
        ValueError: a seed does not predict exactly the test recordings, truths are not the
            fold's labels, or a prediction is not finite.
    """
    seeds, table = _aligned(predictions, test, PREDICTIONS)
    values = table["prediction"].to_numpy()
    if not np.isfinite(values).all():
        raise ValueError(f"{(~np.isfinite(values)).sum()} prediction(s) are not finite")
    return seeds, values.reshape(len(seeds), test.height)


def align_probabilities(
    predictions: pl.DataFrame, test: pl.DataFrame, classes: int
) -> tuple[tuple[int, ...], Floats]:
    """Lay probabilities out as `[seeds, recordings, classes]`, recordings as `align` does.

    Raises:
        ValueError: as `align` does, or the probabilities are not those of `classes` classes.
    """
    seeds, table = _aligned(predictions, test, CLASS_PREDICTIONS)
    if (table["probabilities"].list.len() != classes).any():
        raise ValueError(f"every prediction must have the probabilities of {classes} classes")
    flat = table["probabilities"].explode().to_numpy()
    values = np.asarray(flat.reshape(len(seeds), test.height, classes), np.float64)
    if not (values >= 0).all() or not np.allclose(values.sum(axis=-1), 1):
        raise ValueError("probabilities must lie in 0-1 and add up to 1")
    return seeds, values


def _aligned(
    predictions: pl.DataFrame, test: pl.DataFrame, columns: Columns
) -> tuple[tuple[int, ...], pl.DataFrame]:
    table = check_table(predictions, columns, name="predictions", key=_KEY).sort(_KEY)
    test = test.sort("corpus", "recording_id")
    seeds = table["seed"].unique().sort().to_list()
    expected = pl.DataFrame({"seed": seeds}, schema={"seed": pl.Int64}).join(
        test.select("corpus", "recording_id", "label"), how="cross", maintain_order="left_right"
    )
    if not seeds or not expected.select(_KEY).equals(table.select(_KEY)):
        raise ValueError(
            f"every seed must predict each of the {test.height} test recordings once; there are "
            f"{table.height} predictions of {len(seeds)} seed(s)"
        )
    if not np.allclose(table["truth"].to_numpy(), expected["label"].to_numpy(), atol=1e-6):
        raise ValueError("the truth beside the predictions is not the fold's label")
    return tuple(seeds), table
