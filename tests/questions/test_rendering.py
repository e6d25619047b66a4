"""A label or a number in words is what the reference answer says for it."""

from __future__ import annotations

import polars as pl

from raqa.questions.rendering import render_answers
from raqa.questions.templates import Templates
from raqa.tables import ANSWERS


def _given(questions: pl.DataFrame) -> pl.DataFrame:
    """Answers that name the right labels and numbers, and say nothing."""
    answers = questions.select("qa_id", "label", "value", seed=pl.lit(0, pl.Int64),
                               response=pl.lit(None, pl.String),
                               probability=pl.lit(None, pl.Float64))  # fmt: skip
    return answers.select(*ANSWERS)


def test_the_right_label_or_number_becomes_the_reference_answer(ask, shipped: Templates) -> None:
    questions = ask(
        asthma=["yes", "no", "yes", "no", None, "yes"],
        sex=["female", "male", "male", "female", "other", "male"],
        diagnosis=[["copd"], ["asthma", "copd"], ["healthy"], ["asthma"], ["copd"], None],
        age=[30.0, 41.6, 1.0, None, 5.0, 77.0],
        wordings="all",
    )
    rendered = render_answers(_given(questions), questions, shipped)
    assert rendered["response"].to_list() == questions["answer"].to_list()


def test_what_was_said_already_and_what_says_nothing_stay_as_they_are(
    ask, shipped: Templates
) -> None:
    questions = ask(asthma=["yes", "no"] * 6)
    answers = _given(questions)
    spoken = answers.with_columns(response=pl.lit("As I said."))
    assert set(render_answers(spoken, questions, shipped)["response"]) == {"As I said."}
    silent = answers.with_columns(label=pl.lit(None, pl.String), response=pl.lit(""))
    assert set(render_answers(silent, questions, shipped)["response"]) == {""}


def test_a_template_of_no_set_is_said_as_it_stands(ask, shipped: Templates) -> None:
    questions = ask(asthma=["yes", "no"] * 6, age=[30.0] * 12)
    strange = questions.with_columns(template_id=pl.lit("published/1"))
    said = render_answers(_given(strange), strange, shipped)["response"]
    assert set(said) == {"yes", "no", "30"}
