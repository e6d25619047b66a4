"""The CSV files of a report that are about answers: every part of the questions, every input."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from raqa.display import csv_cell
from raqa.metrics.questions import scores_table
from raqa.reports.asked.inputs import Grid, Inputs
from raqa.reports.content import Content


def answer_files(content: Content) -> dict[str, str]:
    """Texts by the name of their file; only of what the report has."""
    found = {}
    answering = {
        view.run.provenance.run: view.run.answering.answers
        for view in content.views
        if view.run.scores.kind == "questions"
    }
    if answering:
        found["parts.csv"] = scores_table(answering).rename({"model": "run"}).write_csv()
    if content.inputs:
        found["inputs.csv"] = _grids([(one, one.inputs) for one in content.inputs])
        pairs = [(one, one.pairs) for one in content.inputs if one.pairs is not None]
        if pairs:
            found["input_pairs.csv"] = _grids(pairs)
    return found


def _grids(grids: Sequence[tuple[Inputs, Grid]]) -> str:
    """Rows of several tables below each other, as they are shown."""
    rows = [
        {"responder": csv_cell(inputs.responder), "asked": inputs.asked, **record}
        for inputs, grid in grids
        for record in grid.records()
    ]
    return pl.DataFrame(rows, infer_schema_length=None).write_csv()
