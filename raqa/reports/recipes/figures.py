"""Figures of recipes: errors side by side, transfer between corpora, curves over training size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from raqa.metrics.groups import errors_by_group
from raqa.metrics.number import Number
from raqa.reports.plots import INK, LINE, MUTED, WATERMARK, comparison, error_by_group
from raqa.reports.plots import predicted_against_true
from raqa.reports.recipes.grid import Row
from raqa.reports.recipes.tables import Picture
from raqa.reports.run_folder import Run
from raqa.reports.text import corpus_text, decimals, encoder_text, number_text, task_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def run_pictures(rows: Sequence[Row]) -> list[Picture]:
    """Per corpus and task: all errors side by side, then the best run's predictions and groups."""
    pictures = []
    for place, (title, inside) in enumerate(_settings(rows).items(), start=1):
        runs = [run for row in inside for run in row.runs.values()]
        names = [_name(run, runs) for run in runs]
        if len(runs) > 1:
            pictures.append(
                Picture(
                    f"errors-{place}",
                    f"Errors: {title}",
                    "Mean absolute error with its 95 % interval over subjects.",
                    lambda runs=runs, names=names: _marked(comparison(runs, names), runs),  # type: ignore[misc]
                )
            )
        best = min(
            (row.best or row.shown for row in inside if row.shown),
            key=lambda run: run.scores.mae.mean.value if run else np.inf,
        )
        assert best is not None
        pictures += _of_run(best, place, title, _name(best, runs))
    return pictures


def _of_run(run: Run, place: int, title: str, name: str) -> list[Picture]:
    groups = errors_by_group(
        run.predictions,
        run.fold,
        run.provenance.task,
        resamples=run.scores.resamples,
        bootstrap_seed=run.scores.bootstrap_seed,
    )
    pictures = [
        Picture(
            f"predicted-{place}",
            f"Predicted against true: {title}",
            f"{name}. One dot per test recording, averaged over seeds.",
            lambda: predicted_against_true(run),
        )
    ]
    if groups:
        pictures.append(
            Picture(
                f"groups-{place}",
                f"Error by age and sex: {title}",
                f"{name}. Mean absolute error within each group, 95 % interval over subjects.",
                lambda: error_by_group(run, groups),
            )
        )
    return pictures


def _settings(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Rows by corpus and task, those without any run left out (the table says why)."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.shown is not None:
            facts = row.shown.provenance
            found.setdefault(f"{task_text(facts)} from {corpus_text(facts)}", []).append(row)
    return found


def _name(run: Run, others: Sequence[Run]) -> str:
    """By encoder, and by head where there are several."""
    name = encoder_text(run.provenance)
    heads = {other.provenance.head for other in others}
    return f"{name} · {run.provenance.head}" if len(heads) > 1 else name


def _marked(figure: Figure, runs: Iterable[Run]) -> Figure:
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
            _quiet(axes)
        above.set_title(panel, color=INK, fontsize=10)
        if baseline.defined:
            above.axhline(baseline.value, color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        for curve in (one for one in curves if one.panel == panel):
            colour, shape = LOOKS[names.index(curve.name) % len(LOOKS)]
            _curve(above, below, curve, colour, shape)
        below.set_xlabel("training subjects")
        below.set_ylim(bottom=0)
    grid[0, 0].set_ylabel(f"test MAE{f' ({unit})' if unit else ''}")
    grid[1, 0].set_ylabel("spread of predictions")
    _size_axis(grid[1, 0], curves)
    _curve_legend(figure, curves, names, baseline)
    return _marked(figure, runs)


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
        for name, (colour, shape) in zip(names, LOOKS * (1 + len(names) // len(LOOKS)), strict=False)
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


@dataclass(frozen=True)
class Transfer:
    """One place of the transfer matrix; `gap` is undefined on the diagonal."""

    source: str
    target: str
    encoder: str
    mae: Number
    gap: Number
    decided: bool


def transfer_matrix(places: Sequence[Transfer], unit: str, runs: Sequence[Run]) -> Figure:
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
    bar.set_label(f"gap to the own model{f' ({unit})' if unit else ''}", color=INK)
    bar.outline.set_edgecolor(LINE)
    return _marked(figure, runs)


def _place_text(place: Transfer, unit: str) -> str:
    places = decimals(unit)
    lines = [number_text(place.mae, places)]
    if place.gap.defined:
        sign = "+" if place.gap.value > 0 else ""
        told = "" if place.decided else " (?)"
        lines.append(f"gap {sign}{number_text(place.gap, places)}{told}")
    elif place.source == place.target:
        lines.append("own")
    return "\n".join([*lines, place.encoder])


def _quiet(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    axes.tick_params(colors=INK, length=3, color=MUTED)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
