"""Answers of whole tables, each distinct one read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from raqa.corpora.attributes import ATTRIBUTES, Attribute
from raqa.questions.reading.facts import JOINT, QuestionFacts, facts_about
from raqa.questions.reading.read import read_answer

READ = {
    "outcome": pl.String,  # readable, unreadable, refused, unscored
    "read_label": pl.String,
    "read_value": pl.Float64,
    "read_reason": pl.String,  # why there is neither
}
"""Columns that `read_answers` adds."""

_FACTS = ["attribute", "family", "kind", "unit", "question_type", "question", "asked_label",
          "_options"]  # fmt: skip
_BETWEEN = "\0"


@dataclass(frozen=True)
class Vocabulary:
    """How a collection of questions speaks.

    Attributes:
        labels: valid labels by attribute.
        sentences: by attribute and question type, answers with the label that each means.
    """

    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sentences: Mapping[tuple[str, str], tuple[tuple[str, str], ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, train: pl.DataFrame, test: pl.DataFrame | None = None) -> Vocabulary:
        """What a collection says.

        Sentences are those of the training side: how a test question is answered plays no part.
        Of the test side only the labels are looked at, which say what can be answered at all.

        Args:
            train, test: QUESTIONS columns.
        """
        sides = [train] if test is None else [train, test]
        worded = [side.filter(pl.col("kind") != "numeric") for side in sides]
        stated = [side.filter(pl.col("question_type") != "single_verify") for side in worded]
        labels = (
            pl.concat(
                [side.select("attribute", "label") for side in stated]
                + [side.select("attribute", label="asked_label") for side in worded]
            )
            .with_columns(pl.col("label").str.split(JOINT))
            .explode("label", empty_as_null=True)
            .drop_nulls()
        )
        target = ["attribute", "question_type"]
        known = stated[0].select(*target, "answer", "label").drop_nulls(["answer", "label"])
        clear = pl.col("label").n_unique().over(*target, "answer") == 1
        return cls(
            {name: tuple(rows["label"]) for (name,), rows in _groups(labels, "attribute")},
            {
                (name, kind): tuple(rows.select("answer", "label").iter_rows())
                for (name, kind), rows in _groups(known.filter(clear), *target)
            },
        )


def _groups(table: pl.DataFrame, *by: str) -> Iterator[tuple[tuple[Any, ...], pl.DataFrame]]:
    distinct = table.unique().sort(table.columns)
    yield from distinct.group_by(*by, maintain_order=True)


def read_answers(
    answers: pl.DataFrame, questions: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Read what was said, where the model did not name a label or number itself.

    Args:
        answers: ANSWERS columns.
        questions: QUESTIONS columns, of which those in GOLD are not looked at.

    Returns:
        `answers` in the same order with READ's columns.
    """
    facts = questions.with_columns(pl.col("options").list.join(_BETWEEN).alias("_options"))
    table = answers.join(facts.select("qa_id", *_FACTS), on="qa_id", how="left")
    key = ["response", *_FACTS]
    distinct = table.select(key).unique(maintain_order=True)
    none = distinct.clear().with_columns(
        pl.lit(None, kind()).alias(name) for name, kind in READ.items()
    )
    readings = [
        _read_group(_facts_of(group, vocabulary), rows)
        for group, rows in distinct.group_by(_FACTS, maintain_order=True)
    ]
    table = table.join(
        pl.concat([none, *readings]), on=key, how="left", nulls_equal=True, maintain_order="left"
    )
    return _with_own(table).select(*answers.columns, *READ)


def _facts_of(group: tuple[Any, ...], vocabulary: Vocabulary) -> QuestionFacts:
    name, family, kind, unit, question_type, question, asked, options = group
    units = {} if unit is None else {unit: 1.0}
    made = Attribute(name, family, kind, name.replace("_", " "), unit, units=units)
    return facts_about(
        ATTRIBUTES.get(name, made),  # imported collections may ask about others
        question_type,
        question=question or "",
        offered=() if options is None else options.split(_BETWEEN),
        asked=asked,
        own_labels=vocabulary.labels.get(name, ()),
        known=vocabulary.sentences.get((name, question_type), ()),
    )


def _read_group(facts: QuestionFacts, rows: pl.DataFrame) -> pl.DataFrame:
    """One question's distinct responses."""
    read = [read_answer(response, facts) for response in rows["response"]]
    return rows.with_columns(
        pl.Series("outcome", [one.outcome for one in read], pl.String),
        pl.Series("read_label", [one.label for one in read], pl.String),
        pl.Series("read_value", [one.value for one in read], pl.Float64),
        pl.Series("read_reason", [one.reason or None for one in read], pl.String),
    )


def _with_own(table: pl.DataFrame) -> pl.DataFrame:
    """A label or number that the model names itself needs no reading."""
    own = pl.col("label").is_not_null() | pl.col("value").is_not_null()
    return table.with_columns(
        outcome=pl.when(own).then(pl.lit("readable")).otherwise("outcome"),
        read_label=pl.when(own).then("label").otherwise("read_label"),
        read_value=pl.when(own).then("value").otherwise("read_value"),
        read_reason=pl.when(own).then(None).otherwise("read_reason"),
    )
