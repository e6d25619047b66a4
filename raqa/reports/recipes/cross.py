"""The layout of Table 5: trained on one corpus, tested on another, direction by direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raqa.metrics.number import Number
from raqa.reports.recipes.cells import RecipeFacts, ReportCell, errors_of, validation_error
from raqa.reports.recipes.choice import Chosen, by_test, by_validation, gap
from raqa.reports.recipes.frame import base_report, row_pairs
from raqa.reports.recipes.grid import Grid, Row, make_grid
from raqa.reports.recipes.matrices import matrices
from raqa.reports.recipes.place import (
    error_shown,
    flags,
    interval_shown,
    number_shown,
    random,
    signed_text,
    tested_shown,
)
from raqa.reports.recipes.published import (
    Published,
    PublishedDirection,
    PublishedError,
    published_text,
)
from raqa.reports.recipes.records import plain, record
from raqa.reports.recipes.run_pictures import run_pictures
from raqa.reports.recipes.tables import Heading, Notes, Plain, RecipeReport, Shown, Table
from raqa.reports.run_tables import Run
from raqa.reports.text import decimals, encoder_text, number_text, seeds_text, task_text, unit_text

CHOSEN = (
    "One encoder per direction. Ours is chosen by its error on the training corpus's validation "
    "side, before the target is seen. The paper's way takes the smallest test error, so its "
    "number is too good by the choice; it stands here to be compared with the paper's. Own: the "
    "same encoder, head and seeds trained on the target itself. Gap: cross minus own on the same "
    "test recordings, 95 % interval over subjects, paired; above 0 transfer costs."
)
EVERY = (
    "Every encoder: cross MAE ± SD over seeds, 95 % interval over subjects, and the gap to the "
    "target's own model. Bold: the smallest error of the direction and those that can not be told "
    "from it (paired bootstrap over subjects, Holm-corrected over all pairs of the row)."
)
_LABELS = (
    Heading("trained on", "the source: training and validation", "source", numeric=False),
    Heading("tested on", "the target: its test side, nothing else", "target", numeric=False),
    Heading("task", "what is predicted, and its unit", "task", numeric=False),
)


def cross_report(
    recipe: RecipeFacts, cells: Sequence[ReportCell], published: Published
) -> RecipeReport:
    """The report of layout cross."""
    heads = len({cell.head for cell in cells}) > 1
    grid = make_grid(
        cells,
        lambda cell: (cell.corpus, cell.target, cell.task),
        lambda cell: f"{cell.encoder} · {cell.head}" if heads else cell.encoder,
    )
    notes = Notes()
    records = [
        record(recipe, cell, name, row, _published_error(published, cell))
        for row in grid.rows
        for name, cell in row.cells.items()
    ]
    return base_report(
        recipe,
        cells,
        summary=_summary(grid),
        tables=[_chosen_table(grid, notes, published), _every_table(grid, notes)],
        pictures=[*matrices(grid), *run_pictures(grid.rows)],
        pairs=row_pairs(grid),
        notes=notes,
        records=records,
    )


def _chosen_table(grid: Grid, notes: Notes, published: Published) -> Table:
    headings: tuple[Heading, ...] = (
        *_LABELS,
        Heading("test n", "test recordings (subjects)", "n_test"),
        Heading("encoder", "chosen on the source's validation side", "encoder", numeric=False),
        Heading("cross MAE", "of that encoder, trained on the source", "cross_mae"),
        Heading("own MAE", "of the same encoder, trained on the target", "own_mae"),
        Heading("gap", "cross minus own, 95 % interval", "gap"),
        Heading("medians", "MAE of the source's and the target's training median", "medians"),
        Heading("paper's way", "encoder of the smallest test error: too good", "by_test"),
        Heading("paper", "its encoder and numbers, and ours by its way minus them", "paper"),
    )
    rows = tuple(_chosen_row(row, notes, published) for row in grid.rows)
    if not published.directions:
        headings, rows = headings[:-1], tuple(row[:-1] for row in rows)
    return Table("table", "One encoder per direction", CHOSEN, headings, rows)


def _chosen_row(row: Row, notes: Notes, published: Published) -> tuple[Shown, ...]:
    ours, paper = by_validation(row), by_test(row)
    return (
        *_labels(row),
        _tested(row, notes),
        _encoder(ours, notes),
        *_errors(ours, notes),
        _medians(row.shown, notes),
        _by_test(paper, notes),
        _printed(paper, published.directions.get((row.key[0], row.key[1]))),
    )


def _labels(row: Row) -> tuple[Shown, ...]:
    source, target, task = row.key
    shown = task_text(row.shown.provenance) if row.shown else task
    return Shown.label(source), Shown.label(target), Shown((shown,), values={"": task})


def _tested(row: Row, notes: Notes) -> Shown:
    if row.shown is None:
        return Shown((f"n/a {notes.mark(row.why_not or '')}",), values={"": None})
    return tested_shown(row.shown)


def _encoder(chosen: Chosen, notes: Notes) -> Shown:
    if chosen.run is None:
        return Shown((f"n/a {notes.mark(chosen.reason or '')}",), values={"": None})
    facts, error = chosen.run.provenance, validation_error(chosen.run)
    words = (
        encoder_text(facts),
        f"validation {number_text(error, decimals(facts.unit))}",
        *flags(chosen.run),
    )
    return Shown(words, values={"": facts.encoder, "validation_mae": plain(error)})


def _errors(chosen: Chosen, notes: Notes) -> tuple[Shown, Shown, Shown]:
    """Cross, own and gap of the chosen run."""
    run = chosen.run
    if run is None:
        nothing = number_shown(Number.undefined(chosen.reason or ""), notes, 2)
        return nothing, nothing, nothing
    places = decimals(run.provenance.unit)
    mean = errors_of(run).mae.mean
    cross = Shown(
        (
            seeds_text(errors_of(run).mae, places),
            f"95 % {interval_shown(errors_of(run).mae_interval, notes, places)}",
        ),
        mean.value,
        random=random(run),
        values={"": plain(mean), "sd": plain(errors_of(run).mae.sd)},
    )
    if run.transfer is None:
        nothing = number_shown(gap(run), notes, places)
        return cross, nothing, nothing
    own = run.transfer.own_error
    return (
        cross,
        Shown((seeds_text(own, places),), own.mean.value, values={"": plain(own.mean)}),
        _gap_shown(run, notes),
    )


def _gap_shown(run: Run, notes: Notes) -> Shown:
    number, places = gap(run), decimals(run.provenance.unit)
    if run.transfer is None or not number.defined:
        return number_shown(number, notes, places)
    ends = run.transfer.gap_interval
    return Shown(
        (signed_text(number, places), f"95 % {interval_shown(ends, notes, places)}"),
        number.value,
        random=random(run),
        values={"": number.value, "low": plain(ends.low), "high": plain(ends.high)},
    )


def _medians(run: Run | None, notes: Notes) -> Shown:
    """What saying the training median of the source, and of the target, would have given."""
    if run is None:
        return number_shown(Number.undefined("no cell is done"), notes, 2)
    places, source = decimals(run.provenance.unit), errors_of(run).median_mae
    target = run.transfer.own_baseline if run.transfer else Number.undefined(gap(run).reason or "")
    texts = [number_shown(number, notes, places).lines[0] for number in (source, target)]
    values = {"source": plain(source), "target": plain(target)}
    return Shown((f"source {texts[0]}", f"target {texts[1]}"), plain(source), values=values)


def _by_test(chosen: Chosen, notes: Notes) -> Shown:
    """The encoder that the paper's rule picks, with its errors in smaller type."""
    run = chosen.run
    if run is None:
        return Shown((f"n/a {notes.mark(chosen.reason or '')}",), values={"": None})
    cross, own, cost = _errors(chosen, notes)
    return Shown(
        (
            encoder_text(run.provenance),
            f"cross {cross.lines[0]}",
            f"own {own.lines[0]}",
            f"gap {cost.lines[0]}",
        ),
        cross.order,
        values={
            "": run.provenance.encoder,
            "cross_mae": cross.order,
            "own_mae": own.order,
            "gap": cost.order,
        },
    )


def _printed(chosen: Chosen, theirs: PublishedDirection | None) -> Shown:
    """The paper's row, and ours chosen in its way minus it; its encoder may be another."""
    if theirs is None:
        return Shown(("",), values={})
    ours = None if chosen.run is None else errors_of(chosen.run).mae.mean
    cost = None if chosen.run is None else gap(chosen.run)
    lines = [theirs.encoder]
    values: dict[str, Plain] = {"encoder": theirs.encoder, "within_mae": theirs.within}
    for name, number, printed in (("cross", ours, theirs.cross), ("gap", cost, theirs.gap)):
        minus = number.value - printed if number is not None and number.defined else None
        beside = "" if minus is None else f", {signed_text(Number(minus), 2)}"
        lines.append(f"{name} {published_text(printed)}{beside}")
        values |= {name: printed, f"minus_{name}": minus}
    lines.insert(2, f"own {published_text(theirs.within)}")
    return Shown(tuple(lines), theirs.cross, values=values)


def _every_table(grid: Grid, notes: Notes) -> Table:
    headings = (*_LABELS, *(Heading(name, "cross MAE", name) for name in grid.columns))
    rows = tuple(
        (*_labels(row), *(_place(row, name, notes) for name in grid.columns)) for row in grid.rows
    )
    return Table("encoders", "Every encoder in every direction", EVERY, headings, rows)


def _place(row: Row, name: str, notes: Notes) -> Shown:
    cell = row.cells.get(name)
    shown = error_shown(cell, notes, best=name in row.marked, tested=row.comparison is None)
    if cell is None or cell.run is None:
        return shown
    cost = _gap_shown(cell.run, notes)
    values = {f"gap_{key}" if key else "gap": value for key, value in cost.values.items()}
    line = f"gap {cost.lines[0]}" + (f" ({cost.lines[1]})" if cost.lines[1:] else "")
    return replace(shown, lines=(*shown.lines, line), values={**shown.values, **values})


def _published_error(published: Published, cell: ReportCell) -> PublishedError | None:
    """The paper's cross error, for the encoder that it shows."""
    one = published.directions.get((cell.corpus, cell.target))
    return PublishedError(one.cross) if one and one.encoder == cell.encoder else None


def _summary(grid: Grid) -> list[str]:
    found = []
    for row in grid.rows:
        run = by_validation(row).run
        if run is None or run.transfer is None or not gap(run).defined:
            continue
        unit, ends = unit_text(run.provenance.unit), run.transfer.gap_interval
        places = decimals(run.provenance.unit)
        verdict = "costs" if gap(run).value > 0 else "gains"
        told = verdict if ends.excludes_zero() else "can not be told from none"
        found.append(
            f"{row.key[0]} → {row.key[1]} ({row.key[2]}): transfer {told}, gap "
            f"{signed_text(gap(run), places)} {unit}".rstrip()
            + f" with {run.provenance.encoder}."
        )
    return found
