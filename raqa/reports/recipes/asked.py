"""What a recipe's report says of responders that were asked: by input, and beside the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raqa.reports.asked.inputs import Grid, Inputs, Place, inputs_of
from raqa.reports.asked.silent import silent_text
from raqa.reports.columns import Cell
from raqa.reports.recipes.tables import Heading, Plain, Shown, Table
from raqa.reports.run_tables import Run

HEARING = "head.hearing.given"


def silent_partners(choices: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """Columns of cells that are given something, each with that of the same one given nothing.

    Args:
        choices: of cells by column.
    """
    for name, chosen in choices.items():
        if chosen.get(HEARING, "none") == "none":
            continue
        wanted = {**chosen, HEARING: "none"}
        for other, theirs in choices.items():
            if dict(theirs) == wanted:
                yield name, other


def silent_sentences(runs: Mapping[str, Run]) -> Iterator[str]:
    """What is said of the no-audio baseline of every run that asked, by column."""
    for name, run in runs.items():
        text = silent_text(run, list(runs.values()))
        if text is not None:
            yield f"{name}: {text}"


def input_tables(runs: Mapping[str, Run]) -> list[Table]:
    """By responder, what it reached with each input, and inputs against each other."""
    found = []
    for number, inputs in enumerate(inputs_of(list(runs.values())), start=1):
        for name, grid in (("inputs", inputs.inputs), ("input_pairs", inputs.pairs)):
            if grid is not None:
                found.append(_table(f"{name}_{number}", inputs, grid))
    return found


def _table(name: str, inputs: Inputs, grid: Grid) -> Table:
    headings = tuple(Heading(one.text, one.meaning, one.name, one.numeric) for one in grid.headings)
    rows = tuple(
        tuple(_shown(cell, numeric=one.numeric)
              for one, cell in zip(grid.headings, row, strict=True))
        for row in grid.rows
    )  # fmt: skip
    title = f"{inputs.responder}: {grid.title.lower() or 'by input'}"
    return Table(name, title, grid.caption, headings, rows)


def _shown(cell: Cell, *, numeric: bool) -> Shown:
    values: dict[str, Plain] = {"": cell.order if numeric else cell.text}
    first, _, ends = cell.text.partition(" (")
    if not isinstance(cell, Place):
        return Shown((cell.text,), cell.order, values=values)
    values |= {"low": cell.low, "high": cell.high}
    return Shown((first, f"95 % {ends.removesuffix(')')}"), cell.order, values=values)
