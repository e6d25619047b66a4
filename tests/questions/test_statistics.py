import polars as pl
import pytest

from raqa.questions.statistics import (
    collection_statistics,
    dominant_answers,
    published_statistics,
    shared_texts,
    yes_rates,
)

from .made import numbers, rows, subjects, table


def test_pairs_recordings_texts_and_words_are_counted_for_each_corpus_and_all():
    questions = table(
        rows({"a": "yes", "b": "no"}, recordings=2),  # 3 words; 3 words answered
        rows({"a": "yes"}, corpus="there", question="Does this person have asthma?"),
    )
    here, there, every = collection_statistics(questions).iter_rows(named=True)
    assert (here["corpus"], there["corpus"], every["corpus"]) == ("here", "there", "all")
    assert (here["pairs"], here["recordings"], here["subjects"]) == (4, 4, 2)
    assert (here["questions"], here["answers"], here["question_words"]) == (1, 2, 3)
    assert there["question_words"] == 5
    assert (every["pairs"], every["recordings"], every["subjects"]) == (5, 5, 3)
    assert every["question_words"] == pytest.approx(17 / 5)
    assert every["seconds"] is None


def test_options_in_another_order_are_another_text_but_not_another_wording():
    asked = [rows({"a": "mild"}, question=f"Which is it, {options}?")
             for options in ("mild or severe", "severe or mild")]  # fmt: skip
    counted = collection_statistics(table(*asked)).row(0, named=True)
    assert (counted["questions"], counted["wordings"]) == (2, 1)


def test_the_mean_duration_is_of_recordings_that_are_asked_about():
    durations = pl.DataFrame({"corpus": "here", "recording_id": ["a-0", "b-0", "c-0"],
                              "seconds": [2.0, 4.0, 100.0]})  # fmt: skip
    questions = table(rows({"a": "yes", "b": "no"}))
    assert collection_statistics(questions, durations)["seconds"].to_list() == [3.0, 3.0]


def test_the_paper_counts_nearly_nine_million_pairs():
    published = published_statistics()
    assert published.filter(corpus="all")["pairs"].item() == 8_996_137
    assert published.height == 12


def test_an_answer_that_is_nearly_always_given_is_found():
    always = rows(subjects(9, "yes"))
    nearly = rows(subjects(97, "no") | subjects(3, "yes"), attribute="fever")
    half = rows(subjects(9, "no") | subjects(9, "yes"), attribute="cold")
    ages = numbers({"a": 3.0})
    found = dominant_answers(table(always, nearly, half, ages))
    assert found.select("attribute", "label", "share").rows() == [
        ("asthma", "yes", 1.0), ("fever", "no", 0.97)]  # fmt: skip


def test_yes_rates_are_of_question_texts_and_the_telling_ones_come_first():
    fair = rows({"a": "yes", "b": "no"}, question_type="single_verify")
    telling = rows({"a": "yes", "b": "yes"}, question_type="single_verify", question="Surely?")
    assert yes_rates(table(fair, telling)).select("question", "yes", "pairs").rows() == [
        ("Surely?", 1.0, 2), ("Is there asthma?", 0.5, 2)]  # fmt: skip


def test_a_text_that_asks_about_two_attributes_is_found():
    both = [rows({"a": "yes"}, attribute=name, question="Is it so?") for name in ("x", "y")]
    assert shared_texts(table(*both, rows({"a": "yes"}))).rows() == [("Is it so?", ["x", "y"])]
