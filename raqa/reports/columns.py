"""The columns of a report's results table: what each shows, what it sorts by, what it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raqa.metrics.number import Number, OverSeeds
from raqa.metrics.regression import RegressionScores
from raqa.reports.provenance import Provenance
from raqa.reports.run_folder import Run
from raqa.reports.text import (
    corpus_text,
    decimals,
    encoder_text,
    interval_text,
    number_text,
    regime_text,
    seeds_text,
    task_text,
    warning_texts,
)


@dataclass(frozen=True)
class Cell:
    """What a table shows, and the number it is sorted by where it is not sorted as text."""

    text: str
    order: float | None = None


@dataclass(frozen=True)
class Column:
    """One column; `meaning` says in a few words what stands in it."""

    heading: str
    meaning: str
    cell: Callable[[Run], Cell]
    numeric: bool = True


def _fact(heading: str, meaning: str, pick: Callable[[Provenance], str]) -> Column:
    return Column(heading, meaning, lambda run: Cell(pick(run.provenance)), numeric=False)


def _number(heading: str, meaning: str, pick: Callable[[RegressionScores], Number]) -> Column:
    def cell(run: Run) -> Cell:
        number = pick(run.scores)
        text = number_text(number, decimals(run.provenance.unit))
        return Cell(text, number.value if number.defined else None)

    return Column(heading, meaning, cell)


def _over_seeds(
    heading: str,
    meaning: str,
    pick: Callable[[RegressionScores], OverSeeds],
    *,
    in_unit: bool = False,
) -> Column:
    def cell(run: Run) -> Cell:
        summary = pick(run.scores)
        text = seeds_text(summary, decimals(run.provenance.unit) if in_unit else 2)
        return Cell(text, summary.mean.value if summary.mean.defined else None)

    return Column(heading, meaning, cell)


def _interval(run: Run) -> Cell:
    ends = run.scores.mae_interval
    text = interval_text(ends, decimals(run.provenance.unit))
    return Cell(text, ends.low.value if ends.low.defined else None)


def _against_median(run: Run) -> Cell:
    scores, places = run.scores, decimals(run.provenance.unit)
    ends = interval_text(scores.difference_interval, places)
    return Cell(f"{number_text(scores.difference, places)} ({ends})", scores.difference.value)


def _tested(run: Run) -> Cell:
    recordings, subjects = run.scores.recordings["test"], run.scores.subjects["test"]
    return Cell(f"{recordings:,} ({subjects:,})", float(recordings))


def _notes(run: Run) -> Cell:
    """The first words of every warning; the run's own part of the report has the sentences."""
    warnings = warning_texts(run.scores, run.provenance)
    return Cell(", ".join(warning.split(":")[0].lower() for warning in warnings))


SETTING = (
    _fact("corpus", "whose recordings", corpus_text),
    _fact("task", "what is predicted, and its unit", task_text),
    _fact("regime", "how training and test are parted", regime_text),
)
"""Runs are comparable where these are equal."""
MODEL = (
    _fact("encoder", "what turns sound into numbers", encoder_text),
    _fact("head", "the model on top of the encoder", lambda facts: facts.head),
)
VARIANT = (
    _fact("clip", "length and part of a recording", lambda facts: facts.clip or ""),
    _fact("seeds", "how often training was started", lambda facts: str(len(facts.seeds))),
)
RESULTS = (
    _over_seeds(
        "MAE", "mean absolute error: mean ± SD over seeds", lambda scores: scores.mae, in_unit=True
    ),
    Column("95 % interval", "of the MAE, over subjects", _interval),
    Column(
        "against median",
        "MAE minus the training median's, with 95 % interval; below 0 is better",
        _against_median,
    ),
    _number("median", "MAE of saying the training median", lambda scores: scores.median_mae),
    _number("mean", "MAE of saying the training mean", lambda scores: scores.mean_mae),
    _number("MAD", "mean absolute deviation of all labels", lambda scores: scores.mad),
    _over_seeds("R²", "share of the labels' variance explained", lambda scores: scores.r2),
    _over_seeds("Spearman", "rank correlation", lambda scores: scores.spearman),
    _over_seeds("spread", "SD of predictions over SD of labels", lambda scores: scores.spread),
    Column("test n", "test recordings (subjects)", _tested),
)
NOTES = Column("notes", "read before believing", _notes, numeric=False)
