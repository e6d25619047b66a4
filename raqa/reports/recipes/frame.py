"""What every recipe's report has: watermarks, how much is done, footnotes, pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raqa.configuration.unused import NO_ENCODER
from raqa.encoders.pretraining import footnotes
from raqa.metrics.compare import Comparison
from raqa.reports.recipes.cells import RecipeFacts, ReportCell
from raqa.reports.recipes.grid import Grid
from raqa.reports.recipes.tables import (
    Notes,
    Picture,
    RecipeReport,
    RowPairs,
    Table,
    joined,
    unique,
)


def base_report(
    recipe: RecipeFacts,
    cells: Sequence[ReportCell],
    *,
    summary: Sequence[str],
    tables: Sequence[Table],
    pictures: Sequence[Picture],
    pairs: Sequence[RowPairs],
    notes: Notes,
    records: Sequence[Mapping[str, Any]],
) -> RecipeReport:
    """Put a report together, with what all layouts say."""
    runs = [cell.run for cell in cells if cell.run is not None]
    known = [run.provenance for run in runs]
    real = [one for one in known if one.weights_real and one.encoder != NO_ENCODER]
    return RecipeReport(
        name=recipe.name,
        title=recipe.title,
        watermarks=tuple(_watermarks(cells)),
        summary=(_done(cells), *summary),
        tables=tuple(tables),
        pictures=tuple(pictures),
        pairs=tuple(pairs),
        notes=tuple(notes.texts),
        footnotes=tuple(
            footnotes((facts.encoder, facts.tested_on or facts.corpus) for facts in real)
        ),
        records=tuple(records),
    )


def row_pairs(grid: Grid) -> list[RowPairs]:
    """The pairs of every row that could be compared."""
    return [
        pairs_of(", ".join(row.key), row.comparison, row.shown.provenance.unit)
        for row in grid.rows
        if row.comparison is not None and row.comparison.pairs and row.shown is not None
    ]


def pairs_of(row: str, comparison: Comparison, unit: str | None) -> RowPairs:
    """A comparison's pairs under the name of their row."""
    return RowPairs(row, comparison.pairs, unit)


def _watermarks(cells: Sequence[ReportCell]) -> list[str]:
    runs = [cell.run for cell in cells if cell.run is not None]
    untrained = unique(run.provenance.encoder for run in runs if not run.provenance.weights_real)
    made = unique(run.provenance.corpus for run in runs if run.provenance.synthetic)
    found = []
    if untrained:
        found.append(
            f"Random weights: cells of {joined(untrained)} that say so are of an encoder that was "
            "never trained. They are not results."
        )
    if made:
        found.append(f"Synthetic data: nothing here is about people ({joined(made)}).")
    return found


def _done(cells: Sequence[ReportCell]) -> str:
    done = sum(cell.run is not None for cell in cells)
    if done == len(cells):
        return f"All cells are done ({done})."
    return (
        f"{done} of {len(cells)} cells are done; the others are shown as missing, with the cause."
    )
