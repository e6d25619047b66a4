"""Answers of whole tables, each distinct one read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from raqa.corpora.attributes import attribute
from raqa.questions.reading.facts import JOINT, facts_about
from raqa.questions.reading.read import read_answer

_FACTS = ["attribute", "question_type", "question", "asked_label", "options"]

READ = {
    "outcome": pl.String,  # readable, unreadable, refused, unscored
    "read_label": pl.String,
    "read_value": pl.Float64,
    "read_reason": pl.String,  # why there is neither
}
"""Columns that `read_answers` adds."""


def valid_labels(questions: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """The labels of each attribute with labels, as far as questions have them, sorted.

    Args:
        questions: QUESTIONS columns.
    """
    given = questions.filter(pl.col("kind") != "numeric")
    stated = given.filter(pl.col("question_type") != "single_verify").select("attribute", "label")
    asked = given.select("attribute", label="asked_label")
    labels = (
        pl.concat([stated, asked])
        .with_columns(pl.col("label").str.split(JOINT))
        .explode("label")
        .drop_nulls()
        .unique()
        .sort("attribute", "label")
    )
    return {
        str(name[0]): tuple(rows["label"])
        for name, rows in labels.group_by("attribute", maintain_order=True)
    }


def read_answers(
    answers: pl.DataFrame, questions: pl.DataFrame, labels: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Read what was said, where no label or number was given beside it.

    Args:
        answers: ANSWERS columns and those of QUESTIONS that tell the question.
        labels: valid labels by attribute, see `valid_labels`.

    Returns:
        `answers` in the same order with READ's columns.

    Raises:
        UserError: an attribute is not in the registry.
    """
    facts = questions.select("qa_id", *_FACTS)
    table = answers.join(facts, on="qa_id", how="left", maintain_order="left")
    key = ["response", *_FACTS]
    distinct = table.select(key).unique(maintain_order=True)
    readings = []
    for group, rows in distinct.group_by(_FACTS, maintain_order=True):
        name, question_type, question, asked, options = group
        known = facts_about(
            attribute(str(name)),
            str(question_type),
            question=str(question or ""),
            offered=list(options) if options is not None else (),  # type: ignore[call-overload]
            asked=None if asked is None else str(asked),
            own_labels=labels.get(str(name), ()),
        )
        read = [read_answer(response, known) for response in rows["response"]]
        readings.append(
            rows.with_columns(
                pl.Series("outcome", [one.outcome for one in read], pl.String),
                pl.Series("read_label", [one.label for one in read], pl.String),
                pl.Series("read_value", [one.value for one in read], pl.Float64),
                pl.Series("read_reason", [one.reason or None for one in read], pl.String),
            )
        )
    none = distinct.clear().with_columns(
        pl.lit(None, kind()).alias(name) for name, kind in READ.items()
    )
    read_rows = pl.concat([none, *readings])
    table = table.join(read_rows, on=key, how="left", nulls_equal=True, maintain_order="left")
    return _with_own(table).select(*answers.columns, *READ)


def _with_own(table: pl.DataFrame) -> pl.DataFrame:
    """A label or number that the model names itself needs no reading."""
    own = pl.col("label").is_not_null() | pl.col("value").is_not_null()
    return table.with_columns(
        outcome=pl.when(own).then(pl.lit("readable")).otherwise("outcome"),
        read_label=pl.when(own).then("label").otherwise("read_label"),
        read_value=pl.when(own).then("value").otherwise("read_value"),
        read_reason=pl.when(own).then(None).otherwise("read_reason"),
    )
