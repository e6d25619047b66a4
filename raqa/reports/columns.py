"""The columns of a report's results table: what each shows, what it sorts by, what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from raqa.configuration.unused import NO_ENCODER
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.reports.provenance import Provenance
from raqa.reports.run_tables import Run
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
    """One column.

    Attributes:
        meaning: in a few words what stands in it.
        marked: whether it shows by its colour that a run is above or below the baseline.
    """

    heading: str
    meaning: str
    cell: Callable[[Run], Cell]
    numeric: bool = True
    marked: bool = False


def fact_column(heading: str, meaning: str, pick: Callable[[Provenance], str]) -> Column:
    """A column of text from a run's provenance."""
    return Column(heading, meaning, lambda run: Cell(pick(run.provenance)), numeric=False)


def number_column(
    heading: str, meaning: str, pick: Callable[[Run], Number], unit: str | None = None
) -> Column:
    """A column of one number, in the label's unit or another."""

    def cell(run: Run) -> Cell:
        number = pick(run)
        text = number_text(number, decimals(unit or run.provenance.unit))
        return Cell(text, number.value if number.defined else None)

    return Column(heading, meaning, cell)


def seeds_column(
    heading: str, meaning: str, pick: Callable[[Run], OverSeeds], places: int | None = None
) -> Column:
    """A column of mean ± SD over seeds; with the decimals of the label's unit, or `places`."""

    def cell(run: Run) -> Cell:
        summary = pick(run)
        text = seeds_text(summary, decimals(run.provenance.unit) if places is None else places)
        return Cell(text, summary.mean.value if summary.mean.defined else None)

    return Column(heading, meaning, cell)


def interval_column(
    heading: str, meaning: str, pick: Callable[[Run], Interval], places: int | None = None
) -> Column:
    """A column of intervals, sorted by their lower ends."""

    def cell(run: Run) -> Cell:
        ends = pick(run)
        text = interval_text(ends, decimals(run.provenance.unit) if places is None else places)
        return Cell(text, ends.low.value if ends.low.defined else None)

    return Column(heading, meaning, cell)


def difference_column(heading: str, meaning: str) -> Column:
    """The column that says how far a run's error is from the baseline's."""

    def cell(run: Run) -> Cell:
        scores = run.scores
        places = decimals(scores.difference_unit or run.provenance.unit)
        ends = interval_text(scores.difference_interval, places)
        number = scores.difference
        text = f"{number_text(number, places)} ({ends})"
        return Cell(text, number.value if number.defined else None)

    return Column(heading, meaning, cell, marked=True)


def _tested(run: Run) -> Cell:
    recordings, subjects = run.scores.recordings["test"], run.scores.subjects["test"]
    return Cell(f"{recordings:,} ({subjects:,})", float(recordings))


def _notes(run: Run) -> Cell:
    """The first words of every warning; the run's own part of the report has the sentences."""
    warnings = warning_texts(run.scores, run.provenance)
    return Cell(", ".join(warning.split(":")[0].lower() for warning in warnings))


SETTING = (
    fact_column("corpus", "whose recordings", corpus_text),
    fact_column("task", "what is predicted, its unit or classes", task_text),
    fact_column("regime", "how training and test are parted", regime_text),
)
"""Runs are comparable where these are equal."""
MODEL = (
    fact_column("encoder", "what turns sound into numbers", encoder_text),
    fact_column("head", "the model on top of the encoder", lambda facts: facts.head),
)


def model_columns(runs: Iterable[Run]) -> tuple[Column, ...]:
    """The columns that name a model; without that of encoders where no run has one."""
    embedding = any(run.provenance.encoder != NO_ENCODER for run in runs)
    return MODEL if embedding else MODEL[1:]


VARIANT = (
    fact_column("clip", "length and part of a recording", lambda facts: facts.clip or ""),
    fact_column("seeds", "how often training was started", lambda facts: str(len(facts.seeds))),
)
TESTED = Column("test n", "test recordings (subjects)", _tested)
NOTES = Column("notes", "read before believing", _notes, numeric=False)
