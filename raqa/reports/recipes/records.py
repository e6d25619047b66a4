"""The numbers of a report as records: one dictionary per cell, the same keys in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from raqa.metrics.number import Number
from raqa.reports.recipes.cells import RecipeFacts, ReportCell, errors_of, validation_error
from raqa.reports.recipes.grid import Row
from raqa.reports.recipes.published import PublishedError
from raqa.reports.recipes.tables import RowPairs
from raqa.reports.results import RESULTS, result_row
from raqa.tables import Columns

_LEFT_OUT = ("path", "finished_at")  # two reports of the same runs are equal, wherever they are

RECORDS: Columns = {
    "recipe": pl.String,
    "title": pl.String,
    "column": pl.String,  # where the cell stands in its row
    "problem": pl.String,  # why there is no run; null for a finished one
    "watermark": pl.String,  # what the numbers are not; null for trained weights
    **{name: kind for name, kind in RESULTS.items() if name not in _LEFT_OUT},
    "validation_mae": pl.Float64,  # training corpus's validation side, epochs kept, mean over seeds
    "best": pl.Boolean,  # the smallest error of its row among those that can be
    "best_group": pl.Boolean,  # can not be told from it
    "p_holm_to_best": pl.Float64,  # corrected for all pairs of the row
    "published": pl.Float64,
    "published_sd": pl.Float64,
    "minus_published": pl.Float64,  # ours - theirs
}
"""Columns of records.jsonl and records.parquet; a number that is undefined is null."""

PAIRS: Columns = {
    "recipe": pl.String,
    "row": pl.String,
    "first": pl.String,
    "second": pl.String,
    "unit": pl.String,
    "difference": pl.Float64,  # first - second; negative: the first is better
    "low": pl.Float64,  # 95 % over subjects, paired
    "high": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
    "better": pl.String,  # null: can not be told apart
}
"""Columns of pairs.csv."""


def record(
    recipe: RecipeFacts, cell: ReportCell, column: str, row: Row, published: PublishedError | None
) -> dict[str, Any]:
    """One cell under RECORDS."""
    found = cell_record(recipe, cell, column)
    if published:
        found |= {"published": published.mean, "published_sd": published.sd}
    if cell.run is None:
        return found
    mean = errors_of(cell.run).mae.mean
    return {
        **found,
        "validation_mae": plain(validation_error(cell.run)),
        "best": row.group[:1] == (column,),
        "best_group": column in row.group,
        "p_holm_to_best": _p_to_best(row, column),
        "minus_published": mean.value - published.mean if published and mean.defined else None,
    }


def cell_record(recipe: RecipeFacts, cell: ReportCell, column: str) -> dict[str, Any]:
    """One cell under RECORDS, without what comparing it with others or with a paper gives."""
    facts: dict[str, Any] = {
        "recipe": recipe.name,
        "title": recipe.title,
        "column": column,
        "problem": cell.problem,
        "corpus": cell.corpus,
        "tested_on": cell.target,
        "task": cell.task,
        "encoder": cell.encoder,
        "head": cell.head,
        "size": cell.size or None,
        "subset_seed": int(cell.draw) if cell.draw else None,
        "equal_updates": cell.equal_updates if cell.size else None,
    }
    if cell.run is None:
        return {**dict.fromkeys(RECORDS), **facts}
    run = cell.run
    return {
        **dict.fromkeys(RECORDS),
        **{name: value for name, value in result_row(run).items() if name in RECORDS},
        **facts,
        "watermark": None if run.provenance.weights_real else "random weights, not a result",
    }


def records_table(records: Sequence[dict[str, Any]] | Sequence[Any]) -> pl.DataFrame:
    """Records as a table."""
    return pl.DataFrame([dict(one) for one in records], schema=dict(RECORDS))


def pairs_table(recipe: str, rows: Sequence[RowPairs]) -> pl.DataFrame:
    """All pairs of all rows as a table."""
    return pl.DataFrame(
        [
            {
                "recipe": recipe,
                "row": row.row,
                "first": pair.first,
                "second": pair.second,
                "unit": row.unit,
                "difference": plain(pair.difference),
                "low": plain(pair.interval.low),
                "high": plain(pair.interval.high),
                "p": plain(pair.p),
                "p_holm": plain(pair.p_holm),
                "better": pair.better,
            }
            for row in rows
            for pair in row.pairs
        ],
        schema=dict(PAIRS),
    )


def plain(number: Number) -> float | None:
    """The number, or None where it is undefined."""
    return number.value if number.defined else None


def _p_to_best(row: Row, column: str) -> float | None:
    if row.comparison is None or not row.group or column == row.group[0]:
        return None
    return plain(row.comparison.pair(row.group[0], column).p_holm)
