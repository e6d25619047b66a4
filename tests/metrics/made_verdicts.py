"""Small exams with answers and verdicts, made on the spot."""

from __future__ import annotations

from typing import Any

import polars as pl

from raqa.tables import ANSWERS, EXAM, EXAM_FORMS, FOLD, VERDICTS


def asked(*rows: dict[str, Any]) -> pl.DataFrame:
    """EXAM rows; by default a choice of four options about a recording of its own."""
    made = []
    for number, row in enumerate(rows):
        full = {
            "qa_id": f"q{number}", "benchmark": "medmosaic", "corpus": "clinic",
            "question_type": "mcq_speech", "question": "What?", "answer": "b",
            "subject_id": f"s{number}", **row,
        }  # fmt: skip
        full["form"] = EXAM_FORMS[full["benchmark"]][full["question_type"]]
        if full["form"] == "choice":
            full.setdefault("options", ["a", "b", "c", "d"])
        full.setdefault("recording_id", full["qa_id"])
        full.setdefault("audio", f"{full['recording_id']}.wav")
        made.append(full)
    return pl.DataFrame(made, schema=dict(EXAM))


def said(exam: pl.DataFrame, words: dict[str, str] | None = None, seed: int = 0) -> pl.DataFrame:
    """ANSWERS: what is named, else "B"."""
    rows = [
        {"seed": seed, "qa_id": name, "response": (words or {}).get(name, "B")}
        for name in exam["qa_id"]
    ]
    return pl.DataFrame(rows, schema=dict(ANSWERS))


def judged(exam: pl.DataFrame, *found: Any, seed: int = 0) -> pl.DataFrame:
    """VERDICTS in the order of questions: True, False, an outcome, or four grades."""
    rows = []
    for name, one in zip(exam["qa_id"], found, strict=True):
        row: dict[str, Any] = {"seed": seed, "qa_id": name, "judge": "rules", "version": "1"}
        if isinstance(one, tuple):
            names = ("correctness", "relevance", "completeness", "clarity")
            row |= dict(zip(names, one, strict=True))
            row |= {"outcome": "graded", "score": (sum(one) / 4 - 1) / 2}
        elif isinstance(one, bool):
            row |= {"outcome": "right" if one else "wrong", "score": float(one)}
        elif one in {"refused", "unreadable"}:
            row |= {"outcome": one, "score": 0.0}
        else:
            row |= {"outcome": "unscored", "reason": one}
        rows.append(row)
    return pl.DataFrame(rows, schema=dict(VERDICTS))


def fold_of(exam: pl.DataFrame) -> pl.DataFrame:
    """FOLD: every recording on the test side."""
    table = exam.select(
        "corpus", "recording_id", side=pl.lit("test"), label=pl.lit(1.0),
        subject_known=pl.col("subject_id").is_not_null(),
        subject_id=pl.coalesce("subject_id", "recording_id"),
    )  # fmt: skip
    return table.unique().select(*FOLD)
