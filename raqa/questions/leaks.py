"""Questions asked twice, and what stands on two sides of the split."""

from __future__ import annotations

import polars as pl

from raqa.questions.order import by_attribute


def repeated_questions(questions: pl.LazyFrame) -> pl.DataFrame:
    """Find recordings that are asked the same question twice.

    Returns:
        corpus, attribute, pairs (all of theirs that are too many), contradicting (recording and
        question with different answers), recording_id and question of the first one.
    """
    found = []
    columns = ["recording_id", "question", "answer"]
    for corpus, attribute, rows in by_attribute(questions, columns):
        twice = (
            rows.group_by("recording_id", "question")
            .agg(times=pl.len(), answers=pl.col("answer").n_unique())
            .filter(pl.col("times") > 1)
            .sort("recording_id", "question")
        )
        if twice.height:
            found.append({
                "corpus": corpus,
                "attribute": attribute,
                "pairs": int((twice["times"] - 1).sum()),
                "contradicting": int((twice["answers"] > 1).sum()),
                "recording_id": twice["recording_id"][0],
                "question": twice["question"][0],
            })  # fmt: skip
    schema = {"corpus": pl.String, "attribute": pl.String, "pairs": pl.Int64,
              "contradicting": pl.Int64, "recording_id": pl.String,
              "question": pl.String}  # fmt: skip
    return pl.DataFrame(found, schema=schema)


def crossing(questions: pl.LazyFrame, what: str) -> pl.DataFrame:
    """Find subjects (`what` is subject_id) or recordings (recording_id) in two splits.

    Returns:
        corpus, the id, splits (joined by " + "); without the questions that have no split.
    """
    known = questions.filter(pl.col("split").is_not_null())
    pairs = known.select(pl.col("corpus", what, "split").cast(pl.String)).unique()
    splits = pairs.group_by("corpus", what).agg(splits=pl.col("split").sort())
    several = splits.filter(pl.col("splits").list.len() > 1)
    joined = several.with_columns(pl.col("splits").list.join(" + "))
    return joined.collect(engine="streaming").sort("corpus", what)


def same_audio(questions: pl.LazyFrame, contents: pl.DataFrame) -> pl.DataFrame:
    """Find recordings with questions whose audio is the same, byte for byte.

    Args:
        contents: corpus, recording_id, path and content (a hash; null where there is none);
            segments of one file are not the same audio.

    Returns:
        content, recordings and splits (both joined by " + "), subjects (how many); those in
        several splits first.
    """
    columns = ["corpus", "recording_id", "subject_id", "split"]
    asked = questions.select(pl.col(columns).cast(pl.String)).unique()
    known = contents.lazy().filter(pl.col("content").is_not_null())
    joined = asked.join(known, on=["corpus", "recording_id"]).collect(engine="streaming")
    groups = joined.group_by("content").agg(
        recordings=pl.format("{}:{}", "corpus", "recording_id").unique().sort(),
        splits=pl.col("split").drop_nulls().unique().sort(),
        subjects=pl.struct("corpus", "subject_id").n_unique(),
        files=pl.col("path").n_unique(),
    )
    several = groups.filter(pl.col("files") > 1)
    return several.sort(-pl.col("splits").list.len().cast(pl.Int64), "recordings").select(
        "content",
        pl.col("recordings", "splits").list.join(" + "),
        "subjects",
    )
