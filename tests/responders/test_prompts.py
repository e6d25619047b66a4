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


def _exam(question_type: str, form: str, **changes: object) -> dict[str, object]:
    row = question("q", attribute=None, kind=None, question_type=question_type, **changes)
    return {**row, "benchmark": "medmosaic", "form": form, "chain": None, "turn": None}


def test_choices_of_an_exam_list_letters_and_ask_for_one_or_for_json() -> None:
    row = _exam("mcq_speech", "choice", options=["a cough", "a wheeze"])
    lines = prompt_text(row, "audio").splitlines()
    assert lines[-4:-1] == ["Options:", "A. a cough", "B. a wheeze"]
    assert '{"answer": "LETTER"}' in lines[-1]
    assert choices(row) == ("A", "B")


@pytest.mark.parametrize("given", get_args(Input))
def test_a_spoken_question_is_never_written(given: Input) -> None:
    row = _exam("voice_qa", "choice", question="How many?", options=["a cough", "coughs"])
    text = prompt_text(row, given)
    assert "How many?" not in text
    assert "cough" not in text
    assert "asks a question" in text
    assert choices(row) == ("A", "B")


def test_later_turns_are_not_told_again_what_is_given() -> None:
    row = _exam("multi_turn", "choice", options=["a cough", "a wheeze"])
    first, later = ({**row, "chain": "c", "turn": turn} for turn in (1, 2))
    assert prompt_text(first, "audio").startswith("The audio is")
    assert prompt_text(later, "audio").startswith("Question:")
    assert prompt_text(first, "audio").endswith(prompt_text(later, "audio"))


def test_facts_a_concept_and_an_open_answer_are_asked_for_in_their_own_words() -> None:
    ends = {prompt_text(_exam("x", form), "audio").splitlines()[-1]
            for form in ("facts", "concept", "open")}  # fmt: skip
    assert len(ends) == 3


def test_carecos_is_told_where_the_sampling_rate_stands_if_there_is_an_axis() -> None:
    row = {**_exam("explicit", "facts"), "benchmark": "carecos"}
    assert "sampling rate" in prompt_text(row, "spectrogram")
    assert "sampling rate" not in prompt_text(row, "audio")
