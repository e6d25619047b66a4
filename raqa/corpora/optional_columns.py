"""Attributes whose column a user's copy of a label table may lack: reported, not fatal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from raqa.corpora.attributes import attribute
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.tables import SetAside, set_aside_table


def present(table: pl.DataFrame, sources: Mapping[str, LabelColumn]) -> dict[str, LabelColumn]:
    """The attributes whose column the table has."""
    return {name: source for name, source in sources.items() if source.column in table.columns}


def read_optional(
    table: pl.DataFrame,
    sources: Mapping[str, LabelColumn],
    *,
    corpus: str,
    item: pl.Series,
    path: Path,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read attributes as `read_attributes` does; one without a column is missing throughout.

    Args:
        path: the table's file, for what is reported.

    Returns:
        A column per attribute in the order of `sources`, and SET_ASIDE rows: one of stage
        "layout" for every column that is not there, and those of `read_attributes`.
    """
    there = present(table, sources)
    values, aside = read_attributes(table, there, corpus=corpus, item=item)
    absent = {name: source for name, source in sources.items() if name not in there}
    nothing = [
        pl.repeat(None, table.height, dtype=attribute(name).dtype, eager=True).alias(name)
        for name in absent
    ]
    reports = set_aside_table(
        SetAside(corpus, "layout", path.name, f"no column {source.column!r}: {name} is missing",
                 field=source.column)
        for name, source in absent.items()
    )  # fmt: skip
    return pl.DataFrame([*values, *nothing]).select(*sources), pl.concat([reports, aside])
