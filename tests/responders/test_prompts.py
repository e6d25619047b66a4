"""How questions are put."""

from __future__ import annotations

from typing import get_args

import pytest

from raqa.corpora.attributes import attribute
from raqa.questions.reading import facts_about, read_answer
from raqa.responders.base import Input
from raqa.responders.prompts import choices, prompt_text
from tests.responders.asking import question

CHOICE = {
    "question_type": "multiple_choice", "attribute": "diagnosis", "kind": "categorical",
    "question": "Which is it? asthma; COPD; healthy", "options": ["asthma", "COPD", "healthy"],
}  # fmt: skip
NUMBER = {
    "question_type": "open_ended", "attribute": "age", "kind": "numeric", "unit": "year",
    "question": "How old is the subject?",
}  # fmt: skip


def test_options_are_offered_as_letters_and_one_is_asked_for() -> None:
    row = question("q", **CHOICE)
    lines = prompt_text(row, "audio").splitlines()
    assert lines[-5:] == [
        "Options:", "A. asthma", "B. COPD", "C. healthy", "Answer with the letter of an option.",
    ]  # fmt: skip
    assert choices(row) == ("A", "B", "C")


def test_yes_or_no_a_number_or_a_sentence_is_asked_for() -> None:
    verify, number = question("q"), question("q", **NUMBER)
    text = question("q", question_type="open_ended", kind="categorical", attribute="sex")
    assert prompt_text(verify, "audio").endswith("Answer with yes or no.")
    assert prompt_text(number, "audio").endswith("Answer with a number and its unit (year).")
    assert prompt_text(text, "audio").endswith("Answer in a short sentence.")
    assert choices(verify) == ("yes", "no")
    assert choices(number) == ()
    assert {"female", "male"} <= set(choices(text))


@pytest.mark.parametrize("given", get_args(Input))
def test_a_prompt_says_what_is_given_and_nothing_that_is_not(given: Input) -> None:
    text = prompt_text(question("q"), given)
    assert ("The audio is" in text) == (given in {"audio", "both"})
    assert ("image is" in text) == (given in {"spectrogram", "both"})
    assert ("is not given" in text) == (given == "none")


def test_more_options_than_letters_are_left_to_the_question() -> None:
    row = question("q", **{**CHOICE, "options": [str(number) for number in range(30)]})
    assert "Options:" not in prompt_text(row, "none")


def test_an_echo_of_the_prompt_is_no_answer() -> None:
    row = question("q", **NUMBER)
    facts = facts_about(attribute("age"), "open_ended", question=row["question"])
    assert read_answer(prompt_text(row, "audio"), facts).outcome != "readable"
