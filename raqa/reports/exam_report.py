"""How runs that sat an exam are shown: accuracy by every part, with what has no score beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from raqa.metrics.exams import ExamPart, ExamScores
from raqa.metrics.groups import GroupError
from raqa.reports.columns import (
    TESTED,
    Cell,
    Column,
    difference_column,
    interval_column,
    seeds_column,
)
from raqa.reports.glossary import EXAMS
from raqa.reports.headline import Detail, Headline, Kind
from raqa.reports.run_tables import Run
from raqa.reports.text import interval_text, number_text, seeds_text
from raqa.reports.values import ends, mean_and_sd, value

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

PLACES = 3
_OFFERED = 2
LOST = ("unreadable", "refused", "unscored")
"""What happens to answers besides being judged."""


def shown_parts(scores: ExamScores) -> Iterator[ExamPart]:
    """All parts but those of a kind that has one part only: it is what all are of."""
    for part in scores.parts:
        if part.by == "all" or sum(one.by == part.by for one in scores.parts) > 1:
            yield part


def part_text(part: ExamPart) -> str:
    """What a part is called, in the words that settings choose questions by."""
    return part.name


def part_columns(scores: ExamScores) -> tuple[tuple[str, Callable[[ExamPart], str]], ...]:
    """Headings and cells of a table of parts; what no part has is left out."""
    parts = scores.parts
    columns: list[tuple[str, Callable[[ExamPart], str]]] = [
        ("n", lambda part: f"{part.counts.questions:,}"),
        ("accuracy", lambda part: seeds_text(part.accuracy, PLACES)),
        ("95 % interval", lambda part: interval_text(part.interval, PLACES)),
    ]
    if any(part.chance.defined for part in parts):
        columns.append(("chance", lambda part: number_text(part.chance, PLACES)))
    if any(part.grade.mean.defined for part in parts):
        columns.append(("1–3", lambda part: seeds_text(part.grade, _OFFERED)))
    for name in LOST:
        if getattr(scores.all.counts, name):
            columns.append((name, _counted(name)))
    return tuple(columns)


def _counted(name: str) -> Callable[[ExamPart], str]:
    """How many answers; of several seeds of how many, since they are more than the questions."""

    def text(part: ExamPart) -> str:
        counts = part.counts
        of = "" if counts.expected == counts.questions else f" of {counts.expected:,}"
        return f"{getattr(counts, name):,}{of}"

    return text


class ExamReport(Kind):
    """Answers to an exam."""

    columns: ClassVar[tuple[Column, ...]] = (
        seeds_column(
            "accuracy", "mean score of what has one; unreadable and refused answers score 0",
            lambda run: run.exam.all.accuracy, PLACES,
        ),
        interval_column(
            "95 % interval", "over subjects", lambda run: run.exam.all.interval, PLACES
        ),
        difference_column(
            "against chance",
            "over choices: chance minus accuracy, with 95 % interval; below 0 is better",
        ),
        seeds_column(
            "1–3", "mean of what open answers were given, 1 to 3 on four criteria",
            lambda run: run.exam.all.grade, _OFFERED,
        ),
        seeds_column(
            "ROUGE-L", "likeness of the wording to the reference's, of answers in words",
            lambda run: run.exam.all.likeness.rouge_l, PLACES,
        ),
        seeds_column(
            "BERTScore", "likeness of meaning to a language model; fluent errors score high",
            lambda run: run.exam.all.likeness.bertscore, PLACES,
        ),
        Column("scored", "answers that have a score, of those that were to be given",
               lambda run: _count(run, "scored")),
        Column("unreadable", "of choices and labels, answers in which none could be found",
               lambda run: _count(run, "unreadable")),
        Column("refused", "answers that decline", lambda run: _count(run, "refused")),
        TESTED,
    )  # fmt: skip
    glossary: ClassVar[tuple[tuple[str, str], ...]] = EXAMS
    best: ClassVar[str] = "The largest accuracy"
    better: ClassVar[str] = "larger"
    picture: ClassVar[tuple[str, str]] = (
        "Part by part",
        "Accuracy with its interval over subjects; hollow: of guessing among what is offered.",
    )

    def headline(self, run: Run) -> Headline:
        """Accuracy over everything that has a score."""
        everything = run.exam.all
        return Headline(
            "accuracy", everything.accuracy, everything.interval, everything.chance,
            places=PLACES, descending=True, named=True,
        )  # fmt: skip

    def results(self, run: Run, style: str) -> Table:
        """A row for each part, then the turns of chains."""
        from rich.table import Table as RichTable
        from rich.text import Text

        from raqa.reports.exam_details import chain_detail
        from raqa.reports.listing import plain_table

        columns = part_columns(run.exam)
        table = plain_table("test answers")
        for heading, _ in columns:
            table.add_column(heading, justify="right", no_wrap=True)
        for part in shown_parts(run.exam):
            first = part.by == "all"
            cells = [Text(cell(part)) for _, cell in columns]
            if first:
                cells[1].stylize(style)
            table.add_row(Text(part_text(part), style="bold" if first else ""), *cells)
        grid = RichTable.grid()
        grid.add_row(table)
        for detail in chain_detail(run):
            turns = plain_table(detail.headings[0])
            for heading in detail.headings[1:]:
                turns.add_column(heading, justify="right", no_wrap=True)
            for row in detail.rows:
                turns.add_row(*map(Text, row))
            grid.add_row("")
            grid.add_row(turns)
        return grid

    def row(self, run: Run) -> dict[str, Any]:
        """The headline's parts, and how many answers counted as what."""
        scores = run.exam
        everything, counts = scores.all, scores.all.counts
        return {
            **mean_and_sd("accuracy", everything.accuracy),
            **ends("headline", everything.interval),
            **mean_and_sd("grade", everything.grade),
            **mean_and_sd("rouge_l", everything.likeness.rouge_l),
            **mean_and_sd("bertscore", everything.likeness.bertscore),
            "chance": value(everything.chance),
            "against_chance": scores.against_baseline,
            "questions": counts.questions,
            "answers_expected": counts.expected,
            **{f"answers_{name}": getattr(counts, name) for name in LOST},
        }

    def summary(self, run: Run) -> dict[str, float]:
        """Accuracy of every part, what chains cost, and what was lost."""
        scores = run.exam
        chains = {} if scores.chains is None else {"cost_of_wrong_first": scores.chains.cost.value}
        return {
            "accuracy": scores.all.accuracy.mean.value,
            **{_tracked(part): part.accuracy.mean.value
               for part in scores.parts if part.by != "all"},
            "baseline_chance": scores.all.chance.value,
            "difference_to_chance": scores.difference.value,
            "grade": scores.all.grade.mean.value,
            "rouge_l": scores.all.likeness.rouge_l.mean.value,
            "bertscore": scores.all.likeness.bertscore.mean.value,
            **chains,
            **{name: float(getattr(scores.all.counts, name)) for name in LOST},
        }  # fmt: skip

    def figure(self, run: Run) -> Figure:
        """Accuracy of every part."""
        from raqa.reports.exam_figure import by_part

        return by_part(run)

    def facts(self, run: Run) -> tuple[tuple[str, str], ...]:
        """Who judged, and what compared the wording."""
        return (
            ("judged by", "; ".join(run.exam.judges) or "nobody"),
            ("BERTScore by", run.exam.text_model or "no model was chosen"),
        )

    def groups(self, run: Run) -> tuple[GroupError, ...]:  # noqa: ARG002
        """None: questions have parts of their own."""
        return ()

    def answers(self, run: Run, answers: pl.DataFrame) -> tuple[Sequence[str], list[list[str]]]:  # noqa: ARG002
        """What was said to a question about files."""
        rows = [[file, said or ""] for file, said in answers.select("file", "answer").iter_rows()]
        return ("file", "answer"), rows

    def details(self, run: Run) -> tuple[Detail, ...]:
        """Parts, chains, and answers that are worded like the reference and judged wrong."""
        from raqa.reports.exam_details import exam_details

        return exam_details(run)


def _tracked(part: ExamPart) -> str:
    """What a tracker calls a part's accuracy; a corpus may be called as anything."""
    return f"accuracy_{part.name if part.by == 'question_type' else f'{part.by}_{part.name}'}"


def _count(run: Run, name: str) -> Cell:
    counts = run.exam.all.counts
    number = getattr(counts, name)
    return Cell(f"{number:,} of {counts.expected:,}", float(number))
