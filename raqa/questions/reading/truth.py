"""Whether what was read from an answer is the truth."""

from __future__ import annotations

import polars as pl

from raqa.questions.reading.facts import JOINT
from raqa.questions.reading.table import Vocabulary, read_answers
from raqa.tables import ANSWERS


def in_order(column: str) -> pl.Expr:
    """Joined labels in one order, so that equal sets are equal."""
    parts = pl.col(column).str.split(JOINT).list.unique().list.sort()
    return parts.list.join(JOINT)


def is_right() -> pl.Expr:
    """Whether the read label is the true one, or the read number near enough.

    A number is right if it is at least as near to the truth as what the reference answer says,
    which is rounded. Needs READ's columns, kind, label, value and the rounding of `rounding`.
    """
    off = (pl.col("read_value") - pl.col("value")).abs()
    near = (off <= pl.col("rounding") * (1 + 1e-9) + 1e-12).fill_null(value=False)
    same = (in_order("read_label") == in_order("label")).fill_null(value=False)
    return pl.when(pl.col("kind") == "numeric").then(near).otherwise(same)


def rounding(questions: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """How far each reference answer is from the true number, 0 where it can not be read.

    Args:
        questions: QUESTIONS columns.

    Returns:
        qa_id and rounding of the numeric ones.
    """
    numbers = questions.filter(pl.col("kind") == "numeric")
    said = pl.DataFrame(
        {"seed": [0] * numbers.height, "qa_id": numbers["qa_id"], "response": numbers["answer"],
         "label": None, "value": None, "probability": None},
        schema=dict(ANSWERS),
    )  # fmt: skip
    read = read_answers(said, numbers, vocabulary).join(
        numbers.select("qa_id", truth="value"), on="qa_id", maintain_order="left"
    )
    off = (pl.col("read_value") - pl.col("truth")).abs().fill_null(0.0)
    return read.select("qa_id", off.alias("rounding"))
