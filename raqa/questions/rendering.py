"""Labels and numbers as the whole sentences that the reference answers are."""

from __future__ import annotations

import numpy as np
import polars as pl

from raqa.questions.sentences import fill, say_numbers
from raqa.questions.templates import ANY, LABELS, Templates


def render_answers(
    answers: pl.DataFrame, questions: pl.DataFrame, templates: Templates
) -> pl.DataFrame:
    """Say labels and numbers in the words of each question's template, where nothing was said.

    So a model that names labels can be compared by text as well; its wording is the reference's
    own, which flatters it, and reports say so. What no template can say is said as it stands.

    Args:
        answers: ANSWERS columns.
        questions: QUESTIONS columns; the right answers are not looked at.

    Returns:
        `answers` with a response wherever there is a label or a number.
    """
    asked = questions.select("qa_id", "template_id", "asked_label")
    table = answers.join(asked, on="qa_id", how="left", maintain_order="left")
    key = ["template_id", "asked_label", "label", "value"]
    silent = pl.col("response").is_null() & (
        pl.col("label").is_not_null() | pl.col("value").is_not_null()
    )
    distinct = table.filter(silent).select(key).unique(maintain_order=True)
    said = [_sentence(templates, *row) for row in distinct.iter_rows()]
    spoken = distinct.with_columns(pl.Series("said", said, dtype=pl.String))
    table = table.join(spoken, on=key, how="left", nulls_equal=True, maintain_order="left")
    response = pl.when(silent).then("said").otherwise("response")
    return table.with_columns(response=response).select(*answers.columns)


def _sentence(
    templates: Templates,
    template_id: str,
    asked: str | None,
    label: str | None,
    value: float | None,
) -> str:
    found = templates.wording(template_id)
    if found is None:
        return label if label is not None else f"{value:g}"
    attribute, wording = found
    if label is None:
        number = say_numbers(np.asarray([value], np.float64), attribute.decimals)[0]
        pattern = next(iter(wording.answers.values()))
        return fill(pattern, value=number, unit=attribute.unit_after(number))
    if wording.question_type == "single_verify":
        pattern = wording.answers.get(label, wording.answers.get(ANY, label))
        return fill(pattern, **({} if asked is None else {"label": attribute.said(asked)}))
    return attribute.answer(wording, tuple(label.split(LABELS)))
