"""Two runs that sat the same exam, compared question by question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raqa.metrics.exams.paired import ExamDifference, compare_exams
from raqa.reports.exam_report import PLACES
from raqa.reports.paired_questions import LETTERS, check_same_questions
from raqa.reports.run_tables import Run
from raqa.reports.text import corpus_text, interval_text, number_text, warning_texts


@dataclass(frozen=True)
class ExamPair:
    """Two runs, A and B, and their differences A minus B, part by part."""

    first: Run
    second: Run
    differences: tuple[ExamDifference, ...]


def pair_exams(first: Run, second: Run) -> ExamPair:
    """Compare two runs on the questions that both were asked.

    Raises:
        UserError: they were not asked the same questions, or were judged by other judges.
    """
    assert first.examined is not None
    assert second.examined is not None
    asked = [run.examined.questions.sort("qa_id") for run in (first, second) if run.examined]
    check_same_questions(
        asked, "exam, with the same task.only and cohort",
        "The questions differ between the two runs: the exam has changed.",
    )  # fmt: skip
    found = compare_exams(
        asked[0],
        (first.predictions, first.examined.verdicts),
        (second.predictions, second.examined.verdicts),
    )
    return ExamPair(first, second, found)


def print_exam_pair(both: ExamPair, console: Console) -> None:
    """Print every part's accuracies with the paired difference, then the verdict."""
    for letter, run in (("A", both.first), ("B", both.second)):
        facts = run.provenance
        console.print(f"{letter}: {facts.head}, {corpus_text(facts)}", highlight=False,
                      markup=False, soft_wrap=True)  # fmt: skip
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("accuracy")
    for heading in ("n", "A", "B", "A − B", "95 % interval", ""):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in _shown(both.differences):
        table.add_row(
            one.name,
            f"{one.questions:,}",
            number_text(one.first, PLACES),
            number_text(one.second, PLACES),
            number_text(one.difference, PLACES),
            interval_text(one.interval, PLACES),
            LETTERS.get(one.better or "", ""),
        )
    console.print("", table, "", highlight=False)
    console.print(verdict(both), style="bold", highlight=False, soft_wrap=True)
    for sentence in _cautions(both):
        console.print(Text(sentence, style="yellow"), soft_wrap=True)


def verdict(both: ExamPair) -> str:
    """Which one is better over all questions, or that they can not be told apart."""
    one = both.differences[0]
    if one.better is None:
        return "They can not be told apart."
    letters = ("A", "B") if one.better == "first" else ("B", "A")
    return f"{letters[0]} is better than {letters[1]}."


def _cautions(both: ExamPair) -> Iterator[str]:
    left_out = both.differences[0].left_out
    if left_out:
        yield f"{left_out:,} questions have no score of A or of B; they count for neither."
    judges = [run.exam.judges for run in (both.first, both.second)]
    if judges[0] != judges[1]:
        told = "; ".join(f"{letter}: {', '.join(one) or 'nobody'}"
                         for letter, one in zip("AB", judges, strict=True))  # fmt: skip
        yield f"They were judged differently ({told}): a difference may be the judges'."
    for letter, run in (("A", both.first), ("B", both.second)):
        for warning in warning_texts(run.scores, run.provenance):
            yield f"{letter}: {warning}"


def _shown(differences: Sequence[ExamDifference]) -> Iterator[ExamDifference]:
    for one in differences:
        if one.by == "all" or sum(other.by == one.by for other in differences) > 1:
            yield one
