"""Endless responses are read in time, or not at all."""

from __future__ import annotations

import time

import pytest

from raqa.questions.reading.facts import QuestionFacts
from raqa.questions.reading.read import LONGEST, read_answer

VERIFY = QuestionFacts("single_verify", "binary", "Is there a wheeze?", (("yes", "yes"),
                       ("no", "no")), asked="yes")  # fmt: skip
NUMBER = QuestionFacts("open_ended", "numeric", "How old?", units=(("year", 1.0),), low=0, high=120)


@pytest.mark.parametrize("facts", [VERIFY, NUMBER], ids=["verify", "number"])
@pytest.mark.parametrize("unit", ["(", "- ", "1", ".5", "no. ", "#\n", "x" * 999 + " "])
def test_what_repeats_is_read_in_time(unit: str, facts: QuestionFacts) -> None:
    text = (unit * LONGEST)[: LONGEST - 2] + " x"
    begun = time.monotonic()
    assert read_answer(text, facts).outcome in {"unreadable", "readable"}
    assert time.monotonic() - begun < 10


def test_a_response_that_is_too_long_is_unreadable_and_says_so() -> None:
    reading = read_answer("yes. " * LONGEST, VERIFY)
    assert (reading.outcome, reading.reason) == ("unreadable", "longer than 20,000 signs")


def test_thoughts_aloud_do_not_count() -> None:
    thoughts = f"<think>{'wheeze? ' * LONGEST}</think>"
    assert read_answer(f"{thoughts} Yes.", VERIFY).label == "yes"
    assert read_answer(f"{thoughts} 42 years", NUMBER).value == 42
