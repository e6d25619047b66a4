"""The transfer matrices of a cross recipe, one per task."""

from __future__ import annotations

from functools import partial

from raqa.metrics.number import Number
from raqa.reports.recipes.cells import errors_of
from raqa.reports.recipes.choice import by_validation, gap
from raqa.reports.recipes.grid import Grid, Row
from raqa.reports.recipes.matrix_figure import Transfer, transfer_matrix
from raqa.reports.recipes.tables import Picture
from raqa.reports.run_tables import Run
from raqa.reports.text import encoder_text, task_text


def matrices(grid: Grid) -> list[Picture]:
    """One transfer matrix per task, of the encoders chosen on validation."""
    pictures = []
    for task in dict.fromkeys(row.key[2] for row in grid.rows):
        rows = [row for row in grid.rows if row.key[2] == task]
        chosen = [(row, by_validation(row).run or row.shown) for row in rows]
        runs = [run for _, run in chosen if run is not None]
        if not runs:
            continue
        places = [_transfer(row, run) for row, run in chosen]
        unit = runs[0].provenance.unit
        pictures.append(
            Picture(
                f"transfer-{task}",
                f"Transfer between corpora: {task_text(runs[0].provenance)}",
                "MAE, gap to the target's own model and encoder. (?): the gap's interval includes "
                "0. The encoder is the one chosen on validation, else the smallest error of any.",
                partial(transfer_matrix, places, unit, runs),
            )
        )
    return pictures


def _transfer(row: Row, run: Run | None) -> Transfer:
    source, target, _ = row.key
    if run is None:
        missing = Number.undefined("no cell is done")
        return Transfer(source, target, "missing", missing, missing, missing, False)
    nothing = Number.undefined(gap(run).reason or "")
    return Transfer(
        source=source,
        target=target,
        encoder=encoder_text(run.provenance),
        mae=errors_of(run).mae.mean,
        own=run.transfer.own_error.mean if run.transfer else nothing,
        gap=gap(run),
        decided=run.transfer is not None and run.transfer.gap_interval.excludes_zero(),
    )
