"""Small question collections and answers to them, made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from raqa.tables import ANSWERS, QUESTIONS

ASTHMA = {"attribute": "asthma", "family": "profile", "kind": "binary",
          "question_type": "single_verify", "asked_label": "yes",
          "question": "Does the patient suffer from asthma?"}  # fmt: skip
COUGH = {"attribute": "expert_cough_type", "family": "acoustic", "kind": "categorical",
         "question_type": "open_ended", "question": "Which kind of cough is it?"}  # fmt: skip
GRADE = {"attribute": "expert_severity", "family": "acoustic", "kind": "ordinal",
         "question_type": "open_ended", "question": "How severe is it?"}  # fmt: skip
AGE = {"attribute": "age", "family": "profile", "kind": "numeric", "unit": "year",
       "question_type": "open_ended", "question": "How old?"}  # fmt: skip
HEIGHT = {**AGE, "attribute": "height", "unit": "cm", "question": "How tall?"}


def asked(*rows: dict[str, Any]) -> pl.DataFrame:
    """QUESTIONS rows; the id is made of corpus, subject, attribute and question type."""
    made = []
    for row in rows:
        full = {"corpus": "here", "split": "test", **row}
        name = "/".join(
            str(full[key]) for key in ("corpus", "subject_id", "attribute", "question_type")
        )
        said = full.get("label") if full.get("value") is None else f"{full['value']:.0f} years"
        made.append(
            {"qa_id": name, "recording_id": name, "template_id": "t", "answer": f"It is {said}.",
             **full}
        )  # fmt: skip
    return pl.DataFrame(made, schema=dict(QUESTIONS))


def labelled(facts: dict[str, Any], **labels: str) -> list[dict[str, Any]]:
    """A question to every subject, with its label."""
    return [{**facts, "subject_id": subject, "label": label} for subject, label in labels.items()]


def numbered(facts: dict[str, Any], **values: float) -> list[dict[str, Any]]:
    """A question to every subject, with its number."""
    return [{**facts, "subject_id": subject, "value": value} for subject, value in values.items()]


def said(questions: pl.DataFrame, *responses: str | None, seed: int = 0) -> pl.DataFrame:
    """ANSWERS in words, in the order of the questions."""
    rows = [
        {"seed": seed, "qa_id": qa_id, "response": response}
        for qa_id, response in zip(questions["qa_id"], responses, strict=True)
    ]
    return pl.DataFrame(rows, schema=dict(ANSWERS))


def named(
    questions: pl.DataFrame, name: Callable[[dict[str, Any]], str | float | None], seed: int = 0
) -> pl.DataFrame:
    """ANSWERS of a model that names labels and numbers itself."""
    rows = []
    for question in questions.to_dicts():
        answer = name(question)
        column = "value" if question["kind"] == "numeric" else "label"
        rows.append({"seed": seed, "qa_id": question["qa_id"], column: answer})
    return pl.DataFrame(rows, schema=dict(ANSWERS))


def crowd(
    subjects: int, seed: int = 0, corpora: tuple[str, ...] = ("here", "there")
) -> pl.DataFrame:
    """Questions of four attributes to every subject of every corpus, labels drawn at random."""
    random = np.random.default_rng(seed)
    rows = []
    for corpus in corpora:
        for number in range(subjects):
            who = {"corpus": corpus, "subject_id": f"s{number:04d}"}
            rows += [
                {**ASTHMA, **who, "label": str(random.choice(["no", "yes"], p=[0.7, 0.3]))},
                {**COUGH, **who, "label": str(random.choice(["dry", "wet"]))},
                {**GRADE, **who,
                 "label": str(random.choice(["mild", "pseudocough", "severe"], p=[0.6, 0.3, 0.1]))},
                {**AGE, **who, "value": float(random.integers(18, 90))},
            ]  # fmt: skip
    return asked(*rows)
