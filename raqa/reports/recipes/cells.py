"""The cells of a recipe as a report sees them: a finished run each, or the reason for none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from raqa.metrics.number import Number
from raqa.metrics.regression import RegressionScores
from raqa.reports.run_tables import HISTORY, Run
from raqa.reports.text import pretraining_overlap

Layout = Literal["within", "heads", "cross", "low_n", "questions", "exam"]

TARGET = "datamodule@regime.target"
ZERO_SHOT = "zero_shot"
_PLACED = (
    "datamodule", TARGET, "task", "encoder", "head", "responder",
    "regime", "regime.size", "regime.subset_seed", "regime.equal_updates",
)  # fmt: skip
"""Choices that a layout has a place for; what else differs between cells is told in words."""


@dataclass(frozen=True)
class RecipeFacts:
    """What a report says of the recipe itself.

    Attributes:
        name: as on the command line, for example "cough_regression/table3".
        layout: which table or figure it is.
        published: the paper's numbers (published.py), or None.
        parts: CORPUS/ATTRIBUTE of the questions that are shown, of exams by what they are parted;
            none: all, by question type.
    """

    name: str
    title: str
    layout: Layout
    published: Path | None = None
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportCell:
    """One cell.

    Attributes:
        choices: what was chosen, by override key: {"datamodule": "coswara", "task": "age", ...}.
        run: the finished run.
        problem: why there is none, in words: not run yet, running, failed and with what.
    """

    choices: Mapping[str, str]
    run: Run | None
    problem: str | None = None

    def __post_init__(self) -> None:
        if (self.run is None) == (self.problem is None):
            raise ValueError("a cell has a run, or the problem why it has none")

    @property
    def corpus(self) -> str:
        """The corpus that is trained on."""
        return self._fact("datamodule", "corpus")

    @property
    def target(self) -> str:
        """The corpus that is tested on."""
        return self._fact(TARGET, "tested_on") or self.corpus

    @property
    def task(self) -> str:
        """What is predicted."""
        return self._fact("task", "task")

    @property
    def encoder(self) -> str:
        """What turns sound into numbers."""
        return self._fact("encoder", "encoder")

    @property
    def head(self) -> str:
        """What is trained, or who is asked as it is: the responder of head=zero_shot."""
        head = self._fact("head", "head")
        return self.choices.get("responder", head) if head == ZERO_SHOT else head

    @property
    def size(self) -> str:
        """Training subjects asked for, or "all"."""
        return self._setting("size")

    @property
    def draw(self) -> str:
        """Which random subset of training subjects."""
        return self._setting("subset_seed")

    @property
    def equal_updates(self) -> bool:
        """Whether small subsets were trained for as many updates as all subjects."""
        return self._setting("equal_updates").lower() == "true"

    def _fact(self, choice: str, fact: str) -> str:
        """What was chosen, else what the run says of itself."""
        if choice in self.choices:
            return self.choices[choice]
        return str(getattr(self.run.provenance, fact) or "") if self.run else ""

    def _setting(self, name: str) -> str:
        if f"regime.{name}" in self.choices:
            return self.choices[f"regime.{name}"]
        return str(self.run.provenance.regime_settings.get(name, "")) if self.run else ""


def variants(cells: Sequence[ReportCell]) -> list[str]:
    """What tells each cell apart from others at its place, for example "encoder.padding=none".

    A setting that only goes with another choice (weights with their encoder) tells nothing.
    """
    places: dict[tuple[str | None, ...], list[ReportCell]] = {}
    for cell in cells:
        places.setdefault(tuple(cell.choices.get(key) for key in _PLACED), []).append(cell)
    telling = {
        key
        for inside in places.values()
        for key in {key for cell in inside for key in cell.choices}.difference(_PLACED)
        if len({cell.choices.get(key) for cell in inside}) > 1
    }
    return [
        ", ".join(f"{key}={cell.choices[key]}" for key in sorted(telling & cell.choices.keys()))
        for cell in cells
    ]


def errors_of(run: Run) -> RegressionScores:
    """The scores whose mean absolute error the tables show; the one place that picks them."""
    assert isinstance(run.scores, RegressionScores)
    return run.scores


def with_errors(cell: ReportCell) -> ReportCell:
    """The cell itself, or said to be missing where its run has no error in the label's unit."""
    if cell.run is None or cell.run.provenance.kind == "regression":
        return cell
    told = {
        "classification": f"{cell.task} is told in classes",
        "questions": "the run answers questions, which layout=questions shows",
        "exam": "the run sat an exam, which layout=exam shows",
    }[cell.run.provenance.kind]
    problem = f"{told}; this table shows errors in the label's unit"
    return ReportCell(cell.choices, None, problem)


def with_answers(cell: ReportCell) -> ReportCell:
    """The cell itself, or said to be missing where its run answers no questions."""
    if cell.run is None or cell.run.provenance.kind == "questions":
        return cell
    problem = f"{cell.task} is no question; this table shows answers to questions (task=qa)"
    return ReportCell(cell.choices, None, problem)


def with_exams(cell: ReportCell) -> ReportCell:
    """The cell itself, or said to be missing where its run sat no exam."""
    if cell.run is None or cell.run.provenance.kind == "exam":
        return cell
    problem = f"{cell.task} is no exam; this table shows answers to an exam (task=exam)"
    return ReportCell(cell.choices, None, problem)


def eligible(run: Run) -> bool:
    """Whether a run can be the best: trained weights that did not see the tested corpus before."""
    seen = pretraining_overlap(run.provenance).status in {"yes", "possibly"}
    return run.provenance.weights_real and not seen


def why_not_eligible(runs: Iterable[Run]) -> str:
    """Why none of these can be the best."""
    reasons = {
        "random weights"
        if not run.provenance.weights_real
        else f"{run.provenance.encoder} saw the tested corpus in pre-training, or may have"
        for run in runs
    }
    return (
        f"no cell can be the best: {'; '.join(sorted(reasons))}" if reasons else "no cell is done"
    )


def validation_error(run: Run) -> Number:
    """Error on the validation side of the training corpus, of the epochs kept, mean over seeds."""
    try:
        history = pl.read_csv(run.path / HISTORY)
        error = pl.col("validation_error").cast(pl.Float64)
        best = history.drop_nulls("validation_error").group_by("seed").agg(error.min())
    except (OSError, pl.exceptions.PolarsError):
        return Number.undefined("the run has no history of validation errors")
    if set(best["seed"]) != set(run.scores.seeds):
        return Number.undefined("a seed has no validation error")
    return Number(math.fsum(best["validation_error"]) / best.height)
