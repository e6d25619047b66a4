"""The picture of a run that answers questions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from raqa.metrics.questions import LabelScores
from raqa.reports.plots import BASELINE, INK, LINE, MODEL, empty_figure, mark_untrained
from raqa.reports.run_tables import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST = 24  # parts in one picture


def by_part(run: Run) -> Figure:
    """Macro-F1 with its interval for all, each question type, corpus and family; the prior's too.

    Where every answer is a number, the MAE divided by the training median's instead.
    """
    scores = run.answering
    rows = []
    for part in scores.answers.parts:
        if part.by == "group" or part.labels is None:
            continue
        prior = scores.prior_part(part)
        constant = math.nan  # which is not drawn
        if prior is not None and prior.labels is not None:
            constant = prior.labels.macro_f1.mean.value
        if part.labels.macro_f1.mean.defined:  # else the truth has one class
            rows.append((part.name, *_label_ends(part.labels), constant))
    rows = rows[:_MOST]
    figure, axes = empty_figure(6.4, 1.2 + 0.32 * max(len(rows), 1))
    places = range(len(rows))
    for place, (_, value, low, high, prior_value) in zip(places, rows, strict=True):
        axes.plot([low, high], [place, place], color=MODEL, linewidth=2, solid_capstyle="butt")
        axes.plot(value, place, "o", color=MODEL, markersize=6)
        axes.plot(prior_value, place, "D", color=BASELINE, markersize=5, markerfacecolor="none")
    axes.set_yticks(list(places), [row[0].replace("_", " ") for row in rows], color=INK)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("macro-F1 (filled: the model with its interval; hollow: the question prior)")
    axes.grid(axis="x", color=LINE)
    if not rows:
        axes.text(0.5, 0.5, "every answer is a number", ha="center", transform=axes.transAxes)
    mark_untrained(figure, run)
    return figure


def _label_ends(labels: LabelScores) -> tuple[float, float, float]:
    ends = labels.macro_f1_interval
    return labels.macro_f1.mean.value, ends.low.value, ends.high.value
