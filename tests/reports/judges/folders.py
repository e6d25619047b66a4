"""Folders with an exam, answers and verdicts, as runs leave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from raqa.judges.base import Found, Named, verdicts_table
from tests.judges.judging import answers, exam

MODEL = Named("a-model", "v1+0123456789", "abcdef0123")
RULES = Named("rules", "1")
RIGHT, WRONG = Found("right", score=1.0), Found("wrong", "another grade", 0.0)


def graded(*grades: int) -> Found:
    """Grades of the four criteria."""
    return Found("graded", "fine", (sum(grades) / 4 - 1) / 2, *grades)


def write_folder(
    folder: Path,
    rows: Sequence[Mapping[str, Any]],
    said: Mapping[str, str | None],
    found: Mapping[str, Found],
    *,
    by: Named = MODEL,
    seeds: Sequence[int] = (0,),
) -> Path:
    """Write the three tables; the same verdicts for every seed."""
    folder.mkdir(parents=True)
    exam(*rows).write_parquet(folder / "exam.parquet")
    answers(said, seeds).write_parquet(folder / "predictions.parquet")
    table = [(seed, name, by, one) for seed in seeds for name, one in found.items()]
    verdicts_table(table).write_parquet(folder / "verdicts.parquet")
    return folder


def table_of(folder: Path, name: str) -> pl.DataFrame:
    """One of the tables."""
    return pl.read_parquet(folder / f"{name}.parquet")
