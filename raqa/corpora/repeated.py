"""Rows of a label table that claim the same id."""

from __future__ import annotations

import polars as pl

from raqa.corpora.label_table import ROW
from raqa.tables import SetAside, set_aside_table


def drop_repeated(
    table: pl.DataFrame, column: str, *, corpus: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Keep one row of an id whose rows are equal, and none where they contradict each other.

    Rows without an id go too. Ids are compared whole: one may be another's beginning.

    Returns:
        the table with `column` unique and stripped, and SET_ASIDE rows for all that went.
    """
    table = table.with_columns(pl.col(column).str.strip_chars())
    nameless = table[column].is_null() | (table[column] == "")
    content = [name for name in table.columns if name != ROW]
    copies = table.filter(~nameless).with_columns(
        first=pl.col(ROW).min().over(column),
        versions=pl.struct(content).n_unique().over(column),
    )
    equal, first = pl.col("versions") == 1, pl.col(ROW) == pl.col("first")
    aside = [
        SetAside(corpus, "label", "(no id)", f"{column} is empty", row, column)
        for row in table.filter(nameless)[ROW]
    ]
    for name, row, versions, of in (
        copies.filter(~(equal & first) & (pl.len().over(column) > 1))
        .select(column, ROW, "versions", "first")
        .iter_rows()
    ):
        reason = (
            f"repeats row {of}" if versions == 1 else "this id stands in several, different rows"
        )
        aside.append(SetAside(corpus, "label", name, reason, row, column, name))
    return copies.filter(equal & first).drop("first", "versions"), set_aside_table(aside)
