"""Figures per corpus and task: errors side by side, predictions and groups of the best run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from raqa.metrics.groups import errors_by_group
from raqa.reports.plots import comparison, error_by_group, predicted_against_true
from raqa.reports.recipes.cells import errors_of
from raqa.reports.recipes.figure_marks import marked
from raqa.reports.recipes.grid import Row
from raqa.reports.recipes.tables import Picture
from raqa.reports.run_tables import Run
from raqa.reports.text import corpus_text, encoder_text, task_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run_pictures(rows: Sequence[Row]) -> list[Picture]:
    """Per corpus and task: all errors side by side, then the best run's predictions and groups."""
    pictures = []
    for place, (title, inside) in enumerate(_settings(rows).items(), start=1):
        runs = [run for row in inside for run in row.runs.values()]
        names = [_name(run, runs) for run in runs]
        if len(runs) > 1:
            pictures.append(
                Picture(
                    f"errors-{place}",
                    f"Errors: {title}",
                    "Mean absolute error with its 95 % interval over subjects.",
                    partial(_compared, runs, names),
                )
            )
        best = min(
            (row.best or row.shown for row in inside if row.shown),
            key=lambda run: errors_of(run).mae.mean.value if run else np.inf,
        )
        assert best is not None
        pictures += _of_run(best, place, title, _name(best, runs))
    return pictures


def _compared(runs: Sequence[Run], names: Sequence[str]) -> Figure:
    return marked(comparison(runs, names), runs)


def _of_run(run: Run, place: int, title: str, name: str) -> list[Picture]:
    groups = errors_by_group(
        run.predictions,
        run.fold,
        run.provenance.task,
        resamples=run.scores.resamples,
        bootstrap_seed=run.scores.bootstrap_seed,
    )
    pictures = [
        Picture(
            f"predicted-{place}",
            f"Predicted against true: {title}",
            f"{name}. One dot per test recording, averaged over seeds.",
            partial(predicted_against_true, run),
        )
    ]
    if groups:
        pictures.append(
            Picture(
                f"groups-{place}",
                f"Error by age and sex: {title}",
                f"{name}. Mean absolute error within each group, 95 % interval over subjects.",
                partial(error_by_group, run, groups),
            )
        )
    return pictures


def _settings(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Rows by corpus and task, those without any run left out (the table says why)."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.shown is not None:
            facts = row.shown.provenance
            found.setdefault(f"{task_text(facts)} from {corpus_text(facts)}", []).append(row)
    return found


def _name(run: Run, others: Sequence[Run]) -> str:
    """By encoder, and by head where there are several."""
    name = encoder_text(run.provenance)
    heads = {other.provenance.head for other in others}
    return f"{name} · {run.provenance.head}" if len(heads) > 1 else name
