"""Figures of answers: every model's score of every part beside the question prior's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from raqa.metrics.questions import PartScores
from raqa.reports.plots import BASELINE, INK, MODEL
from raqa.reports.recipes.figure_marks import marked, quiet
from raqa.reports.recipes.question_grid import Block, Place, part_of
from raqa.reports.recipes.question_measures import LABELS, NUMBERS, Measure
from raqa.reports.recipes.tables import Picture
from raqa.reports.run_tables import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CAPTION = (
    "Dots with 95 % intervals over subjects; the dashed line is the question prior, which never "
    "listens."
)


def question_pictures(blocks: Sequence[Block]) -> list[Picture]:
    """Macro-F1 of labels and relative MAE of numbers, where there are any."""
    pictures = []
    for number, block in enumerate(blocks, start=1):
        where = f" ({' → '.join(dict.fromkeys(block.key))})" if len(blocks) > 1 else ""
        for name, measure in (("macro-f1", LABELS[0]), ("relative-mae", NUMBERS[0])):
            places = [place for place in block.parts if _scores(block, place, measure)]
            if measure is NUMBERS[0]:
                places = [place for place in places if place[0] != "all"]
            if places:
                pictures.append(
                    Picture(
                        f"{name}-{number}",
                        f"{measure.text[0].upper()}{measure.text[1:]} by questions{where}",
                        _CAPTION,
                        partial(_draw, block, tuple(places), measure),
                        broad=len(places) > 2,
                    )
                )
    return pictures


def _scores(block: Block, place: Place, measure: Measure) -> dict[str, tuple[PartScores, Run]]:
    """The parts of the runs that have this measure, defined, by column."""
    found = {}
    for name, run in block.runs.items():
        part = part_of(run, place)
        score = None if part is None else measure.of(part)
        if part is not None and score is not None and score.mean.defined:
            found[name] = (part, run)
    return found


def _draw(block: Block, places: Sequence[Place], measure: Measure) -> Figure:
    from matplotlib.figure import Figure as NewFigure

    models = list(block.runs)
    names = max(1.6, 0.09 * max(map(len, models)))  # inches that the longest name takes
    figure = NewFigure(
        figsize=(names + 2.3 * len(places), 1.3 + 0.32 * len(models)), layout="constrained"
    )
    panels = figure.subplots(1, len(places), sharey=True, sharex=True, squeeze=False)[0]
    for panel, place in zip(panels, places, strict=True):
        _panel(panel, _scores(block, place, measure), models, measure, place)
    figure.supxlabel(measure.text, color=INK, fontsize=10)
    return marked(figure, block.runs.values())


def _panel(
    axes: Axes,
    scores: dict[str, tuple[PartScores, Run]],
    models: Sequence[str],
    measure: Measure,
    place: Place,
) -> None:
    for name, (part, run) in scores.items():
        row, score, ends = models.index(name), measure.of(part), measure.interval(part)
        assert score is not None
        color = MODEL if run.provenance.weights_real else BASELINE
        if ends is not None and ends.low.defined:
            axes.plot([ends.low.value, ends.high.value], [row, row], color=color, linewidth=2)
        axes.plot(score.mean.value, row, "o", color=color, markersize=6)
        constant = run.answering.prior_part(part)
        prior = None if constant is None else measure.of(constant)
        if prior is not None and prior.mean.defined:
            axes.axvline(prior.mean.value, color=BASELINE, linestyle="--", linewidth=1, zorder=0)
    axes.set_yticks(range(len(models)), models)
    axes.set_ylim(len(models) - 0.5, -0.5)
    axes.set_title(place[1].replace(" / ", "\n").replace("_", " "), fontsize=10, color=INK)
    quiet(axes)
