"""The transfer matrix: trained on rows, tested on columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from raqa.metrics.number import Number
from raqa.reports.plots import INK, LINE
from raqa.reports.recipes.figure_marks import marked
from raqa.reports.run_tables import Run
from raqa.reports.text import decimals, number_text, unit_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Transfer:
    """One direction: the model that stands for it, and the target's own with the same encoder.

    Attributes:
        decided: whether the gap's interval excludes 0.
    """

    source: str
    target: str
    encoder: str
    mae: Number
    own: Number
    gap: Number
    decided: bool


def transfer_matrix(
    directions: Sequence[Transfer], unit: str | None, runs: Sequence[Run]
) -> Figure:
    """Rows are trained on, columns tested on; the colour is the gap to the column's own model."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for one in directions for name in (one.source, one.target)))
    gaps = np.full((len(names), len(names)), np.nan)
    for one in directions:
        gaps[names.index(one.source), names.index(one.target)] = one.gap.value
    most = 1.5 * float(np.nanmax(np.abs(gaps))) if np.isfinite(gaps).any() else 1.0
    size = 1.7 * len(names)
    figure = Figure(figsize=(size + 2.2, size + 0.6), layout="constrained", facecolor="white")
    axes = figure.add_subplot(facecolor="none")
    most = most or 1.0
    image = axes.imshow(gaps, cmap="PuOr_r", vmin=-most, vmax=most, alpha=0.8, aspect="auto")
    for one in directions:
        text = _text(one, unit)
        _write(axes, names.index(one.target), names.index(one.source), text, "#111111")
    for place, name in enumerate(names):
        _write(axes, place, place, _own_text(name, directions, unit), INK)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("tested on", color=INK)
    axes.set_ylabel("trained on", color=INK)
    axes.tick_params(length=0, colors=INK)
    axes.spines[:].set_color(LINE)
    edges = [place - 0.5 for place in range(1, len(names))]
    axes.set_xticks(edges, minor=True)
    axes.set_yticks(edges, minor=True)
    axes.grid(which="minor", color=LINE, linewidth=0.8)
    axes.tick_params(which="minor", length=0)
    _bar(figure, axes, image, unit_text(unit))
    return marked(figure, runs)


def _bar(figure: Figure, axes: Axes, image: ScalarMappable, unit: str) -> None:
    bar = figure.colorbar(image, ax=axes, shrink=0.7)
    bar.set_label(f"gap to the own model{f' ({unit})' if unit else ''}", color=INK)
    bar.ax.tick_params(colors=INK)
    bar.outline.set_edgecolor(LINE)


def _write(axes: Axes, column: int, row: int, text: str, colour: str) -> None:
    axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=9)


def _text(one: Transfer, unit: str | None) -> str:
    places = decimals(unit)
    lines = [number_text(one.mae, places)] if one.mae.defined else []
    if one.gap.defined:
        told = "" if one.decided else " (?)"
        lines.append(f"gap {'+' if one.gap.value > 0 else ''}{number_text(one.gap, places)}{told}")
    return "\n".join([*lines, one.encoder])


def _own_text(name: str, directions: Sequence[Transfer], unit: str | None) -> str:
    """The target's own models that the gaps of its column are taken against."""
    own = {
        f"{number_text(one.own, decimals(unit))} {one.encoder}": None
        for one in directions
        if one.target == name and one.own.defined
    }
    return "\n".join(["own", *own]) if own else ""
