"""Figure 2: error and spread of predictions over the number of training subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from raqa.metrics.number import Number
from raqa.reports.plots import INK, MUTED, WATERMARK
from raqa.reports.recipes.figure_marks import marked, quiet
from raqa.reports.run_tables import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of the palette by Okabe and Ito (2008), and a mark each, so that colour is never alone.
LOOKS = (
    ("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "^"), ("#cc79a7", "D"),
    ("#e69f00", "v"), ("#56b4e9", "P"), ("#7a6a00", "X"), ("#5d6975", "*"),
)  # fmt: skip


@dataclass(frozen=True)
class CurvePoint:
    """One size of training side: all draws and seeds together.

    Attributes:
        subjects: training subjects.
        mae, low, high: mean over seeds and draws, and its 95 % interval over test subjects.
        sd: over seeds and draws, NaN where there is one.
        spread: SD of predictions over SD of labels, mean over seeds and draws.
    """

    subjects: float
    mae: float
    low: float
    high: float
    sd: float
    spread: float


@dataclass(frozen=True)
class Curve:
    """Points from few to many subjects; `panel` is drawn in a column of its own."""

    name: str
    panel: str
    points: tuple[CurvePoint, ...]
    random: bool


def curves_figure(
    curves: Sequence[Curve], baseline: Number, unit: str, runs: Sequence[Run]
) -> Figure:
    """Error above, spread of predictions below, over the number of training subjects.

    Args:
        baseline: MAE of the training median of all subjects.
        unit: of the error, for the axis.
        runs: whose numbers they are, for the watermark.
    """
    from matplotlib.figure import Figure

    panels = list(dict.fromkeys(curve.panel for curve in curves))
    figure = Figure(figsize=(1.2 + 4.0 * len(panels), 5.4), layout="constrained", facecolor="white")
    grid = figure.subplots(
        2, len(panels), sharex=True, sharey="row", squeeze=False, height_ratios=(2, 1)
    )
    names = list(dict.fromkeys(curve.name for curve in curves))
    for column, panel in enumerate(panels):
        above, below = grid[0, column], grid[1, column]
        for axes in (above, below):
            quiet(axes)
        above.set_title(panel, color=INK, fontsize=10)
        if baseline.defined:
            above.axhline(baseline.value, color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        for curve in (one for one in curves if one.panel == panel):
            colour, shape = LOOKS[names.index(curve.name) % len(LOOKS)]
            _curve(above, below, curve, colour, shape)
        below.set_xlabel("training subjects")
    grid[0, 0].set_ylabel(f"test MAE{f' ({unit})' if unit else ''}")
    grid[1, 0].set_ylabel("spread")
    grid[1, 0].set_ylim(bottom=0)  # after all are drawn: it fixes the top as well
    _size_axis(grid[1, 0], curves)
    _curve_legend(figure, curves, names, baseline)
    return marked(figure, runs)


def _curve(above: Axes, below: Axes, curve: Curve, colour: str, shape: str) -> None:
    sizes = [point.subjects for point in curve.points]
    low, high = ([getattr(point, end) for point in curve.points] for end in ("low", "high"))
    above.fill_between(sizes, low, high, color=colour, alpha=0.12, linewidth=0)
    for axes, values in (
        (above, [point.mae for point in curve.points]),
        (below, [point.spread for point in curve.points]),
    ):
        axes.plot(sizes, values, color=colour, marker=shape, linewidth=1.8, markersize=5)
    sd = np.nan_to_num([point.sd for point in curve.points])
    above.errorbar(
        sizes, [point.mae for point in curve.points], yerr=sd, fmt="none", ecolor=colour,
        elinewidth=1, capsize=2.5,
    )  # fmt: skip


def _size_axis(axes: Axes, curves: Sequence[Curve]) -> None:
    sizes = sorted({point.subjects for curve in curves for point in curve.points})
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.minorticks_off()


def _curve_legend(
    figure: Figure, curves: Sequence[Curve], names: Sequence[str], baseline: Number
) -> None:
    from matplotlib.lines import Line2D

    random = {curve.name for curve in curves if curve.random}
    handles = [
        Line2D([], [], color=colour, marker=shape, label=name, linewidth=1.8, markersize=5)
        for name, (colour, shape) in zip(
            names, LOOKS * (1 + len(names) // len(LOOKS)), strict=False
        )
    ]
    if baseline.defined:
        handles.append(
            Line2D([], [], color=MUTED, linestyle=(0, (4, 3)), label="training median (all)")
        )
    legend = figure.legend(
        handles=handles, loc="outside upper center", ncols=min(3, len(handles)), frameon=False,
        labelcolor=INK, fontsize=9,
    )  # fmt: skip
    for text in legend.get_texts():
        if text.get_text() in random:
            text.set_color(WATERMARK)
