"""Labels that follow the corpus: who knows where a recording comes from has half the answer."""

from __future__ import annotations

import polars as pl

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.shortcuts import SHORTCUTS, find_shortcuts
from raqa.questions.order import by_attribute, hashed_names

_SUBJECT = ["corpus", "subject_id"]


def follow_corpus(questions: pl.LazyFrame) -> pl.DataFrame:
    """Set the labels of attributes that several corpora have against the corpus.

    Yes/no questions are left out, what is asked in them is chosen. Of each subject the label of
    one recording counts, drawn by hash.

    Returns:
        SHORTCUTS columns, a row for each attribute of several corpora.
    """
    asked = questions.filter(pl.col("question_type") != "single_verify")
    tables: dict[str, list[pl.DataFrame]] = {}
    for corpus, attribute, rows in by_attribute(
        asked, ["subject_id", "recording_id", "label", "value"]
    ):
        if attribute in ATTRIBUTES:
            told = "value" if ATTRIBUTES[attribute].kind == "numeric" else "label"
            known = rows.filter(pl.col(told).is_not_null())
            ordered = known.sort(hashed_names(known["recording_id"], corpus), "recording_id")
            drawn = ordered.unique("subject_id", keep="first", maintain_order=True)
            tables.setdefault(attribute, []).append(
                drawn.select(
                    pl.lit(corpus).alias("corpus"), "subject_id", pl.col(told).alias(attribute)
                )
            )
    shared = [pl.concat(some) for some in tables.values() if len(some) > 1]
    if not shared:
        return pl.DataFrame(schema=SHORTCUTS)
    wide = pl.concat(shared, how="align") if len(shared) > 1 else shared[0].sort(_SUBJECT)
    named = pl.format("{}:{}", *_SUBJECT)
    return find_shortcuts(
        wide.with_columns(subject_id=named, content=named, subject_known=True), ["corpus"]
    )
