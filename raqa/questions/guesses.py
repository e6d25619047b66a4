"""Answers guessed without hearing anything: from labels' frequencies, and from the question's text.

A model that is not better than these has not been shown to listen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from raqa.questions.order import by_attribute, hashed

GUESSERS = {
    "constant": "the label that is most frequent in training, one for each question type",
    "prior": "the label most frequent for this attribute, question type and asked label",
    "question_only": "logistic regression on the question's words, never on the recording",
}
"""Who guesses, and how."""

GUESSES = {
    "corpus": pl.String,
    "subject_id": pl.String,
    "attribute": pl.String,
    "question_type": pl.String,
    "label": pl.String,
    **dict.fromkeys(GUESSERS, pl.String),
}
"""Columns of guesses, a row for each test question that was drawn; null: not in training."""

PER_ATTRIBUTE = 2_000
"""Test questions drawn by hash for each attribute and question type."""

TRAINED = 5_000
"""Training questions that reading learns from, drawn for each attribute and question type."""

FEATURES = 2**14
"""Places for hashed words and pairs and triples of them."""

_TARGET = ["attribute", "question_type"]


@dataclass(frozen=True)
class Guessed:
    """Guesses about test questions.

    Attributes:
        table: GUESSES columns.
        questions: how many test questions with a label there are, of which the table has some.
    """

    table: pl.DataFrame
    questions: int


def guess_answers(
    questions: pl.LazyFrame, *, per_attribute: int = PER_ATTRIBUTE, seed: int = 0
) -> Guessed:
    """Learn from training questions, guess test questions.

    All corpora are learnt together, as a question does not say where it was recorded.
    """
    labelled = questions.filter(pl.col("label").is_not_null())
    training = _training(labelled)
    test, count = _test(labelled, per_attribute, seed)
    if training.is_empty() or test.is_empty():
        return Guessed(pl.DataFrame(schema=GUESSES), count)
    told = []
    for (attribute, question_type), asked in test.group_by(_TARGET, maintain_order=True):
        seen = training.filter(attribute=attribute, question_type=question_type)
        texts = seen.group_by("question", "label").agg(pl.col("pairs").sum())
        read = _read_question(texts.sort("question", "label"), asked["question"], seed)
        told.append(asked.with_columns(question_only=read))
    guesses = pl.concat(told)
    for name, keys in (("constant", ["question_type"]), ("prior", [*_TARGET, "asked_label"])):
        frequent = _most_frequent(training, keys).rename({"label": name})
        guesses = guesses.join(frequent, on=keys, how="left", nulls_equal=True)
    return Guessed(guesses.select(list(GUESSES)), count)


def median_errors(questions: pl.LazyFrame, per_attribute: int = PER_ATTRIBUTE) -> pl.DataFrame:
    """Guess numbers by the median of training, the best constant for the mean absolute error.

    Returns:
        corpus, subject_id, attribute, unit, median and error (both in the unit), a row for each
        test question that was drawn.
    """
    told = []
    numbers = questions.filter(pl.col("value").is_not_null())
    columns = ["qa_id", "subject_id", "split", "unit", "value"]
    for corpus, attribute, rows in by_attribute(numbers, columns):
        median = rows.filter(pl.col("split") == "train")["value"].median()
        test = rows.filter(pl.col("split") == "test")
        drawn = test.sort(hashed(test["qa_id"], "median")).head(per_attribute)
        told.append(drawn.select(
            "subject_id", "unit", corpus=pl.lit(corpus), attribute=pl.lit(attribute),
            median=pl.lit(median, pl.Float64),
            error=(pl.col("value") - pl.lit(median, pl.Float64)).abs(),
        ))  # fmt: skip
    columns = ["corpus", "subject_id", "attribute", "unit", "median", "error"]
    kinds: dict[str, Any] = {"median": pl.Float64, "error": pl.Float64}
    empty = pl.DataFrame(schema={name: kinds.get(name, pl.String) for name in columns})
    return pl.concat([empty, *(one.select(columns) for one in told)])


def _training(labelled: pl.LazyFrame) -> pl.DataFrame:
    """Training questions, each different one once with how often it stands there."""
    group = [*_TARGET, "asked_label", "question", "label"]
    rows = labelled.filter(pl.col("split") == "train").select(pl.col(group).cast(pl.String))
    counts = rows.group_by(group).agg(pairs=pl.len().cast(pl.Int64))
    return counts.collect(engine="streaming").sort(group)


def _test(labelled: pl.LazyFrame, per_attribute: int, seed: int) -> tuple[pl.DataFrame, int]:
    columns = ["qa_id", "subject_id", "question_type", "asked_label", "question", "label"]
    count, drawn = 0, []
    for rows in _test_rows(labelled, columns):
        count += rows.height
        ordered = rows.with_columns(order=hashed(rows["qa_id"], f"test/{seed}"))
        drawn.append(_first(ordered, per_attribute))
    if not drawn:
        return pl.DataFrame(schema={"question": pl.String}), 0
    return _first(pl.concat(drawn), per_attribute).sort(*_TARGET, "order", "qa_id"), count


def _test_rows(labelled: pl.LazyFrame, columns: list[str]) -> Iterator[pl.DataFrame]:
    test = labelled.filter(pl.col("split") == "test")
    for corpus, attribute, rows in by_attribute(test, columns):
        yield rows.with_columns(corpus=pl.lit(corpus), attribute=pl.lit(attribute))


def _first(rows: pl.DataFrame, count: int) -> pl.DataFrame:
    ranked = rows.sort("order", "qa_id")
    return ranked.filter(pl.int_range(pl.len()).over(_TARGET) < count)


def _most_frequent(training: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    counts = training.group_by(*keys, "label").agg(pl.col("pairs").sum())
    ordered = counts.sort(-pl.col("pairs"), "label")
    return ordered.unique(keys, keep="first", maintain_order=True).select(*keys, "label")


def _read_question(seen: pl.DataFrame, asked: pl.Series, seed: int) -> pl.Series:
    """Learn labels from the words of questions and guess those of others."""
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import SGDClassifier

    if seen.is_empty():
        return pl.Series([None] * len(asked), dtype=pl.String)
    pairs = seen["pairs"].to_numpy()
    random = np.random.default_rng(seed)
    rows = random.choice(len(pairs), min(TRAINED, pairs.sum()), p=pairs / pairs.sum())
    learnt = seen[rows]
    if learnt["label"].n_unique() < 2:
        return pl.Series([learnt["label"][0]] * len(asked), dtype=pl.String)
    words = HashingVectorizer(n_features=FEATURES, ngram_range=(1, 3))
    model = SGDClassifier(
        loss="log_loss", alpha=1e-5, max_iter=20, tol=None, average=True, random_state=seed
    )
    model.fit(words.transform(seen["question"].to_list())[rows], learnt["label"].to_numpy())
    texts = asked.unique(maintain_order=True)
    guessed = [str(label) for label in model.predict(words.transform(texts.to_list()))]
    return asked.replace_strict(texts, pl.Series(guessed), return_dtype=pl.String)
