"""Validation subjects held back for an interval: they neither train nor select."""

from __future__ import annotations

import hashlib

import polars as pl

from raqa.regimes.fold import Fold


def held_back(fold: Fold, share: float) -> pl.DataFrame:
    """The validation rows of a share of its subjects, chosen by a hash of their names.

    Which they are depends on nothing but the names and how many are wanted.

    Args:
        share: of the validation subjects, 0 to 0.5, rounded down to whole subjects.

    Returns:
        FOLD columns.
    """
    validation = fold.side("validation")
    subjects = validation.select("corpus", "subject_id").unique(maintain_order=True)
    drawn = [
        hashlib.sha256(f"calibration\0{corpus}\0{subject}".encode()).hexdigest()
        for corpus, subject in subjects.iter_rows()
    ]
    ordered = subjects.with_columns(drawn=pl.Series(drawn, dtype=pl.String)).sort("drawn")
    chosen = ordered.head(int(share * subjects.height))
    return validation.join(chosen, on=["corpus", "subject_id"], how="semi", maintain_order="left")


def selecting(fold: Fold, share: float) -> pl.DataFrame:
    """The validation rows that are left to select the epoch."""
    rows = fold.side("validation")
    away = held_back(fold, share)
    return rows.join(away, on=["corpus", "recording_id"], how="anti", maintain_order="left")
