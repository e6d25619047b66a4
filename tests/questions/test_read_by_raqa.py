"""Answers as they are generated are understood by the reader of models' answers."""

from __future__ import annotations

import polars as pl

from raqa.corpora.attributes import ATTRIBUTES
from raqa.questions.reading import Vocabulary, read_answers

from .conftest import Make


def test_the_reader_of_free_text_understands_every_shipped_answer(ask: Make) -> None:
    longest = max(len(one.label_texts) for one in ATTRIBUTES.values())
    values = {}
    for name, one in ATTRIBUTES.items():
        labels = list(one.label_texts) or ["a thing", "another thing"]
        chosen = [labels[place % len(labels)] for place in range(longest)]
        values[name] = [[label] for label in chosen] if one.kind == "multilabel" else chosen
        if one.kind == "numeric":
            values[name] = [((one.low or 0) + (one.high or 9)) / 2] * longest
    asked = ask(**values, wordings="all", balance=False)
    asked = asked.unique(["template_id", "label", "asked_label"], keep="first", maintain_order=True)
    said = asked.select(
        "qa_id", response="answer", label=pl.lit(None, pl.String), value=pl.lit(None, pl.Float64)
    )
    words = Vocabulary(Vocabulary.of(asked).labels)  # no sentences learnt by heart
    read = read_answers(said, asked, words).drop("label", "value")
    misread = read.join(asked, on="qa_id").filter(
        pl.when(pl.col("kind") == "numeric")
        .then((pl.col("read_value") / pl.col("value") - 1).abs().fill_null(1) > 0.01)
        .otherwise(pl.col("read_label").ne_missing(pl.col("label")))
    )
    assert misread.select("question", "answer", "read_label", "read_reason").rows() == []
