"""Facts that two sources of one corpus state: which one is used, and where they disagree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.tables import SetAside, set_aside_table

STAGE = "disagreement"
"""The stage of set-aside rows that say what the source that is not used had said."""


@dataclass(frozen=True)
class Source:
    """One place that states facts about recordings, such as a workbook or the file names.

    Attributes:
        name: how messages call it: "the workbook".
        table: text, a row for each recording, with ROW as `read_label_table` gives it.
        columns: canonical attribute to where it stands there.
    """

    name: str
    table: pl.DataFrame
    columns: Mapping[str, LabelColumn]


def read_both(
    first: Source, second: Source, *, corpus: str, item: pl.Series
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read attributes from two sources: the first is used, the second where the first has none.

    Text that says the same in other words, order or case is no disagreement. Text of the second
    that can not be read, beside a fact of the first, is one: it does not say what the first says.

    Args:
        item: which recording each row of both tables is.

    Returns:
        A column per attribute of `first`, and SET_ASIDE rows: values that neither source can
        replace (stage "label"), and disagreements (stage STAGE, `field` the attribute, `value`
        what was not used).
    """
    values, faults = read_attributes(first.table, first.columns, corpus=corpus, item=item)
    others, other_faults = read_attributes(second.table, second.columns, corpus=corpus, item=item)
    told = pl.DataFrame({"item": item}).with_row_index("place")
    disputed, settled = [], []
    for name in first.columns:
        used, other = values[name], others[name]
        written = first.table[first.columns[name].column].str.strip_chars()
        unused = second.table[second.columns[name].column].str.strip_chars().fill_null("")
        apart = used.is_not_null() & _differs(used, other, unused)
        rows = told.with_columns(written=written, unused=unused).filter(apart)
        disputed += [
            SetAside(corpus, STAGE, recording, f"{name}: {first.name} says {said!r} (used), "
                     f"{second.name} says {other_said!r}", field=name, value=other_said)
            for recording, said, other_said in rows.select("item", "written", "unused").iter_rows()
        ]  # fmt: skip
        settled.append(pl.select(pl.coalesce(used, other)).to_series().alias(name))
    return pl.DataFrame(settled), pl.concat(
        [
            _without_answer(faults, first, others, item),
            _without_answer(other_faults, second, values, item),
            set_aside_table(disputed),
        ]
    )


def _differs(used: pl.Series, other: pl.Series, text: pl.Series) -> pl.Series:
    """Whether the second source has another value, or a text that is none."""
    same = used.eq_missing(other)
    silent = other.is_null() & text.str.to_lowercase().is_in(["", "na", "n/a", "nan", "none"])
    return ~same & ~silent


def _without_answer(
    faults: pl.DataFrame, source: Source, others: pl.DataFrame, item: pl.Series
) -> pl.DataFrame:
    """Leave out unreadable values for which the other source has a fact."""
    kept = []
    for name, column in source.columns.items():
        answered = item.filter(others[name].is_not_null()).to_list()
        of_column = faults.filter(pl.col("field") == column.column)
        kept.append(of_column.filter(~pl.col("item").is_in(answered)))
    return pl.concat([faults.clear(), *kept])
