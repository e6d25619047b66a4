"""Uploads that are probably the same person's, where a corpus does not know its subjects."""

from __future__ import annotations

import polars as pl


def upload_groups(
    table: pl.DataFrame, *, minutes: float = 3.0, same: tuple[str, ...]
) -> pl.DataFrame:
    """Chain uploads of equal facts that follow each other within minutes.

    Args:
        table: `recording_id`, `uploaded` (Datetime) and the columns in `same`.
        same: facts that have to be equal and known, such as age, sex and status.

    Returns:
        `recording_id` and `upload_group`, the first upload's id; an upload with an unknown fact or
        time is a group of its own.
    """
    known = pl.all_horizontal(pl.col("uploaded", *same).is_not_null())
    alone = table.filter(~known).select("recording_id", upload_group="recording_id")
    chains = (
        table.filter(known)
        .sort(*same, "uploaded", "recording_id")
        .with_columns(
            changed=pl.any_horizontal(pl.col(name) != pl.col(name).shift() for name in same),
            late=pl.col("uploaded").diff() > pl.duration(seconds=round(60 * minutes)),
        )
        .with_columns(chain=(pl.col("changed") | pl.col("late")).fill_null(True).cum_sum())
        .select("recording_id", upload_group=pl.col("recording_id").first().over("chain"))
    )
    return pl.concat([chains, alone])
