"""The picture of a run that sat an exam."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raqa.reports.exam_report import part_text, shown_parts
from raqa.reports.plots import BASELINE, INK, LINE, MODEL, empty_figure, mark_untrained
from raqa.reports.run_tables import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST = 40  # parts in one picture


def by_part(run: Run) -> Figure:
    """Accuracy of every part with its interval, and the chance level where there is one."""
    parts = [part for part in shown_parts(run.exam) if part.accuracy.mean.defined][:_MOST]
    figure, axes = empty_figure(6.4, 1.2 + 0.3 * max(len(parts), 1))
    for place, part in enumerate(parts):
        if part.interval.low.defined:
            ends = [part.interval.low.value, part.interval.high.value]
            axes.plot(ends, [place, place], color=MODEL, linewidth=2, solid_capstyle="butt")
        axes.plot(part.accuracy.mean.value, place, "o", color=MODEL, markersize=6)
        if part.chance.defined:
            axes.plot(
                part.chance.value, place, "D", color=BASELINE, markersize=5, markerfacecolor="none"
            )
    names = [f"{part_text(part)} ({part.counts.scored:,})" for part in parts]
    axes.set_yticks(range(len(parts)), names, color=INK)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("accuracy (filled: the model with its interval; hollow: chance)")
    axes.grid(axis="x", color=LINE)
    if not parts:
        axes.text(0.5, 0.5, "no answer has a score", ha="center", transform=axes.transAxes)
    mark_untrained(figure, run)
    return figure
