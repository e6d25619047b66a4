"""Every answer judged against the truth: right, wrong, unreadable, refused or unscored."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from raqa.questions.reading import Vocabulary, read_answers
from raqa.questions.reading.truth import in_order, is_right, rounding
from raqa.tables import ANSWERS, QUESTIONS, check_table

OUTCOMES = ("right", "wrong", "unreadable", "refused", "unscored")

GROUP = ("corpus", "attribute", "question_type")
"""What macro-F1 is computed within."""

_FACTS = ("corpus", "subject_id", "attribute", "family", "kind", "question_type", "unit", "answer")

JUDGED = {
    "seed": pl.Int64,
    "qa_id": pl.String,
    **{name: QUESTIONS[name] for name in _FACTS},
    "response": pl.String,
    "truth": pl.String,  # label; several in alphabetical order, joined
    "said": pl.String,  # label read from the answer, likewise; null where there is none
    "true_value": pl.Float64,
    "said_value": pl.Float64,
    "outcome": pl.String,  # one of OUTCOMES
    "median_error": pl.Float64,  # of a number: |training median - truth|
    "worst_error": pl.Float64,  # of a number: the farthest that training's range has from the truth
}
"""What `judge` returns, a row for every seed and test question."""


def judge(
    train: pl.DataFrame, test: pl.DataFrame, answers: pl.DataFrame, *, seeds: Sequence[int] = ()
) -> pl.DataFrame:
    """Judge all answers; a question that a seed did not answer is unscored.

    A number is right if it is at least as near to the truth as what the reference answer says,
    which is rounded.

    Args:
        train, test: QUESTIONS columns of the two sides.
        answers: ANSWERS columns.
        seeds: seeds that were to answer; none: those that did.

    Returns:
        JUDGED columns, sorted by seed and qa_id.

    Raises:
        ValueError: answers to questions that are not in `test`, or by other seeds.
    """
    train, test = (_plain(side, name) for side, name in ((train, "training"), (test, "test")))
    answers = check_table(answers, ANSWERS, name="answers", key=["seed", "qa_id"]).select(*ANSWERS)
    expected = seeds or answers["seed"].unique().sort().to_list()
    asked = pl.DataFrame({"seed": expected}, schema={"seed": pl.Int64}).join(test, how="cross")
    unknown = answers.join(asked, on=["seed", "qa_id"], how="anti")
    if unknown.height:
        raise ValueError(f"{unknown.height:,} answer(s) to no test question, such as "
                         f"{unknown.row(0, named=True)}")  # fmt: skip
    vocabulary = Vocabulary.of(train, test)
    read = read_answers(answers, test, vocabulary).drop("label", "value", "probability")
    table = (
        asked.join(read, on=["seed", "qa_id"], how="left")
        .join(_numbers_known(train, test), on="qa_id", how="left")
        .join(rounding(test, vocabulary), on="qa_id", how="left")
        .with_columns(truth=in_order("label"), said=in_order("read_label"))
    )
    outcome = (
        pl.when(pl.col("outcome").is_null())
        .then(pl.lit("unscored"))
        .when(pl.col("outcome") != "readable")
        .then("outcome")
        .when(is_right())
        .then(pl.lit("right"))
        .otherwise(pl.lit("wrong"))
    )
    table = table.with_columns(outcome=outcome, true_value="value", said_value="read_value")
    return table.select(*JUDGED).sort("seed", "qa_id")


def _plain(side: pl.DataFrame, name: str) -> pl.DataFrame:
    """QUESTIONS columns as plain text, checked."""
    texts = side.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    return check_table(texts, QUESTIONS, name=name, key=["qa_id"]).select(*QUESTIONS)


def _numbers_known(train: pl.DataFrame, test: pl.DataFrame) -> pl.DataFrame:
    """Errors of the training median and of the worst number within training's range.

    Training is that of the same corpus and attribute, or of the attribute where the corpus has
    none.
    """
    values = train.filter(pl.col("value").is_not_null())
    summary = [pl.col("value").median().alias("middle"), pl.col("value").min().alias("low"),
               pl.col("value").max().alias("high")]  # fmt: skip
    numbers = test.filter(pl.col("value").is_not_null()).select(
        "qa_id", "corpus", "attribute", "value"
    )
    own = numbers.join(
        values.group_by("corpus", "attribute").agg(summary), on=["corpus", "attribute"], how="left"
    )
    other = numbers.join(values.group_by("attribute").agg(summary), on="attribute", how="left")
    joined = own.join(other, on="qa_id", suffix="_other")
    middle, low, high = (pl.coalesce(name, f"{name}_other") for name in ("middle", "low", "high"))
    truth = pl.col("value")
    return joined.select(
        "qa_id",
        median_error=(middle - truth).abs(),
        worst_error=pl.max_horizontal((low - truth).abs(), (high - truth).abs()),
    )
