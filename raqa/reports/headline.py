"""What reports show differently for each kind of task: the one interface that they ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from raqa.metrics.groups import GroupError
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.reports.columns import Column
from raqa.reports.run_tables import Run
from raqa.reports.text import interval_text, number_text, seeds_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


@dataclass(frozen=True)
class Headline:
    """The number that a run is judged by.

    Attributes:
        name: "MAE", for example.
        interval: 95 % over subjects.
        baseline: the same of the baseline.
        unit: as it is printed; empty where there is none.
        descending: whether larger is better.
        places: decimals it is shown with.
        named: whether the name is part of the text.
    """

    name: str
    value: OverSeeds
    interval: Interval
    baseline: Number
    unit: str = ""
    places: int = 2
    descending: bool = False
    named: bool = False

    @property
    def text(self) -> str:
        """Mean ± SD with unit and interval."""
        words = (self.name if self.named else "", seeds_text(self.value, self.places), self.unit)
        value = " ".join(word for word in words if word)
        return f"{value} (95 % interval {interval_text(self.interval, self.places)})"

    @property
    def mean_text(self) -> str:
        """The mean over seeds with its unit."""
        return f"{number_text(self.value.mean, self.places)} {self.unit}".rstrip()

    @property
    def axis(self) -> str:
        """The name with its unit, for an axis."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    @property
    def order(self) -> tuple[bool, float]:
        """A key that sorts the best run first and the undefined last."""
        mean = self.value.mean
        return (not mean.defined, -mean.value if self.descending else mean.value)


@dataclass(frozen=True)
class Detail:
    """A table that only some kinds of task have, below a run's picture.

    Attributes:
        text: what it says, in a sentence or two.
        numeric: whether each column holds numbers.
    """

    title: str
    text: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]


class Kind(ABC):
    """How runs of one kind of task are shown.

    Attributes:
        columns: of the results table.
        glossary: what its numbers mean, term and explanation.
        best: how the best run of a setting is introduced, "The smallest error".
        better: what being better is called, "smaller".
        picture: heading and explanation of the picture of one run.
    """

    columns: ClassVar[tuple[Column, ...]]
    glossary: ClassVar[tuple[tuple[str, str], ...]]
    best: ClassVar[str]
    better: ClassVar[str]
    picture: ClassVar[tuple[str, str]]

    @abstractmethod
    def headline(self, run: Run) -> Headline:
        """The number the run is judged by."""

    @abstractmethod
    def results(self, run: Run, style: str) -> Table:
        """The table of results for a terminal; `style` marks the model's own row."""

    @abstractmethod
    def row(self, run: Run) -> dict[str, Any]:
        """The columns of RESULTS (reports/results.py) that only this kind fills."""

    @abstractmethod
    def summary(self, run: Run) -> dict[str, float]:
        """Numbers for a tracker under names to sort by; undefined ones are NaN."""

    @abstractmethod
    def figure(self, run: Run) -> Figure:
        """The picture of one run's predictions against the truth."""

    @abstractmethod
    def facts(self, run: Run) -> tuple[tuple[str, str], ...]:
        """What else a report says of where the numbers come from, name and text."""

    @abstractmethod
    def groups(self, run: Run) -> tuple[GroupError, ...]:
        """Errors by group of subjects, where the kind has them."""

    @abstractmethod
    def answers(self, run: Run, answers: pl.DataFrame) -> tuple[Sequence[str], list[list[str]]]:
        """Headings and rows that show a run's predictions for new files."""

    def details(self, run: Run) -> tuple[Detail, ...]:  # noqa: ARG002
        """Further tables about a run."""
        return ()


def own_lines(run: Run, places: int, what: str = "") -> list[tuple[str, ...]]:
    """Where a run was tested on another corpus: that corpus's own model, the gap, its baseline.

    Args:
        what: the error, where the table shows others too.
    """
    if run.transfer is None:
        return []
    corpus, transfer = run.provenance.tested_on or "", run.transfer
    behind = f", {what}" if what else ""
    lines = [
        (
            name,
            number_text(summary.mean, places),
            number_text(summary.sd, places),
            interval_text(interval, places),
        )
        for name, summary, interval in (
            (f"{corpus}'s own model{behind}", transfer.own_error, transfer.own_error_interval),
            ("gap", transfer.gap, transfer.gap_interval),
        )
    ]
    baseline = number_text(transfer.own_baseline, places)
    return [*lines, (f"{corpus}'s {run.scores.baseline}", baseline)]


def kind_of(run: Run) -> Kind:
    """How a run is shown."""
    from raqa.reports.class_report import ClassReport
    from raqa.reports.exam_report import ExamReport
    from raqa.reports.number_report import NumberReport
    from raqa.reports.question_report import QuestionReport

    kinds: dict[str, Kind] = {
        "regression": NumberReport(),
        "classification": ClassReport(),
        "questions": QuestionReport(),
        "exam": ExamReport(),
    }
    return kinds[run.scores.kind]
