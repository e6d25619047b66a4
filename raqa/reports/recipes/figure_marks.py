"""What figures of several runs share: quiet axes, and what the numbers are not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from raqa.reports.plots import INK, LINE, MUTED, WATERMARK
from raqa.reports.run_tables import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def marked(figure: Figure, runs: Iterable[Run]) -> Figure:
    """Write over a figure of several runs what some of its numbers are not."""
    facts = [run.provenance for run in runs]
    lines = []
    if any(not one.weights_real for one in facts):
        lines.append("random weights\nnot a result")
    if any(one.synthetic for one in facts):
        lines.append("synthetic data")
    if lines:
        figure.text(
            0.56, 0.5, "\n".join(lines), color=WATERMARK, alpha=0.22, fontsize=20, rotation=24,
            ha="center", va="center", weight="bold", zorder=10,
        )  # fmt: skip
    return figure


def quiet(axes: Axes) -> None:
    """Take away what is not data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    axes.tick_params(colors=INK, length=3, color=MUTED)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
