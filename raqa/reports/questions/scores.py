"""How well questions are answered without listening, scored and put into sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.labels import LabelScores, score_labels
from raqa.metrics.number import Interval, Number
from raqa.questions.guesses import GUESSERS, TRAINED, Guessed
from raqa.reports.questions.sections import Column, Section, percent, times, words
from raqa.reports.text import interval_text, number_text

TELLING = 0.05
"""Accuracy by which reading the question has to beat the prior before it is called telling."""

_OVER = "over subjects, drawn with all their questions"
_ALL_COLUMNS = (
    Column("question type"),
    Column("guess"),
    Column("n", True, "test questions scored"),
    Column("accuracy (95 %)", True, f"with its interval {_OVER}"),
    Column("macro-F1 (95 %)", True, f"over an attribute's labels, then attributes; {_OVER}"),
)
_EACH_COLUMNS = (
    Column("attribute"),
    Column("question type"),
    Column("n", True, "test questions scored"),
    Column("constant", True, "accuracy"),
    Column("prior", True, "accuracy"),
    Column("reading", True, "accuracy of reading the question only"),
    Column("prior macro-F1", True, page_only=True),
    Column("reading macro-F1", True, page_only=True),
    Column("its 95 % interval", meaning="over subjects", page_only=True),
)


@dataclass(frozen=True)
class Scored:
    """Scores of every guesser on the same questions.

    Attributes:
        attribute: None: all attributes.
        by_guesser: keys are those of GUESSERS.
    """

    attribute: str | None
    question_type: str
    by_guesser: dict[str, LabelScores]

    @property
    def gain(self) -> float:
        """Accuracy that reading the question adds to the prior; NaN where there is none."""
        read, prior = (self.by_guesser[name].accuracy.value for name in ("question_only", "prior"))
        return read - prior


def score_guesses(guesses: pl.DataFrame, resamples: int = 1000) -> list[Scored]:
    """Score guesses for each question type, then for each attribute of it.

    Args:
        guesses: GUESSES columns.
    """
    scored = []
    for (question_type,), rows in guesses.sort("question_type").group_by(
        ["question_type"], maintain_order=True
    ):
        scored.append(_score(None, str(question_type), rows, resamples))
        for (attribute,), some in rows.sort("attribute").group_by(
            ["attribute"], maintain_order=True
        ):
            scored.append(_score(str(attribute), str(question_type), some, resamples))
    return scored


def _score(attribute: str | None, question_type: str, rows: pl.DataFrame, resamples: int) -> Scored:
    subjects = subject_names(rows["corpus"].to_list(), rows["subject_id"].to_list())
    truth, groups = rows["label"].to_list(), rows["attribute"].to_list()
    by_guesser = {
        name: score_labels(
            truth, rows[name].fill_null("").to_list(), groups, subjects, resamples=resamples
        )
        for name in GUESSERS
    }
    return Scored(attribute, question_type, by_guesser)


def guess_sections(guessed: Guessed, scored: Sequence[Scored]) -> list[Section]:
    """Say what can be answered without listening, in all and attribute by attribute."""
    if not scored:
        verdict = "nothing to score: there are no training and test questions with labels"
        return [Section("Answered without listening", verdict)]
    return [_overall(guessed, scored), _by_attribute(scored)]


def _overall(guessed: Guessed, scored: Sequence[Scored]) -> Section:
    rows = [
        (words(one.question_type), words(name), f"{scores.questions:,}",
         _with_interval(scores.accuracy, scores.accuracy_interval),
         _with_interval(scores.macro_f1, scores.macro_f1_interval))
        for one in scored if one.attribute is None
        for name, scores in one.by_guesser.items()
    ]  # fmt: skip
    best = max(
        (one.by_guesser["question_only"].accuracy.value, one.question_type)
        for one in scored
        if one.attribute is None
    )
    drawn = guessed.table.height
    notes = [f"{words(name)}: {text}." for name, text in GUESSERS.items()]
    notes.append(f"Scored on {drawn:,} of {guessed.questions:,} test questions with labels, "
                 "the first of each attribute and question type by hash; question only is learnt "
                 f"from up to {TRAINED:,} of each, drawn with seed 0.")  # fmt: skip
    if any(not one.by_guesser["prior"].macro_f1.defined for one in scored):
        notes.append("n/a: all test questions have the same label, F1 tells nothing apart.")
    verdict = f"up to {percent(best[0])} of {words(best[1])} questions are right by reading only"
    return Section("Answered without listening", verdict, columns=_ALL_COLUMNS, rows=rows,
                   note=" ".join(notes))  # fmt: skip


def _with_interval(number: Number, interval: Interval) -> str:
    if not number.defined or not interval.low.defined:
        return number_text(number)
    return f"{number_text(number)} ({number_text(interval.low)}–{number_text(interval.high)})"


def _by_attribute(scored: Sequence[Scored]) -> Section:
    each = sorted((one for one in scored if one.attribute is not None),
                  key=lambda one: (-one.gain, one.attribute, one.question_type))  # fmt: skip
    telling = [one for one in each if one.gain > TELLING]
    rows = []
    for one in each:
        constant, prior, read = (one.by_guesser[name] for name in GUESSERS)
        rows.append((
            one.attribute or "", words(one.question_type), f"{prior.questions:,}",
            number_text(constant.accuracy), number_text(prior.accuracy),
            number_text(read.accuracy), number_text(prior.macro_f1),
            number_text(read.macro_f1), interval_text(read.macro_f1_interval),
        ))  # fmt: skip
    verdict = (
        f"{times(len(telling), 'target')} where reading the question beats the prior by more "
        f"than {percent(TELLING)}"
    )
    return Section("What the wording tells, by attribute", verdict, fault=bool(telling),
                   columns=_EACH_COLUMNS, rows=rows)  # fmt: skip


def number_section(errors: pl.DataFrame, resamples: int = 1000) -> Section | None:
    """Say how far the training median is from numbers; None: no numbers are asked for."""
    if errors.is_empty():
        return None
    rows = []
    for (corpus, attribute), some in errors.sort("corpus", "attribute").group_by(
        ["corpus", "attribute"], maintain_order=True
    ):
        known = some.filter(pl.col("error").is_not_null())
        error = Number.undefined("no training questions")
        interval = Interval.undefined("no training questions")
        if known.height:
            values = known["error"].to_numpy()[:, None].astype(np.float64)
            error = Number(float(values.mean()))
            (interval,) = subject_intervals(values, known["subject_id"].to_numpy(),
                                            resamples=resamples, seed=0)  # fmt: skip
        median = some["median"][0]
        rows.append((str(corpus), str(attribute), some["unit"][0] or "", f"{some.height:,}",
                     "n/a" if median is None else f"{median:.4g}", number_text(error),
                     interval_text(interval)))  # fmt: skip
    columns = (Column("corpus"), Column("attribute"), Column("unit"), Column("n", True),
               Column("median", True, "of training questions"),
               Column("its MAE", True, "mean absolute error on test questions"),
               Column("95 % interval", meaning=_OVER))  # fmt: skip
    verdict = f"the training median of {times(len(rows), 'attribute')} is the score to beat"
    return Section("Numbers guessed by the median", verdict, columns=columns, rows=rows)
