"""A fold and predictions small enough to check by hand."""

import polars as pl
import pytest


@pytest.fixture
def fold() -> pl.DataFrame:
    """Training labels 10, 20, 60 (median 20, mean 30); test labels 10, 20, 40 of two subjects."""
    sides = ["train"] * 3 + ["validation"] + ["test"] * 3
    return pl.DataFrame(
        {
            "side": sides,
            "corpus": ["demo"] * 7,
            "recording_id": ["r1", "r2", "r3", "r4", "r5", "r6", "r7"],
            "subject_id": ["a", "b", "c", "d", "e", "e", "f"],
            "subject_known": [True] * 7,
            "label": [10.0, 20.0, 60.0, 40.0, 10.0, 20.0, 40.0],
        }
    )


@pytest.fixture
def predictions() -> pl.DataFrame:
    """Absolute errors 1, 2, 3 with seed 0 (MAE 2) and 2, 4, 6 with seed 1 (MAE 4)."""
    return pl.DataFrame(
        {
            "seed": [0, 0, 0, 1, 1, 1],
            "corpus": ["demo"] * 6,
            "recording_id": ["r5", "r6", "r7"] * 2,
            "subject_id": ["e", "e", "f"] * 2,
            "truth": [10.0, 20.0, 40.0] * 2,
            "prediction": [11.0, 22.0, 43.0, 8.0, 24.0, 46.0],
        }
    )
