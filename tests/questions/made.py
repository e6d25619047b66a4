"""Small collections of questions, as a table that could have been read from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from raqa.tables import QUESTIONS


def rows(
    labels: Mapping[str, str],
    *,
    question_type: str = "open_ended",
    splits: Mapping[str, str] | None = None,
    recordings: int = 1,
    **facts: Any,
) -> list[dict[str, Any]]:
    """Questions about subjects whose label is given, all of them in training unless said."""
    known = {"corpus": "here", "attribute": "asthma", "family": "profile", "kind": "binary",
             "question": "Is there asthma?", **facts}  # fmt: skip
    made = []
    for subject, label in labels.items():
        for recording in range(recordings):
            name = f"{subject}-{recording}"
            identity = f"{known['corpus']}/{name}/{known['attribute']}/{question_type}"
            made.append({
                "qa_id": f"{identity}/{known['question']}",
                "recording_id": name,
                "subject_id": subject,
                "split": (splits or {}).get(subject, "train"),
                "question_type": question_type,
                "template_id": f"{known['attribute']}/{question_type}/0",
                "answer": f"It is {label}.",
                "label": label,
                **known,
            })  # fmt: skip
    return made


def numbers(values: Mapping[str, float], **facts: Any) -> list[dict[str, Any]]:
    """Questions about a number of each subject."""
    made = rows(dict.fromkeys(values, ""), **{"attribute": "age", **facts})
    for row in made:
        row |= {"kind": "numeric", "unit": "year", "value": values[row["subject_id"]],
                "label": None, "question": "How old?"}  # fmt: skip
    return made


def table(*parts: Iterable[Mapping[str, Any]]) -> pl.LazyFrame:
    """A QUESTIONS table of these rows, its columns dictionary-encoded as in a collection."""
    frame = pl.DataFrame([row for part in parts for row in part], schema=dict(QUESTIONS))
    categories = pl.col("corpus", "attribute", "split", "question", "label", "subject_id")
    return frame.lazy().with_columns(categories.cast(pl.Categorical))


def subjects(count: int, label: str, name: str = "") -> dict[str, str]:
    """So many subjects with the same label."""
    return {f"{name or label}{number:03d}": label for number in range(count)}
