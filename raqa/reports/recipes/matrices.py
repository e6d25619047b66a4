"""The transfer matrices of a cross recipe, one per task."""

from __future__ import annotations

from functools import partial

from raqa.metrics.number import Number
from raqa.reports.recipes.cells import errors_of
from raqa.reports.recipes.choice import by_validation, gap
from raqa.reports.recipes.grid import Grid, Row
from raqa.reports.recipes.matrix_figure import Transfer, transfer_matrix
from raqa.reports.recipes.tables import Picture
from raqa.reports.run_folder import Run
from raqa.reports.text import encoder_text, task_text


def matrices(grid: Grid) -> list[Picture]:
    """One transfer matrix per task, of the encoders chosen on validation."""
    pictures = []
    for task in dict.fromkeys(row.key[2] for row in grid.rows):
        rows = [row for row in grid.rows if row.key[2] == task]
        chosen = [(row, run) for row in rows if (run := by_validation(row).run or row.shown)]
        if not chosen:
            continue
        runs = [run for _, run in chosen]
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


def _transfer(row: Row, run: Run) -> Transfer:
    decided = run.transfer is not None and run.transfer.gap_interval.excludes_zero()
    name = encoder_text(run.provenance)
    own = run.transfer.own_error.mean if run.transfer else Number.undefined(gap(run).reason or "")
    error = errors_of(run).mae.mean
    return Transfer(row.key[0], row.key[1], name, error, own, gap(run), decided)
