"""Some questions of every kind, to be looked at and listened to."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from raqa.questions.order import by_attribute, hashed_names
from raqa.tables import QUESTIONS

ROWS = 2_000
"""Questions on the page."""

_STRATUM = ["corpus", "attribute", "question_type", "split", "label"]
_KEYS = ["qa_id", "recording_id", "question_type", "split", "label", "value"]


@dataclass(frozen=True)
class Drawn:
    """Questions drawn for a page.

    Attributes:
        table: QUESTIONS columns, in an order that shows every kind early.
        questions: how many there are in the collection.
        strata: kinds (corpus, attribute, question type, split and label) there are.
        strata_shown: of which the table has at least one question.
        heard_first: whether recordings that are at hand were preferred.
    """

    table: pl.DataFrame
    questions: int
    strata: int
    strata_shown: int
    heard_first: bool = False


def draw(
    questions: pl.LazyFrame,
    rows: int = ROWS,
    *,
    at_hand: pl.DataFrame | None = None,
    seed: int = 0,
) -> Drawn:
    """Draw questions in rounds: one of every kind, then a second of every kind, and so on.

    Within a kind recordings come in the order of their hash, so that the kinds share recordings
    and few of them have to be copied. Numbers above and below their median are two kinds.

    Args:
        at_hand: corpus and recording_id of recordings that come before all others of their kind.
    """
    count, found = 0, []
    for corpus, attribute, keys in by_attribute(questions, _KEYS):
        count += keys.height
        first = pl.Series(dtype=pl.String)
        if at_hand is not None:
            first = at_hand.filter(pl.col("corpus") == corpus)["recording_id"]
        marked = keys.with_columns(later=~pl.col("recording_id").is_in(first.implode()))
        found.append(_ranked(marked, corpus, attribute, seed).filter(pl.col("round") < rows))
    if not found:
        return Drawn(pl.DataFrame(schema=dict(QUESTIONS)), 0, 0, 0)
    ranked = pl.concat(found)
    strata = ranked.select(_STRATUM).n_unique()
    chosen = ranked.sort("round", "later", "order", "qa_id").head(rows).with_row_index("place")
    places = chosen.select("corpus", "qa_id", "place")
    texts = questions.with_columns(pl.col("corpus", "qa_id").cast(pl.String))
    table = (
        texts.filter(pl.col("qa_id").is_in(places["qa_id"].implode()))
        .collect(engine="streaming")
        .join(places, on=["corpus", "qa_id"], how="inner")
        .sort("place")
        .with_columns(pl.selectors.categorical().cast(pl.String))
        .select(list(QUESTIONS))
    )
    shown = chosen.select(_STRATUM).n_unique()
    return Drawn(table, count, strata, shown, at_hand is not None)


def _ranked(keys: pl.DataFrame, corpus: str, attribute: str, seed: int) -> pl.DataFrame:
    above = pl.when(pl.col("value") > pl.col("value").median()).then(pl.lit("above the median"))
    label = pl.coalesce("label", above, pl.lit("up to the median"))
    ranked = keys.select(
        "qa_id",
        "question_type",
        "split",
        "later",
        corpus=pl.lit(corpus),
        attribute=pl.lit(attribute),
        label=label,
        order=hashed_names(keys["recording_id"], f"{seed}/{corpus}"),
    ).sort("later", "order", "qa_id")
    return ranked.with_columns(round=pl.int_range(pl.len()).over(_STRATUM))
