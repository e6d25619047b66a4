"""The transfer matrix: trained on rows, tested on columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from raqa.metrics.number import Number
from raqa.reports.plots import INK, LINE
from raqa.reports.recipes.figure_marks import marked
from raqa.reports.run_folder import Run
from raqa.reports.text import decimals, number_text, unit_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Transfer:
    """One place of the transfer matrix; `gap` is undefined on the diagonal."""

    source: str
    target: str
    encoder: str
    mae: Number
    gap: Number
    decided: bool


def transfer_matrix(places: Sequence[Transfer], unit: str | None, runs: Sequence[Run]) -> Figure:
    """Rows are trained on, columns tested on; the colour is the gap to the column's own model."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for one in places for name in (one.source, one.target)))
    gaps = [one.gap.value for one in places if one.gap.defined]
    most = max((abs(gap) for gap in gaps), default=1.0) or 1.0
    size = 1.9 * len(names)
    figure = Figure(figsize=(size + 2.2, size + 1.2), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    colours = np.full((len(names), len(names)), np.nan)
    for one in places:
        row, column = names.index(one.source), names.index(one.target)
        colours[row, column] = one.gap.value if one.gap.defined else np.nan
    image = axes.imshow(colours, cmap="PuOr_r", vmin=-most, vmax=most, alpha=0.75)
    for one in places:
        axes.text(
            names.index(one.target), names.index(one.source), _place_text(one, unit),
            ha="center", va="center", color="#111111", fontsize=9,
        )  # fmt: skip
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="tested on", ylabel="trained on")
    axes.tick_params(length=0, colors=INK)
    axes.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, shrink=0.7)
    printed = unit_text(unit)
    bar.set_label(f"gap to the own model{f' ({printed})' if printed else ''}", color=INK)
    bar.outline.set_edgecolor(LINE)
    return marked(figure, runs)


def _place_text(place: Transfer, unit: str | None) -> str:
    places = decimals(unit)
    lines = [number_text(place.mae, places)]
    if place.gap.defined:
        sign = "+" if place.gap.value > 0 else ""
        told = "" if place.decided else " (?)"
        lines.append(f"gap {sign}{number_text(place.gap, places)}{told}")
    elif place.source == place.target:
        lines.append("own")
    return "\n".join([*lines, place.encoder])
