"""The judge that only reads: letters of choices, labels and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from raqa.judges.base import (
    NOTHING,
    Found,
    Judge,
    Named,
    Outcome,
    pairs,
    verdicts_table,
    verdicts_text,
    worthless,
)
from raqa.questions.reading import Reading, Vocabulary, read_answers
from raqa.questions.reading.choice import read_choice
from raqa.questions.reading.option_letters import LETTERS
from raqa.questions.reading.truth import is_right, rounding
from raqa.tables import Form

if TYPE_CHECKING:
    from rich.console import Console

VERSION = "1"
"""Raised when the same answer begins to be read in another way."""

RULES = Named("rules", VERSION)
_UNREAD: Mapping[Form, str] = {
    "label": "it is about no known attribute",
    "facts": "it is in free text about no known attribute",
    "concept": "it is in free text",
    "open": "it is in free text",
}
"""Why rules can not read an answer."""


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class RulesJudge(Judge):
    """Decides what can be read, and leaves the rest unscored with the reason.

    Choices are read by letter, labels and numbers as RA-QA's; facts likewise where the question is
    about a known attribute.
    """

    @property
    def identity(self) -> Mapping[str, Any]:
        """The rules' version."""
        return {"judge": RULES.judge, "version": VERSION}

    def judge(
        self,
        items: pl.DataFrame,
        answers: pl.DataFrame,
        *,
        console: Console | None = None,
        stop: Callable[[], bool] = lambda: False,  # noqa: ARG002
    ) -> pl.DataFrame:
        """Read every answer."""
        table = pairs(items, answers)
        readable = reads(table)
        rows = [
            *_choices(table.filter(pl.col("form") == "choice")),
            *_labels(table.filter(readable), answers),
            *_left(table.filter(pl.col("form") != "choice", ~readable)),
        ]
        verdicts = verdicts_table(rows)
        if console is not None:
            console.print(verdicts_text(verdicts), highlight=False, markup=False)
        return verdicts


def reads(table: pl.DataFrame) -> pl.Series:
    """Which rows of EXAM are about a label or number that can be read."""
    known = pl.col("attribute").is_not_null() & (
        pl.col("label").is_not_null() | pl.col("value").is_not_null()
    )
    return table.select(pl.col("form").is_in(["label", "facts"]) & known).to_series()


_Rows = Iterator[tuple[int, str, Named, Found]]


def _choices(table: pl.DataFrame) -> _Rows:
    columns = table.select("seed", "qa_id", "response", "options", "answer")
    known: dict[tuple[str | None, ...], Reading] = {}  # several seeds may say the same
    for seed, qa_id, response, options, answer in columns.iter_rows():
        key = (response, *options)
        read = known[key] = known.get(key) or read_choice(response, options)
        if read.outcome != "readable":
            found = _unread(read.outcome, read.reason)
        elif read.label == LETTERS[options.index(answer)]:
            found = Found("right", score=1.0)
        else:
            found = Found("wrong", f"chose {read.label}", 0.0)
        yield seed, qa_id, RULES, found


def _labels(table: pl.DataFrame, answers: pl.DataFrame) -> _Rows:
    items = table.unique("qa_id").sort("qa_id")
    said = answers.join(items, on="qa_id", how="semi")
    vocabulary = Vocabulary.of(items.clear(), items)
    read = (
        read_answers(said, items, vocabulary)
        .drop("label", "value")
        .join(items.select("qa_id", "kind", "label", "value"), on="qa_id")
        .join(rounding(items, vocabulary), on="qa_id", how="left")
        .with_columns(right=is_right())
    )
    columns = ("seed", "qa_id", "outcome", "read_reason", "read_label", "read_value", "right")
    for seed, qa_id, outcome, reason, label, value, right in read.select(columns).iter_rows():
        if outcome != "readable":
            found = _unread(outcome, reason)
        elif right:
            found = Found("right", score=1.0)
        else:
            found = Found(
                "wrong", f"says {label if label is not None else format(value, 'g')}", 0.0
            )
        yield seed, qa_id, RULES, found


def _left(table: pl.DataFrame) -> _Rows:
    """What rules leave unscored: also refusals, so that what they score is no biased choice."""
    for seed, qa_id, form, response in table.select("seed", "qa_id", "form", "response").rows():
        reason = f"rules can not judge this: {_UNREAD[form]}; judge=language_model does"
        if response is None:
            reason = NOTHING
        yield seed, qa_id, RULES, Found("unscored", reason)


def _unread(outcome: str, reason: str | None) -> Found:
    if outcome == "unscored":
        return Found("unscored", reason)
    read: Outcome = "refused" if outcome == "refused" else "unreadable"
    return worthless("label", read, reason or "")
