"""Labels that several experts gave to one recording: used where those who spoke agree."""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from raqa.corpora.label_table import ROW
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.tables import SetAside, set_aside_table


def read_experts(
    table: pl.DataFrame, kinds: Mapping[str, str], *, corpus: str, item: pl.Series
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read columns that stand once for each expert, `quality_1`, `quality_2`, ... in any order.

    Args:
        kinds: canonical attribute to the columns' name without the number.

    Returns:
        A column per attribute (null: no expert spoke, or they disagree), and SET_ASIDE rows for
        disagreements and for values that could not be used.
    """
    columns, aside = [], [set_aside_table()]
    for name, kind in kinds.items():
        blocks = [column for column in table.columns if re.fullmatch(rf"{kind}_\d+", column)]
        said = []
        for column in sorted(blocks):
            values, unusable = read_attributes(
                table, {name: LabelColumn(column)}, corpus=corpus, item=item
            )
            said.append(values[name])
            aside.append(unusable)
        merged, disagreements = _merge(name, said, table[ROW], item, corpus)
        columns.append(merged)
        aside.append(disagreements)
    return pl.DataFrame(columns), pl.concat(aside)


def _merge(
    name: str, said: list[pl.Series], rows: pl.Series, item: pl.Series, corpus: str
) -> tuple[pl.Series, pl.DataFrame]:
    if not said:
        return pl.repeat(None, len(rows), dtype=pl.String, eager=True).alias(
            name
        ), set_aside_table()
    opinions = pl.DataFrame([one.alias(str(number)) for number, one in enumerate(said)]).select(
        pl.concat_list(pl.all()).list.drop_nulls().list.unique().list.sort().alias("opinions")
    )["opinions"]
    agreed = opinions.list.len() == 1
    merged = opinions.list.first().set(~agreed, None).alias(name)
    disputed = opinions.list.len() > 1
    aside = [
        SetAside(corpus, "label", recording, f"{name}: the experts disagree ({' / '.join(labels)})",
                 row, name, " / ".join(labels))
        for recording, row, labels in zip(
            item.filter(disputed), rows.filter(disputed), opinions.filter(disputed), strict=True)
    ]  # fmt: skip
    return merged, set_aside_table(aside)
