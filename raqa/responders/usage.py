"""What an evaluation took: tokens, time, money, retries, and what was not answered."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl

from raqa.display import csv_cell
from raqa.responders.base import Response
from raqa.tables import Columns

FACTS_FILE = "responder.json"
"""In a zero-shot head's folder: who was asked, and what it was given."""

USAGE_FILE = "usage.csv"
"""Beside it, USAGE columns."""

USAGE: Columns = {
    "qa_id": pl.String,
    # The store's key; questions with the same one share a response. Empty: it was not put at all.
    "request": pl.String,
    "outcome": pl.String,  # answered, refused (by a filter or the interface) or failed
    "reason": pl.String,  # why it is not answered
    "finish": pl.String,  # why the model stopped, in the interface's word
    "tokens_in": pl.Int64,
    "tokens_out": pl.Int64,
    "latency_s": pl.Float64,  # of the last attempt
    "retries": pl.Int64,
    "cost": pl.Float64,  # in the currency of the prices; null where they are not set
    "cut": pl.Boolean,  # whether only the beginning of the prompt was read
    "from_store": pl.Boolean,  # whether it was answered in an earlier evaluation
}
"""A row for each question."""


def usage_table(rows: Iterable[tuple[str, str, Response, bool]]) -> pl.DataFrame:
    """The table of what each response took.

    Args:
        rows: qa_id, key, response and whether it came from the store.
    """
    return pl.DataFrame(
        [
            (qa_id, key, one.outcome, one.reason, one.finish, one.tokens_in, one.tokens_out,
             one.latency_s, one.retries, one.cost, one.cut, kept)
            for qa_id, key, one, kept in rows
        ],
        schema=dict(USAGE), orient="row",
    )  # fmt: skip


def usage_text(usage: pl.DataFrame, rows: str = "questions") -> str:
    """One line for people: counts, tokens, cost and the median latency.

    What several questions share is counted once.

    Args:
        rows: what the rows are of.
    """
    counts = dict(usage["outcome"].value_counts().iter_rows())
    put = usage.filter(pl.col("request") != "")
    once = put.unique("request", keep="first")
    cut = int(once["cut"].sum())
    parts = [f"{counts.get(name, 0):,} {name}" for name in ("answered", "refused", "failed")]
    asked = once.filter(~pl.col("from_store"))
    line = (
        f"{usage.height:,} {rows}: {', '.join(parts)}; {asked.height:,} prompts asked now, "
        f"{once.height - asked.height:,} from the store"
    )
    if cut:
        line += f", of {cut:,} prompts only the beginning was read"
    if once["tokens_in"].count():
        spent = int(once["tokens_in"].sum()) + int(once["tokens_out"].sum())
        line += f", {spent:,} tokens in all"
    if once["cost"].count():
        line += f" for {float(once['cost'].sum()):.4g}"
    if asked["latency_s"].count():
        line += f", median {np.nanmedian(asked['latency_s'].to_numpy()):.2f} s"
    return f"{line}."


def write_usage(usage: pl.DataFrame, path: Path) -> None:
    """Write the table as CSV; nothing in it steers a terminal or is computed by a spreadsheet."""
    texts = pl.col("reason", "finish").map_elements(csv_cell, return_dtype=pl.String)
    usage.with_columns(texts).write_csv(path)
