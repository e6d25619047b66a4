"""How runs that answer questions are shown: macro-F1 by question type, beside the prior's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from raqa.metrics.answers import AnswerScores, headline_of
from raqa.metrics.groups import GroupError
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.questions import LabelScores, PartScores, QuestionScores
from raqa.reports.columns import (
    TESTED,
    Cell,
    Column,
    difference_column,
    interval_column,
    seeds_column,
)
from raqa.reports.glossary import QUESTIONS
from raqa.reports.headline import Headline, Kind
from raqa.reports.run_tables import Run
from raqa.reports.text import decimals, interval_text, number_text, seeds_text, unit_text
from raqa.reports.values import ends, mean_and_sd, value

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

PLACES = 3
_SHOWN = ("all", "question_type", "corpus")
"""What the terminal shows parts by; a report and `scores_table` have all of them."""

_LABELS = ("macro_f1", "pooled_f1", "balanced_accuracy", "accuracy", "accuracy_readable")
_TEXTS = ("exact_match", "rouge_l", "bertscore", "bertscore_rescaled")
_NONE = OverSeeds.of([Number.undefined("there are no such questions")])


def label_score(scores: QuestionScores, name: str) -> OverSeeds:
    """A score over all questions whose answer is a label."""
    labels = scores.all.labels
    return _NONE if labels is None else getattr(labels, name)


def number_score(scores: QuestionScores, name: str) -> OverSeeds:
    """A score over all questions whose answer is a number."""
    numbers = scores.all.numbers
    return _NONE if numbers is None else getattr(numbers, name)


class QuestionReport(Kind):
    """Answers to questions."""

    columns: ClassVar[tuple[Column, ...]] = (
        seeds_column(
            "macro-F1", "over the answers of each corpus, attribute and question type, averaged",
            lambda run: label_score(run.answering.answers, "macro_f1"), PLACES,
        ),
        interval_column(
            "95 % interval", "of the headline, over subjects",
            lambda run: _headline_interval(run.answering.answers), PLACES,
        ),
        difference_column(
            "against prior",
            "error minus that of the most frequent training answer to the question, with 95 % "
            "interval; below 0 is better",
        ),
        seeds_column(
            "accuracy", "share of right answers; unreadable and refused ones are wrong",
            lambda run: label_score(run.answering.answers, "accuracy"), PLACES,
        ),
        seeds_column(
            "relative MAE", "of numbers: MAE divided by that of the training median",
            lambda run: number_score(run.answering.answers, "relative_mae"), PLACES,
        ),
        seeds_column(
            "BERTScore", "likeness of the wording to the right answer's, raw",
            lambda run: run.answering.answers.all.text.bertscore, PLACES,
        ),
        Column("unreadable", "answers of which no label or number could be read",
               lambda run: _count(run, "unreadable")),
        Column("refused", "answers that decline", lambda run: _count(run, "refused")),
        TESTED,
    )  # fmt: skip
    glossary: ClassVar[tuple[tuple[str, str], ...]] = QUESTIONS
    best: ClassVar[str] = "The largest macro-F1"
    better: ClassVar[str] = "larger"
    picture: ClassVar[tuple[str, str]] = (
        "By question type and corpus",
        "Macro-F1 of the model, with its interval, beside that of the question prior.",
    )

    def headline(self, run: Run) -> Headline:
        """Macro-F1 where any answer is a label, else the relative MAE."""
        scores = run.answering
        name, descending = scores.named
        return Headline(
            name,
            headline_of(scores.answers),
            _headline_interval(scores.answers),
            scores.prior_headline,
            places=PLACES,
            descending=descending,
            named=True,
        )

    def results(self, run: Run, style: str) -> Table:
        """A row for all questions, each question type and each corpus; the prior's beside it."""
        from rich.table import Table as RichTable

        scores = run.answering
        grid = RichTable.grid()
        if scores.answers.all.labels is not None:
            grid.add_row(_label_table(scores, style))
        if scores.answers.all.numbers is not None:
            grid.add_row(_number_table(scores, style))
        return grid

    def row(self, run: Run) -> dict[str, Any]:
        """The headline's parts, and how many answers counted as what."""
        scores, counts = run.answering, run.answering.answers.all.counts
        labels = {name: label_score(scores.answers, name) for name in ("macro_f1",
                  "balanced_accuracy")}  # fmt: skip
        return {
            **{key: one for name, score in labels.items() for key, one in
               mean_and_sd(name, score).items()},
            **mean_and_sd("accuracy", label_score(scores.answers, "accuracy")),
            **mean_and_sd("relative_mae", number_score(scores.answers, "relative_mae")),
            **ends("headline", _headline_interval(scores.answers)),
            "headline_prior": value(scores.prior_headline),
            "against_prior": scores.against_baseline,
            "questions": counts.questions,
            "answers_expected": counts.expected,
            "answers_unreadable": counts.unreadable,
            "answers_refused": counts.refused,
            "answers_unscored": counts.unscored,
        }  # fmt: skip

    def summary(self, run: Run) -> dict[str, float]:
        """Every score over all questions, the prior's headline and the difference."""
        scores = run.answering
        counts = scores.answers.all.counts
        return {
            **{name: label_score(scores.answers, name).mean.value for name in _LABELS},
            **{name: getattr(scores.answers.all.text, name).mean.value for name in _TEXTS},
            "relative_mae": number_score(scores.answers, "relative_mae").mean.value,
            "baseline_prior": scores.prior_headline.value,
            "difference_to_prior": scores.difference.value,
            "unreadable": float(counts.unreadable),
            "refused": float(counts.refused),
            "unscored": float(counts.unscored),
        }

    def figure(self, run: Run) -> Figure:
        """Macro-F1 by question type and corpus."""
        from raqa.reports.question_figure import by_part

        return by_part(run)

    def facts(self, run: Run) -> tuple[tuple[str, str], ...]:
        """What compared the wording."""
        model = run.answering.answers.text_model
        return (("BERTScore by", model or "no model was chosen"),)

    def groups(self, run: Run) -> tuple[GroupError, ...]:  # noqa: ARG002
        """None: questions have groups of their own."""
        return ()

    def answers(self, run: Run, answers: pl.DataFrame) -> tuple[Sequence[str], list[list[str]]]:  # noqa: ARG002
        """What was said to a question about files."""
        rows = [
            [file, said or "", "" if share is None else f"{share:.2f}"]
            for file, said, share in answers.select("file", "answer", "probability").iter_rows()
        ]
        return ("file", "answer", "probability"), rows


def _parts(scores: QuestionScores) -> Iterator[PartScores]:
    """The parts that are shown; one corpus is what all are of."""
    for by in _SHOWN:
        parts = [part for part in scores.parts if part.by == by]
        if by != "corpus" or len(parts) > 1:
            yield from parts


def _label_table(scores: AnswerScores, style: str) -> Table:
    """Questions whose answer is a label: everything, by question type and by corpus."""
    from rich.text import Text

    from raqa.reports.listing import plain_table

    table = plain_table("test answers", "n")
    lost = _lost(scores)
    for heading in ("macro-F1", "95 % interval", "prior", "accuracy", *lost):
        table.add_column(heading, justify="right", no_wrap=True)
    for part in _parts(scores.answers):
        prior, labels = scores.prior_part(part), part.labels
        if labels is None:
            continue
        constant = _NONE if prior is None or prior.labels is None else prior.labels.macro_f1
        first = part.by == "all"
        table.add_row(
            Text(part.name.replace("_", " "), style="bold" if first else ""),
            f"{labels.asked:,}",
            Text(seeds_text(labels.macro_f1, PLACES), style=style if first else ""),
            interval_text(labels.macro_f1_interval, PLACES),
            number_text(constant.mean, PLACES),
            number_text(labels.accuracy.mean, PLACES),
            *(f"{getattr(part.counts, name):,}" for name in lost),
        )
    return table


def _number_table(scores: AnswerScores, style: str) -> Table:
    """Questions whose answer is a number: the error of every attribute in its unit."""
    from rich.text import Text

    from raqa.reports.listing import plain_table

    table = plain_table("test numbers", "n")
    lost = _lost(scores)
    for heading in ("MAE", "95 % interval", "median's", "ratio", *lost):
        table.add_column(heading, justify="right", no_wrap=True)
    for part in scores.answers.parts:
        numbers = part.numbers
        if part.by != "attribute" or numbers is None:
            continue
        unit = unit_text(numbers.unit)
        table.add_row(
            f"{part.name.replace('_', ' ')} ({unit})" if unit else part.name.replace("_", " "),
            f"{part.counts.questions:,}",
            Text(seeds_text(numbers.mae, decimals(numbers.unit)), style=style),
            interval_text(numbers.mae_interval, decimals(numbers.unit)),
            number_text(numbers.median_mae, decimals(numbers.unit)),
            number_text(numbers.relative_mae.mean),
            *(f"{getattr(part.counts, name):,}" for name in lost),
        )
    return table


def _lost(scores: AnswerScores) -> tuple[str, ...]:
    """What happened to any answer besides being right or wrong; columns of it are shown."""
    counts = scores.answers.all.counts
    return tuple(name for name in ("unreadable", "refused", "unscored") if getattr(counts, name))


def _headline_interval(scores: QuestionScores) -> Interval:
    labels: LabelScores | None = scores.all.labels
    if labels is not None:
        return labels.macro_f1_interval
    assert scores.all.numbers is not None
    return scores.all.numbers.relative_mae_interval


def _count(run: Run, name: str) -> Cell:
    counts = run.answering.answers.all.counts
    number = getattr(counts, name)
    return Cell(f"{number:,} of {counts.expected:,}", float(number))
