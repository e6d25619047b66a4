"""Plots of runs as matplotlib figures; colours can be told apart by everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from raqa.metrics.groups import UNKNOWN, GroupError
from raqa.reports.headline import kind_of
from raqa.reports.run_tables import Run
from raqa.reports.text import task_text, unit_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Shape = Literal["o", "D", "-", "--"]

INK, MUTED, LINE = "#1f2933", "#667380", "#d5dbe1"
MODEL, BASELINE = "#0072b2", "#d55e00"
"""Blue and vermilion of the palette by Okabe and Ito (2008), distinct in every colour vision."""
WATERMARK = "#b3261e"
MANY_POINTS = 2000
"""Above this many, points are drawn as pixels so that the page stays small."""


def predicted_against_true(run: Run) -> Figure:
    """Predictions of the test recordings, averaged over seeds, against their labels.

    A horizontal line is the training median, the diagonal is a model without error.
    """
    rows = run.predictions.group_by("corpus", "recording_id", maintain_order=True).agg(
        pl.col("truth").first(), pl.col("prediction").mean()
    )
    truth, prediction = rows["truth"].to_numpy(), rows["prediction"].to_numpy()
    train = run.fold.filter(pl.col("side") == "train")["label"].to_numpy()
    median = float(np.median(train))
    figure, axes = empty_figure(4.8, 4.6)
    low, high = _limits(np.concatenate([truth, prediction, [median]]))
    axes.plot([low, high], [low, high], color=MUTED, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axes.axhline(median, color=BASELINE, linewidth=1.6, zorder=2)
    points = axes.scatter(
        truth,
        prediction,
        s=14 if len(truth) < 500 else 8,
        color=MODEL,
        alpha=0.55 if len(truth) < 500 else 0.35,
        linewidths=0,
        zorder=3,
    )
    points.set_rasterized(len(truth) > MANY_POINTS)
    axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    axes.set_xlabel(f"true {task_text(run.provenance)}")
    axes.set_ylabel(f"predicted {task_text(run.provenance)}")
    _legend(
        figure,
        [
            ("o", MODEL, "test recording"),
            ("-", BASELINE, "training median"),
            ("--", MUTED, "exact"),
        ],
    )
    mark_untrained(figure, run)
    return figure


def confusion(run: Run) -> Figure:
    """How recordings of each true class were classified: share of the class, and how many.

    Counts are averaged over seeds.
    """
    names = run.provenance.classes
    counts = np.zeros((len(names), len(names)))
    said = run.predictions.select("truth", "prediction").cast(pl.Int64)
    for truth, prediction in said.iter_rows():
        counts[truth, prediction] += 1 / len(run.scores.seeds)
    whole = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
    side = 1.9 + 0.75 * len(names)
    figure, axes = empty_figure(side + 0.6, side)
    axes.imshow(shares, cmap=_fading(MODEL), vmin=0, vmax=1, aspect="auto")
    axes.grid(visible=False)
    for (row, column), share in np.ndenumerate(shares):
        axes.text(
            column,
            row,
            f"{share:.0%}\n{counts[row, column]:,.0f}" if whole[row] else "no recording",
            ha="center",
            va="center",
            color="white" if share > 0.6 else INK,
        )
    axes.set_xticks(range(len(names)), names, rotation=30 if len(names) > 2 else 0)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("predicted class")
    axes.set_ylabel("true class")
    mark_untrained(figure, run)
    return figure


def error_by_group(run: Run, groups: Sequence[GroupError]) -> Figure:
    """MAE with its interval by age group and sex, beside the training median's."""
    figure, axes = empty_figure(4.8, 1.3 + 0.36 * (len(groups) + 1))
    axes.grid(visible=False, axis="y")
    heights = _heights(groups)
    for height, group in zip(heights, groups, strict=True):
        _whisker(axes, height, group.mae.value, group.interval.low.value, group.interval.high.value)
        axes.plot(group.median_mae.value, height, "D", color=BASELINE, markersize=4.5, zorder=2)
        axes.annotate(
            f"{group.recordings:,}",
            (1.0, height),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=MUTED,
        )
    axes.annotate(
        "n",
        (1.0, 0.0),
        xycoords="axes fraction",
        xytext=(6, -13),
        textcoords="offset points",
        color=MUTED,
    )
    axes.set_yticks(heights, [_group_name(group) for group in groups])
    axes.set_ylim(min(heights) - 0.7, max(heights) + 0.7)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"MAE{_in_unit(run)}")
    _legend(
        figure,
        [("o", MODEL, "model, 95 % interval"), ("D", BASELINE, "training median")],
    )
    mark_untrained(figure, run)
    return figure


def comparison(runs: Sequence[Run], names: Sequence[str]) -> Figure:
    """Headlines with intervals of several runs of one corpus, task and regime, best on top."""
    headlines = [kind_of(run).headline(run) for run in runs]
    order = sorted(range(len(runs)), key=lambda index: headlines[index].order, reverse=True)
    figure, axes = empty_figure(5.4, 1.1 + 0.34 * len(runs))
    axes.grid(visible=False, axis="y")
    for height, index in enumerate(order):
        shown = headlines[index]
        ends = shown.interval
        _whisker(axes, height, shown.value.mean.value, ends.low.value, ends.high.value)
        axes.plot(
            [shown.baseline.value] * 2,
            [height - 0.5, height + 0.5],
            color=BASELINE,
            linewidth=1.6,
            zorder=1,
        )
    axes.set_yticks(range(len(runs)), [names[index] for index in order])
    axes.set_ylim(-0.6, len(runs) - 0.4)
    axes.set_xlabel(f"test {headlines[0].axis}")
    _legend(
        figure, [("o", MODEL, "model, 95 % interval"), ("-", BASELINE, runs[0].scores.baseline)]
    )
    for label, index in zip(axes.get_yticklabels(), order, strict=True):
        if not runs[index].provenance.weights_real:
            label.set_color(WATERMARK)
    return figure


def empty_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of `width` × `height` inches with one quiet pair of axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    axes = figure.add_subplot(facecolor="none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    axes.tick_params(colors=INK, length=3, color=MUTED)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.grid(color=LINE, linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    return figure, axes


def _whisker(axes: Axes, height: float, value: float, low: float, high: float) -> None:
    if np.isfinite(low):
        axes.plot([low, high], [height, height], color=MODEL, linewidth=2.2, zorder=3)
    axes.plot(value, height, "o", color=MODEL, markersize=6.5, zorder=4)


def _legend(figure: Figure, entries: Sequence[tuple[Shape, str, str]]) -> None:
    """Explain marks above the plot; each entry is shape, colour and text."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=colour,
            label=text,
            marker=shape if shape in ("o", "D") else "",
            linestyle=shape if shape in ("-", "--") else "",
            markersize=5.5,
        )
        for shape, colour, text in entries
    ]
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=len(handles),
        frameon=False,
        labelcolor=INK,
        columnspacing=1.2,
        handletextpad=0.5,
        handlelength=1.4,
    )


def mark_untrained(figure: Figure, run: Run) -> None:
    """Write over the plot what its numbers are not: of real people, of trained weights."""
    if run.provenance.weights_real and not run.provenance.synthetic:
        return
    text = "synthetic data" if run.provenance.weights_real else "random weights\nnot a result"
    figure.text(
        0.56, 0.5, text, color=WATERMARK, alpha=0.3, fontsize=24, rotation=28,
        ha="center", va="center", weight="bold", zorder=10,
    )  # fmt: skip


def _fading(colour: str) -> Colormap:
    """From white to a colour."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("fading", ["white", colour])


def _limits(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _heights(groups: Sequence[GroupError]) -> list[float]:
    """Places from top to bottom with a gap between attributes."""
    heights, place, previous = [], 0.0, ""
    for group in groups:
        if previous and group.attribute != previous:
            place -= 0.6
        heights.append(place)
        place -= 1
        previous = group.attribute
    return heights


def _group_name(group: GroupError) -> str:
    if group.attribute == "sex" and group.group != UNKNOWN:
        return group.group
    return f"{group.attribute} {group.group}"


def _in_unit(run: Run) -> str:
    unit = unit_text(run.provenance.unit)
    return f" ({unit})" if unit else ""
