"""What an empty cell means where it means something: decided by rule, and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from raqa.corpora.labels import LabelColumn


@dataclass(frozen=True)
class Assumed:
    """Empty cells of one column that were read as a label.

    Attributes:
        attribute: canonical name.
        column: the label table's column.
        label: what the empty cells were read as.
        count: how many rows of the label table.
        why: the rule, a sentence fragment.
    """

    attribute: str
    column: str
    label: str
    count: int
    why: str


def read_unticked(
    values: pl.DataFrame,
    table: pl.DataFrame,
    sources: Mapping[str, LabelColumn],
    *,
    filled_in: pl.Expr,
    why: str,
    label: str = "no",
) -> tuple[pl.DataFrame, tuple[Assumed, ...]]:
    """Read the empty cells of check-boxes as `label` on rows whose form was filled in.

    A cell with something in it that could not be read stays missing: it is not empty.

    Args:
        values: columns of canonical values, as `read_attributes` returns them.
        table: the label table they were read from, row by row.
        sources: the attributes that are check-boxes, and their columns.
        filled_in: a condition over `table` that says whether the row's form was filled in.
        why: the rule in words, for tables and documentation.

    Returns:
        `values` with the labels, and how many cells each column had.
    """
    filled = table.select(filled_in.fill_null(False)).to_series()
    assumed = []
    for name, source in sources.items():
        empty = table[source.column].str.strip_chars().fill_null("") == ""
        taken = empty & filled & values[name].is_null()
        if not taken.any():
            continue
        column = values.select(pl.when(taken).then(pl.lit(label)).otherwise(name).alias(name))
        values = values.with_columns(column)
        assumed.append(Assumed(name, source.column, label, int(taken.sum()), why))
    return values, tuple(assumed)
