"""Two runs that answer the same questions, compared: macro-F1 and relative MAE, paired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from raqa.errors import UserError
from raqa.metrics.questions import AnswerDifference, compare_answers
from raqa.reports.paired_questions import LETTERS, check_same_questions
from raqa.reports.run_tables import Run
from raqa.reports.text import (
    corpus_text,
    interval_text,
    model_text,
    number_text,
    seed_count_text,
    warning_texts,
)

PLACES = 3
_NAMES = {
    "macro_f1": "macro-F1",
    "balanced_accuracy": "balanced accuracy",
    "accuracy": "accuracy",
    "relative_mae": "relative MAE",
}
_DECIDING = ("macro_f1", "relative_mae")
_SHOWN = ("all", "question_type", "corpus")


@dataclass(frozen=True)
class AnswerPair:
    """Two runs, A and B, and their differences A minus B, part by part."""

    first: Run
    second: Run
    differences: tuple[AnswerDifference, ...]


def pair_answers(first: Run, second: Run) -> AnswerPair:
    """Compare two runs on the same test questions.

    Raises:
        UserError: they were not asked the same questions, or answers are missing.
    """
    assert first.answered is not None
    assert second.answered is not None
    asked = [_test(run) for run in (first, second)]
    check_same_questions(
        [one.sort("qa_id") for one in asked], "collection, cohort and split",
        "The right answers differ between the two runs: the labels have changed.",
    )  # fmt: skip
    train = first.answered.questions.filter(pl.col("split") == "train")
    try:
        found = compare_answers(train, asked[0], first.predictions, second.predictions)
    except ValueError as error:
        raise UserError(f"They can not be paired: {error}.") from error
    return AnswerPair(first, second, found)


def print_answer_pair(both: AnswerPair, console: Console) -> None:
    """Print every part's scores with the paired difference, then the verdict."""
    for letter, run in (("A", both.first), ("B", both.second)):
        facts = run.provenance
        console.print(
            f"{letter}: {model_text(facts)}, {corpus_text(facts)}, "
            f"{seed_count_text(facts.seeds)}", highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("questions")
    for heading in ("measure", "A", "B", "A − B", "95 % interval", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in _shown(both.differences):
        table.add_row(
            one.name.replace("_", " "),
            _NAMES[one.measure],
            number_text(one.first, PLACES),
            number_text(one.second, PLACES),
            number_text(one.difference, PLACES),
            interval_text(one.interval, PLACES),
            LETTERS.get(one.better or "", ""),
        )
    console.print("", table, "", highlight=False)
    console.print(verdict(both), style="bold", highlight=False, soft_wrap=True)
    for letter, run in (("A", both.first), ("B", both.second)):
        for warning in warning_texts(run.scores, run.provenance):
            console.print(Text(f"{letter}: {warning}", style="yellow"), soft_wrap=True)


def verdict(both: AnswerPair) -> str:
    """Which one is better over all questions, or that they can not be told apart."""
    said = []
    for one in both.differences:
        if one.by == "all" and one.measure in _DECIDING:
            better = {"first": "A is better", "second": "B is better"}.get(
                one.better or "", "they can not be told apart"
            )
            said.append(f"{_NAMES[one.measure]}: {better}")
    return "; ".join(said) + "."


def _shown(differences: Sequence[AnswerDifference]) -> Iterator[AnswerDifference]:
    corpora = {one.name for one in differences if one.by == "corpus"}
    for one in differences:
        if one.by in _SHOWN and (one.by != "corpus" or len(corpora) > 1):
            yield one


def _test(run: Run) -> pl.DataFrame:
    assert run.answered is not None
    return run.answered.questions.filter(pl.col("split") == "test")
