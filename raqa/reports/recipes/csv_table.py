"""A recipe's table as plain values: the paper's rows and columns, a column per number of a cell."""

from __future__ import annotations

import polars as pl

from raqa.reports.recipes.tables import Plain, RecipeReport, Table, unique


def csv_table(report: RecipeReport, table: Table) -> str:
    """Render one table; undefined numbers are empty and `watermark` says what numbers are not."""
    return plain_table(report, table).write_csv()


def plain_table(report: RecipeReport, table: Table) -> pl.DataFrame:
    """One table with a column per number of a cell; undefined numbers are null."""
    columns: dict[str, list[Plain]] = {}
    for place, heading in enumerate(table.headings):
        shown = [row[place] for row in table.rows]
        for end in unique(key for one in shown for key in one.values) or [""]:
            name = f"{heading.name}_{end}" if end else heading.name
            columns[name] = [one.values.get(end) for one in shown]
    if report.watermarks:
        columns["watermark"] = [" ".join(report.watermarks)] * len(table.rows)
    return pl.DataFrame([pl.Series(name, values, strict=False) for name, values in columns.items()])
