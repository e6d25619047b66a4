"""The layouts with a column per encoder: Table 3 (corpus and task) and Table 4 (and head)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from raqa.metrics.number import Number
from raqa.reports.recipes.cells import RecipeFacts, ReportCell, errors_of, why_not_eligible
from raqa.reports.recipes.frame import base_report, row_pairs
from raqa.reports.recipes.grid import Grid, Row, make_grid
from raqa.reports.recipes.place import error_shown, number_shown, tested_shown
from raqa.reports.recipes.published import Published, PublishedError
from raqa.reports.recipes.records import record
from raqa.reports.recipes.run_pictures import run_pictures
from raqa.reports.recipes.tables import Heading, Notes, RecipeReport, Shown, Table
from raqa.reports.run_tables import Run
from raqa.reports.text import decimals, encoder_text, task_text

CAPTION = (
    "Mean absolute error on test recordings, mean ± SD over seeds; 95 % interval over subjects. "
    "Bold: the smallest error of the row and those that can not be told from it (paired bootstrap "
    "over subjects, Holm-corrected over all pairs of the row); random weights and encoders that "
    "saw the corpus before (†) can not be the best. Ratio: the best error over the baseline's."
)
PAPER = " Paper: the published number, and ours minus it."


def encoders_report(
    recipe: RecipeFacts, cells: Sequence[ReportCell], published: Published
) -> RecipeReport:
    """The report of layout within, or of layout heads: the same with a row per head."""
    heads = recipe.layout == "heads"
    grid = make_grid(cells, _with_head if heads else _without_head)
    notes = Notes()
    tables = [_table(grid, notes, published, heads=heads)]
    if heads:
        tables.append(_heads_table(cells))
    return base_report(
        recipe,
        cells,
        summary=_summary(grid),
        tables=tables,
        pictures=run_pictures(grid.rows),
        pairs=row_pairs(grid),
        notes=notes,
        records=[
            record(recipe, cell, name, row, _published(published, cell))
            for row in grid.rows
            for name, cell in row.cells.items()
        ],
    )


def _without_head(cell: ReportCell) -> tuple[str, ...]:
    return cell.corpus, cell.task


def _with_head(cell: ReportCell) -> tuple[str, ...]:
    return cell.corpus, cell.task, cell.head


def _published(published: Published, cell: ReportCell | None) -> PublishedError | None:
    if cell is None:
        return None
    return published.error(cell.corpus, cell.task, cell.head, cell.encoder)


def _table(grid: Grid, notes: Notes, published: Published, *, heads: bool) -> Table:
    labels = [("corpus", "whose recordings"), ("task", "what is predicted, and its unit")]
    labels += [("head", "what is trained on top of the encoder")] if heads else []
    headings = [Heading(text, meaning, text, numeric=False) for text, meaning in labels]
    headings.append(Heading("test n", "test recordings (subjects)", "n_test"))
    headings += [Heading(name, "MAE with this encoder", name) for name in grid.columns]
    headings += [
        Heading("best", "the smallest error that can be the best", "best", numeric=False),
        Heading("median", "MAE of the training median; ratio: the best error over it", "median"),
        Heading(
            "MAD", "mean absolute deviation of all labels; ratio: the best error over it", "mad"
        ),
    ]
    rows = tuple(_row(row, grid.columns, notes, published) for row in grid.rows)
    caption = CAPTION + (PAPER if published.errors else "")
    return Table("table", "Errors", caption, tuple(headings), rows)


def _row(row: Row, columns: Sequence[str], notes: Notes, published: Published) -> tuple[Shown, ...]:
    alone = row.comparison is None
    places = [
        error_shown(
            row.cells.get(name),
            notes,
            published=_published(published, row.cells.get(name)),
            best=name in row.marked,
            tested=alone,
        )
        for name in columns
    ]
    first = row.shown
    labels = [Shown.label(text) for text in row.key]
    if first is not None:
        labels[1] = Shown((task_text(first.provenance),), values={"": row.key[1]})
    return (*labels, _tested(row, notes), *places, *_baselines(row, notes))


def _tested(row: Row, notes: Notes) -> Shown:
    """How many all were tested on; where they were not the same, each cell says its own."""
    if row.comparison is None or row.shown is None:
        return Shown((f"n/a {notes.mark(row.why_not or 'no cell is done')}",), values={"": None})
    return tested_shown(row.shown)


def _baselines(row: Row, notes: Notes) -> tuple[Shown, ...]:
    if row.shown is None:
        return (number_shown(Number.undefined("no cell is done"), notes, 2),) * 3
    best = row.best
    name = (
        Shown((encoder_text(best.provenance),), values={"": row.group[0]})
        if best
        else Shown((f"n/a {notes.mark(row.why_not or why_not_eligible(row.runs.values()))}",))
    )
    return (
        name,
        _baseline(row, lambda run: errors_of(run).median_mae, notes),
        _baseline(row, lambda run: errors_of(run).mad, notes),
    )


def _baseline(row: Row, pick: Callable[[Run], Number], notes: Notes) -> Shown:
    """A baseline's error, and the best error of the row over it: below 1 is better."""
    assert row.shown is not None
    shown = number_shown(pick(row.shown), notes, decimals(row.shown.provenance.unit))
    ratio = number_shown(row.ratio(pick), notes, 3)
    values = {**shown.values, "best_over": ratio.values[""]}
    return replace(shown, lines=(*shown.lines, f"ratio {ratio.lines[0]}"), values=values)


def _heads_table(cells: Sequence[ReportCell]) -> Table:
    """How often each head is the best for an encoder, corpus and task."""
    grid = make_grid(
        cells, lambda cell: (cell.corpus, cell.task, cell.encoder), lambda cell: cell.head
    )
    contests = [row for row in grid.rows if len(row.runs) > 1 and row.comparison is not None]
    rows = []
    for head in grid.columns:
        entered = [row for row in contests if head in row.runs]
        smallest = sum(_smallest(row) == head for row in entered)
        told = sum(head in _head_group(row) for row in entered)
        alone = sum(_head_group(row) == (head,) for row in entered)
        rows.append(
            (
                Shown.label(head),
                *(
                    Shown((f"{count} of {len(entered)}",), float(count), values={"": count})
                    for count in (smallest, told, alone)
                ),
            )
        )
    headings = (
        Heading("head", "what is trained on top of the encoder", "head", numeric=False),
        Heading("smallest error", "as papers count", "smallest"),
        Heading("not told from the smallest", "paired test over subjects", "best_group"),
        Heading("better than all others", "paired test over subjects", "alone"),
    )
    caption = (
        "Heads against each other, separately for every corpus, task and encoder for which at "
        "least two are done."
    )
    return Table("heads", "Which head", caption, headings, tuple(rows))


def _smallest(row: Row) -> str:
    return min(row.runs, key=lambda name: errors_of(row.runs[name]).mae.mean.value)


def _head_group(row: Row) -> tuple[str, ...]:
    """Heads of one encoder, so that what the encoder saw before concerns all of them alike."""
    return row.comparison.best(row.runs) if row.comparison else ()


def _summary(grid: Grid) -> list[str]:
    contests = [row for row in grid.rows if row.group and len(row.candidates) > 1]
    lonely = [row for row in grid.rows if row.marked and len(row.candidates) == 1]
    alone = sum(len(row.group) == 1 for row in contests)
    real = [run for run in _runs(grid) if run.provenance.weights_real]
    above = sum(errors_of(run).against_baseline == "above" for run in real)
    found = []
    if contests:
        others = "" if alone == len(contests) else "; in the others several can not be told apart"
        found.append(
            f"In {alone} of {len(contests)} rows one encoder is better than every other that can "
            f"be the best{others}."
        )
    if lonely:
        found.append(
            f"In {len(lonely)} of {len(grid.rows)} rows only one of the finished encoders can be "
            "the best."
        )
    if real:
        found.append(f"{above} of {len(real)} results are above the training median.")
    return found


def _runs(grid: Grid) -> list[Run]:
    return [run for row in grid.rows for run in row.runs.values()]
