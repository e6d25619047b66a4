"""The layout of Figure 2: what is learnt from few training subjects, and whether anything is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from raqa.metrics.compare import Pair
from raqa.metrics.number import Number
from raqa.reports.recipes.cells import RecipeFacts, ReportCell, errors_of
from raqa.reports.recipes.curves_figure import Curve, CurvePoint, curves_figure
from raqa.reports.recipes.frame import base_report
from raqa.reports.recipes.grid import Row, make_grid
from raqa.reports.recipes.place import (
    NOT_ASKED,
    interval_shown,
    number_shown,
    random,
    signed_text,
    tested_shown,
)
from raqa.reports.recipes.pooled import Pooled
from raqa.reports.recipes.published import Published
from raqa.reports.recipes.records import plain, record
from raqa.reports.recipes.run_pictures import run_pictures
from raqa.reports.recipes.tables import (
    Heading,
    Notes,
    Picture,
    RecipeReport,
    RowPairs,
    Shown,
    Table,
    unique,
)
from raqa.reports.recipes.training_curves import TrainingCurve, amount, training_curves
from raqa.reports.text import decimals, number_text, seeds_text, task_text, unit_text

CAPTION = (
    "Mean absolute error on the same test recordings, mean ± SD over seeds and random subsets, 95 "
    "% interval over test subjects; spread: SD of the predictions over SD of the labels. A curve "
    "can be flat because the model never left the mean: then the spread is near 0. Fewest to most: "
    "the error with the most subjects minus that with the fewest, paired; below 0 more subjects "
    "helped. Equal epochs: fewer subjects are also fewer updates; equal updates: they are not."
)


def low_n_report(recipe: RecipeFacts, cells: Sequence[ReportCell], _: Published) -> RecipeReport:
    """The report of layout low_n."""
    curves = training_curves(cells)
    sizes = sorted({cell.size for cell in cells}, key=amount)
    notes, nothing = Notes(), Row((), {}, None, None, ())
    return base_report(
        recipe,
        cells,
        summary=[_verdict(curve) for curve in curves if isinstance(curve.change, Pair)],
        tables=[_table(curves, sizes, notes)],
        pictures=[*_pictures(curves), *_largest(cells, sizes[-1])],
        pairs=[
            RowPairs(", ".join(_key(curve)), (curve.change,), curve.run.provenance.unit)
            for curve in curves
            if isinstance(curve.change, Pair) and curve.run
        ],
        notes=notes,
        records=[record(recipe, cell, cell.size, nothing, None) for cell in cells],
    )


def _key(curve: TrainingCurve) -> tuple[str, str, str, str]:
    return curve.corpus, curve.task, curve.name, curve.trained_for


def _table(curves: Sequence[TrainingCurve], sizes: Sequence[str], notes: Notes) -> Table:
    headings = (
        Heading("corpus", "whose recordings", "corpus", numeric=False),
        Heading("task", "what is predicted, and its unit", "task", numeric=False),
        Heading("encoder", "what turns sound into numbers", "encoder", numeric=False),
        Heading("trained for", "equal epochs or equal updates", "trained_for", numeric=False),
        *(Heading(size, "MAE with so many training subjects", f"n_{size}") for size in sizes),
        Heading("fewest to most", "difference, 95 % interval; below 0: more helped", "change"),
        Heading("median", "MAE of the training median, most subjects", "median"),
        Heading("test n", "recordings (subjects); validation is whole at every size", "n_test"),
    )
    rows = tuple(
        (
            *_labels(curve),
            *(_place(curve, size, notes) for size in sizes),
            _change(curve, notes),
            *_sides(curve, notes),
        )
        for curve in curves
    )
    return Table("table", "Error with fewer training subjects", CAPTION, headings, rows)


def _labels(curve: TrainingCurve) -> tuple[Shown, ...]:
    task = task_text(curve.run.provenance) if curve.run else curve.task
    return (
        Shown.label(curve.corpus),
        Shown((task,), values={"": curve.task}),
        Shown((curve.marked_name,), values={"": curve.name}),
        Shown.label(curve.trained_for),
    )


def _place(curve: TrainingCurve, size: str, notes: Notes) -> Shown:
    """One size of one curve; subsets that are missing are said."""
    if size not in curve.cells:
        return NOT_ASKED
    cells, pooled = curve.cells[size], curve.done.get(size)
    causes = unique(cell.problem or "" for cell in cells if cell.run is None)
    marks = " ".join(notes.mark(cause) for cause in causes)
    if pooled is None:
        return Shown((f"missing {marks}",), values={"problem": "; ".join(causes)})
    caveats = _caveats(pooled)
    if causes:
        missing = sum(cell.run is None for cell in cells)
        caveats.append(f"{missing} of {len(cells)} subsets missing {marks}")
    places = decimals(pooled.runs[0].provenance.unit)
    lines = (
        seeds_text(pooled.mae, places),
        f"95 % {interval_shown(pooled.interval, notes, places)}",
        f"spread {number_text(pooled.spread.mean)}",
        *([] if size.isdigit() else [f"{pooled.subjects:,.0f} subjects"]),
        *caveats,
    )
    values = {
        "": plain(pooled.mae.mean),
        "sd": plain(pooled.mae.sd),
        "low": plain(pooled.interval.low),
        "high": plain(pooled.interval.high),
        "spread": plain(pooled.spread.mean),
        "subjects": pooled.subjects,
        "flags": "; ".join(caveats) or None,
    }
    return Shown(lines, pooled.mae.mean.value, False, random(pooled.runs[0]), values)


def _caveats(pooled: Pooled) -> list[str]:
    found = ["random weights"] if random(pooled.runs[0]) else []
    if pooled.collapsed:
        found.append(f"collapsed {pooled.collapsed} of {len(pooled.mae.by_seed)}")
    return found


def _change(curve: TrainingCurve, notes: Notes) -> Shown:
    pair = curve.change
    if not isinstance(pair, Pair) or curve.run is None:
        return number_shown(pair, notes, 2) if isinstance(pair, Number) else NOT_ASKED
    places = decimals(curve.run.provenance.unit)
    values = {
        "": plain(pair.difference),
        "low": plain(pair.interval.low),
        "high": plain(pair.interval.high),
        "p": plain(pair.p),
    }
    lines = (
        signed_text(pair.difference, places),
        f"95 % {interval_shown(pair.interval, notes, places)}",
    )
    return Shown(lines, pair.difference.value, random=random(curve.run), values=values)


def _sides(curve: TrainingCurve, notes: Notes) -> tuple[Shown, Shown]:
    """The baseline with the most subjects, and how many were tested and validated on."""
    if curve.run is None:
        nothing = number_shown(Number.undefined("no cell is done"), notes, 2)
        return nothing, nothing
    scores, places = curve.run.scores, decimals(curve.run.provenance.unit)
    recordings, subjects = scores.recordings["validation"], scores.subjects["validation"]
    tested = tested_shown(curve.run)
    both = replace(
        tested,
        lines=(*tested.lines, f"validation {recordings:,} ({subjects:,})"),
        values={**tested.values, "validation": recordings, "validation_subjects": subjects},
    )
    return number_shown(errors_of(curve.run).median_mae, notes, places), both


def _pictures(curves: Sequence[TrainingCurve]) -> list[Picture]:
    """One figure per corpus and task."""
    pictures: list[Picture] = []
    for corpus, task in unique((curve.corpus, curve.task) for curve in curves):
        inside = [one for one in curves if (one.corpus, one.task) == (corpus, task) and one.done]
        runs = [run for curve in inside for pooled in curve.done.values() for run in pooled.runs]
        if not runs:
            continue
        most = max(runs, key=lambda run: run.scores.subjects["train"])
        validation = f"{most.scores.subjects['validation']:,}"
        pictures.append(
            Picture(
                f"curves-{len(pictures) + 1}",
                f"Few training subjects: {task_text(most.provenance)} from {corpus}",
                "Bands: 95 % interval over test subjects; bars: SD over seeds and subsets. Below: "
                "the spread of the predictions; near 0 the model says nearly the same for "
                f"everyone. Validation is whole at every size ({validation} subjects).",
                partial(
                    curves_figure,
                    [_drawn(curve) for curve in inside],
                    errors_of(most).median_mae,
                    unit_text(most.provenance.unit),
                    runs,
                ),
                broad=True,
            )
        )
    return pictures


def _drawn(curve: TrainingCurve) -> Curve:
    points = tuple(
        CurvePoint(
            pooled.subjects,
            pooled.mae.mean.value,
            pooled.interval.low.value,
            pooled.interval.high.value,
            pooled.mae.sd.value,
            pooled.spread.mean.value,
        )
        for pooled in curve.done.values()
    )
    untrained = random(curve.run)
    name = f"{curve.marked_name}{' (random weights)' if untrained else ''}"
    return Curve(name, curve.trained_for, points, untrained)


def _largest(cells: Sequence[ReportCell], size: str) -> list[Picture]:
    """Errors, predictions and groups with the most subjects: of each encoder the first finished."""
    finished = [cell for cell in cells if cell.size == size and cell.run is not None]
    first: dict[tuple[str, ...], ReportCell] = {}
    for cell in sorted(finished, key=lambda one: one.equal_updates):
        first.setdefault((cell.corpus, cell.task, cell.head, cell.encoder), cell)
    grid = make_grid(list(first.values()), lambda cell: (cell.corpus, cell.task, cell.head))
    return run_pictures(grid.rows)


def _verdict(curve: TrainingCurve) -> str:
    pair = curve.change
    assert isinstance(pair, Pair)
    assert curve.run is not None
    unit = curve.run.provenance.unit
    amount_text = f"{signed_text(pair.difference, decimals(unit))} {unit_text(unit)}".rstrip()
    what = (
        f"{', '.join(_key(curve))}: from {pair.second} to {pair.first} subjects the error changes "
        f"by {amount_text}"
    )
    if pair.better is None:
        return f"{what}, which can not be told from no change."
    return f"{what}, for the {'better' if pair.better == pair.first else 'worse'}."
