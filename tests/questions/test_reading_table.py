"""Whole tables of answers: each distinct one is read once, and a named label needs no reading."""

from __future__ import annotations

import time

import polars as pl

from raqa.questions.reading import Vocabulary, read_answers
from raqa.tables import ANSWERS

from . import made


def answers(*said: tuple[str, str | None], seed: int = 0, **columns: object) -> pl.DataFrame:
    """Answers to questions by their id."""
    rows = [
        {"seed": seed, "qa_id": qa_id, "response": response, **columns} for qa_id, response in said
    ]
    return pl.DataFrame(rows, schema=dict(ANSWERS))


def questions(*parts: object) -> pl.DataFrame:
    table = made.table(*parts).collect()  # type: ignore[arg-type]
    return table.with_columns(pl.col(pl.Categorical).cast(pl.String))


def test_every_answer_is_read_for_its_own_question():
    asked = questions(
        made.rows({"a": "yes", "b": "no"}),
        made.numbers({"c": 40.0}),
        made.rows(
            {"d": "dry"}, question_type="multiple_choice", attribute="expert_cough_type",
            kind="categorical", question="Which?", options=["a wet cough", "a dry cough"],
        ),
    )  # fmt: skip
    ids = asked["qa_id"]
    said = answers(*zip(ids, ["There is asthma", "Nein", "41 years", "B"], strict=True))
    read = read_answers(said, asked, Vocabulary.of(asked))
    assert read["read_label"].to_list() == ["yes", None, None, "dry"]
    assert read["read_value"].to_list() == [None, None, 41.0, None]
    assert read["outcome"].to_list() == ["readable", "unreadable", "readable", "readable"]
    assert read["read_reason"].to_list() == [None, "another language", None, None]
    assert read["qa_id"].to_list() == ids.to_list()


def test_a_label_that_the_model_names_itself_is_taken_whatever_is_said():
    asked = questions(made.rows({"a": "yes"}))
    said = answers((asked["qa_id"][0], "No."), label="yes")
    assert read_answers(said, asked, Vocabulary.of(asked))["read_label"].to_list() == ["yes"]


def test_only_a_missing_response_is_unscored():
    asked = questions(made.rows({"a": "yes", "b": "no"}))
    said = answers((asked["qa_id"][0], None), (asked["qa_id"][1], ""))
    outcomes = read_answers(said, asked, Vocabulary.of(asked))["outcome"]
    assert outcomes.to_list() == ["unscored", "unreadable"]


def test_words_of_the_corpus_are_valid_labels():
    facts = {"attribute": "device", "kind": "categorical", "question": "Which device?"}
    asked = questions(made.rows({"a": "Nokia 3", "b": "Litmann"}, **facts))
    said = answers((asked["qa_id"][0], "It was a nokia 3."))
    assert read_answers(said, asked, Vocabulary.of(asked))["read_label"].to_list() == ["Nokia 3"]


def test_a_sentence_means_what_it_means_in_the_collection_unless_only_the_test_side_has_it():
    facts = {"attribute": "asymptomatic", "family": "consultation"}
    asked = questions(made.rows({"a": "no"}, answer="This person had symptoms.", **facts))
    said = answers((asked["qa_id"][0], "this person had symptoms"))
    for vocabulary, meant in (
        (Vocabulary.of(asked), "no"),
        (Vocabulary.of(asked.clear(), asked), "yes"),
    ):
        assert read_answers(said, asked, vocabulary)["read_label"].to_list() == [meant]


def test_a_hundred_thousand_answers_take_seconds():
    asked = questions(made.rows(made.subjects(10_000, "yes"), recordings=2))
    texts = [f"The health profile {verb} asthma, case {n % 50}." for n in range(20_000)
             for verb in ("lists" if n % 2 else "does not list",)]  # fmt: skip
    said = pl.concat(
        answers(*zip(asked["qa_id"], texts, strict=True), seed=seed) for seed in range(5)
    )
    start = time.perf_counter()
    read = read_answers(said, asked, Vocabulary.of(asked))
    assert time.perf_counter() - start < 5
    assert read["outcome"].unique().to_list() == ["readable"]
