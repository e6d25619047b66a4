"""What a collection of questions holds: the figures of RA-QA's Table 1, and where it is lopsided.

All of it is counted in one stream over the rows; what is held in memory are distinct texts.
"""

from __future__ import annotations

import io
from importlib.resources import files

import polars as pl

STATISTICS = {
    "corpus": pl.String,  # "all" in the last row
    "recordings": pl.Int64,
    "subjects": pl.Int64,
    "seconds": pl.Float64,  # mean duration; null where the recordings are not at hand
    "question_words": pl.Float64,  # mean over pairs
    "questions": pl.Int64,  # different texts, options included
    "wordings": pl.Int64,  # different ones, whatever the order of options
    "answer_words": pl.Float64,
    "answers": pl.Int64,  # different texts
    "pairs": pl.Int64,
}
"""Columns of the statistics, a row for each corpus and one for all."""

DOMINANT = 0.95
"""Where one answer is more frequent than this, hardly anything is asked."""

ALL = "all"


def collection_statistics(
    questions: pl.LazyFrame, durations: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Count a collection.

    Args:
        questions: QUESTIONS columns.
        durations: corpus, recording_id and seconds of the recordings that could be decoded.

    Returns:
        STATISTICS columns; all null in `seconds` where no recording is asked about and decoded.
    """
    told = [_texts(questions, "question"), _texts(questions, "answer"), _counts(questions)]
    if durations is not None:
        told.append(_durations(questions, durations))
    table = told[0]
    for other in told[1:]:
        table = table.join(other, on="corpus", how="left")
    missing = [
        pl.lit(None, kind).alias(name)
        for name, kind in STATISTICS.items()
        if name not in table.columns
    ]
    table = table.with_columns(missing).sort(pl.col("corpus") == ALL, "corpus")
    return table.select(pl.col(name).cast(kind) for name, kind in STATISTICS.items())


def published_statistics() -> pl.DataFrame:
    """Table 1 of the RA-QA paper; STATISTICS columns without subjects and wordings."""
    text = files("raqa.questions").joinpath("published_statistics.csv").read_text("utf-8")
    table = pl.read_csv(io.StringIO(text))
    return table.cast({name: STATISTICS[name] for name in table.columns})


def _with_all(rows: pl.LazyFrame) -> pl.LazyFrame:
    """The same rows once more as a corpus of all."""
    return pl.concat([rows, rows.with_columns(corpus=pl.lit(ALL))])


def _texts(questions: pl.LazyFrame, name: str) -> pl.DataFrame:
    """Mean words, different texts, and of questions the number of pairs."""
    counts = (
        questions.select(pl.col("corpus", name).cast(pl.String))
        .group_by("corpus", name)
        .agg(pairs=pl.len())
        .collect(engine="streaming")
        .with_columns(words=pl.col(name).str.count_matches(r"\S+"))
    )
    summary = (
        _with_all(counts.lazy())
        .group_by("corpus")
        .agg(
            (pl.col("words") * pl.col("pairs")).sum() / pl.col("pairs").sum(),
            pl.col(name).n_unique().alias(f"{name}s"),
            pl.col("pairs").sum(),
        )
        .rename({"words": f"{name}_words"})
        .collect()
    )
    return summary if name == "question" else summary.drop("pairs")


def _counts(questions: pl.LazyFrame) -> pl.DataFrame:
    """Different recordings, subjects and wordings; ids are of their corpus."""
    found = pl.DataFrame(schema={"corpus": pl.String})
    for name, columns in (
        ("recordings", ["recording_id"]),
        ("subjects", ["subject_id"]),
        ("wordings", ["template_id", "asked_label"]),
    ):
        pairs = questions.select(pl.col("corpus", *columns).cast(pl.String)).unique()
        each = pairs.group_by("corpus").agg(pl.len().alias(name)).collect(engine="streaming")
        whole = pairs.select(columns).unique() if name == "wordings" else pairs
        count = whole.select(pl.len().alias(name)).collect(engine="streaming")
        both = pl.concat([each, count.select(corpus=pl.lit(ALL), **{name: pl.col(name)})])
        found = both if found.is_empty() else found.join(both, on="corpus", how="left")
    return found


def _durations(questions: pl.LazyFrame, durations: pl.DataFrame) -> pl.DataFrame:
    asked = questions.select(pl.col("corpus", "recording_id").cast(pl.String)).unique()
    known = asked.join(durations.lazy(), on=["corpus", "recording_id"])
    means = _with_all(known).group_by("corpus").agg(pl.col("seconds").mean())
    return means.collect(engine="streaming")


def dominant_answers(questions: pl.LazyFrame, above: float = DOMINANT) -> pl.DataFrame:
    """List corpus, attribute and question type where one label is nearly always the answer.

    Returns:
        corpus, attribute, question_type, label, share, pairs, subjects; the worst first.
    """
    group = ["corpus", "attribute", "question_type"]
    counts = _labelled(questions).group_by(*group, "label").agg(answered=pl.len().cast(pl.Int64))
    whole = (
        _labelled(questions)
        .group_by(group)
        .agg(pairs=pl.len().cast(pl.Int64), subjects=pl.col("subject_id").n_unique())
        .collect(engine="streaming")
    )
    top = counts.collect(engine="streaming").sort("answered", "label", descending=[True, False])
    top = top.unique(group, keep="first", maintain_order=True)
    found = top.join(whole, on=group).with_columns(share=pl.col("answered") / pl.col("pairs"))
    return (
        found.filter(pl.col("share") > above)
        .sort(-pl.col("share"), *group)
        .select(*group, "label", "share", "pairs", "subjects")
    )


def yes_rates(questions: pl.LazyFrame) -> pl.DataFrame:
    """How often each yes/no question is answered with yes.

    Returns:
        corpus, split, attribute, question, pairs, yes (a share); farthest from a half first.
    """
    group = ["corpus", "split", "attribute", "question"]
    rates = (
        questions.filter(pl.col("question_type") == "single_verify")
        .select(pl.col(*group, "label").cast(pl.String))
        .group_by(group)
        .agg(pairs=pl.len().cast(pl.Int64), yes=(pl.col("label") == "yes").mean())
        .collect(engine="streaming")
    )
    return rates.sort(-(pl.col("yes") - 0.5).abs(), -pl.col("pairs"), *group)


def shared_texts(questions: pl.LazyFrame) -> pl.DataFrame:
    """Questions that ask about two attributes with the same words: question, attributes."""
    pairs = questions.select(pl.col("question", "attribute").cast(pl.String)).unique()
    found = pairs.group_by("question").agg(attributes=pl.col("attribute").sort())
    several = found.filter(pl.col("attributes").list.len() > 1)
    return several.collect(engine="streaming").sort("question")


def _labelled(questions: pl.LazyFrame) -> pl.LazyFrame:
    """Questions with labels; numbers have none."""
    known = ["corpus", "attribute", "question_type", "label", "subject_id"]
    return questions.filter(pl.col("label").is_not_null()).select(pl.col(known).cast(pl.String))
