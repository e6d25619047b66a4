"""The layout of CaReCoS's and MedMosaic's tables: how well models sit an exam, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from raqa.reports.plots import BASELINE, INK, LINE, MODEL, empty_figure
from raqa.reports.recipes.asked import input_tables, silent_sentences
from raqa.reports.recipes.cells import RecipeFacts, ReportCell
from raqa.reports.recipes.exam_grid import Contest, Row, contests, make_places, make_rows
from raqa.reports.recipes.exam_table import (
    accuracy_table,
    chains_table,
    differences_table,
    percent,
    percent_interval,
    wording_table,
)
from raqa.reports.recipes.frame import base_report
from raqa.reports.recipes.glossary import EXAM_TERMS
from raqa.reports.recipes.place import signed_text
from raqa.reports.recipes.published import Published
from raqa.reports.recipes.records import cell_record
from raqa.reports.recipes.tables import Notes, Picture, RecipeReport, Shown, Table, joined, unique
from raqa.reports.text import interval_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def exam_report(
    recipe: RecipeFacts, cells: Sequence[ReportCell], published: Published
) -> RecipeReport:
    """The report of layout exam.

    Raises:
        UserError: two cells would stand in the same row.
    """
    rows = make_rows(cells, published)
    places = make_places(rows, recipe.parts, published)
    found = list(contests(rows))
    notes = Notes()
    table = accuracy_table(rows, places, notes, published)
    others = (
        differences_table(found, places, notes), wording_table(rows, notes),
        chains_table(rows, notes),
    )  # fmt: skip
    runs = {row.name: row.run for row in rows if row.run is not None}
    report = base_report(
        recipe, cells,
        summary=[*_summary(found), *silent_sentences(runs), *_remarks(rows)],
        tables=[table, *(one for one in others if one is not None), *input_tables(runs)],
        pictures=[_picture(rows, published)],
        pairs=(),
        notes=notes,
        records=[cell_record(recipe, row.cell, row.name) for row in rows[: len(cells)]],
    )  # fmt: skip
    return replace(report, overview=_overview(table), terms=EXAM_TERMS)


def _overview(table: Table) -> Table:
    """Numbers without what belongs to them: it fits a terminal."""
    rows = tuple(
        tuple(Shown((shown.lines[0].partition(" [")[0],)) for shown in row) for row in table.rows
    )
    return Table("overview", table.title, "", table.headings, rows)


def _summary(found: Sequence[Contest]) -> Iterator[str]:
    """Every contest over all questions, in words."""
    for contest in found:
        one = contest.differences.get(("all", "all"))
        if one is None or not one.difference.defined:
            continue
        better = {"first": f"{contest.first} is better", "second": f"{contest.second} is better"}
        ends = interval_text(percent_interval(one.interval), 1)
        yield (
            f"{contest.first} − {contest.second}: "
            f"{signed_text(percent(one.difference), 1)} per cent (95 % {ends}); "
            f"{better.get(one.better or '', 'they can not be told apart')}."
        )


def _remarks(rows: Sequence[Row]) -> Iterator[str]:
    """What must be known of the answers, and who judged them; what does not hold for all, names."""
    held: dict[str, list[str]] = {}
    done = [row for row in rows if row.run is not None]
    for row in done:
        assert row.run is not None
        judges = "; ".join(row.run.exam.judges) or "nobody"
        for remark in (*row.run.scores.remarks, f"Judged by {judges}."):
            held.setdefault(remark, []).append(row.name)
    for remark, names in held.items():
        yield remark if len(names) == len(done) else f"{joined(unique(names))}: {remark}"


def _picture(rows: Sequence[Row], published: Published) -> Picture:
    return Picture(
        "accuracy", "Accuracy over all questions",
        "Filled: ours with its 95 % interval over subjects; hollow: the published number.",
        partial(_draw, rows, published), broad=True,
    )  # fmt: skip


def _draw(rows: Sequence[Row], published: Published) -> Figure:
    figure, axes = empty_figure(6.4, 1.2 + 0.3 * len(rows))
    for place, row in enumerate(rows):
        theirs = published.exam(row.model, row.given, "all", "all")
        if theirs is not None:
            axes.plot(theirs, place, "D", color=BASELINE, markersize=5, markerfacecolor="none")
        part = row.run.exam.all if row.run is not None else None
        if part is None or not part.accuracy.mean.defined:
            continue
        ends = percent_interval(part.interval)
        if ends.low.defined:
            axes.plot([ends.low.value, ends.high.value], [place, place], color=MODEL, linewidth=2)
        axes.plot(percent(part.accuracy.mean).value, place, "o", color=MODEL, markersize=6)
    axes.set_yticks(range(len(rows)), [row.name for row in rows], color=INK)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("accuracy (%)")
    axes.grid(axis="x", color=LINE)
    return figure
