"""Recordings tables to split, made here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from raqa.tables import RECORDINGS

Maker = Callable[..., pl.DataFrame]


def make_table(
    subjects: int = 100, clips: int = 2, *, known: bool = True, seed: int = 1
) -> pl.DataFrame:
    ages = np.random.default_rng(seed).uniform(5, 90, subjects)
    rows = [
        {
            "recording_id": f"s{subject:04d}_{clip}",
            "corpus": "made",
            "subject_id": f"s{subject:04d}",
            "subject_known": known,
            "path": f"/nowhere/s{subject:04d}_{clip}.wav",
            "audio": True,
            "modality": "cough",
            "age": float(ages[subject]),
            "bmi": None if subject % 10 == 0 else 20.0 + subject % 7,
        }
        for subject in range(subjects)
        for clip in range(clips)
    ]
    optional = {"start_s": pl.Float64, "end_s": pl.Float64, "split": pl.String}
    schema = {**RECORDINGS, "age": pl.Float64, "bmi": pl.Float64}
    return pl.DataFrame([{**dict.fromkeys(optional), **row} for row in rows], schema=schema)


@pytest.fixture
def table() -> pl.DataFrame:
    return make_table()


@pytest.fixture
def maker() -> Maker:
    return make_table
