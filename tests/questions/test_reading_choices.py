"""Which option a response chooses is read as the golden file decided, and by which layer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from raqa.questions.reading import Reading, read_choice

GOLDEN = Path(__file__).with_name("golden_choices.yaml")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def golden() -> Iterator[Any]:
    for group in yaml.safe_load(GOLDEN.read_text(encoding="utf-8")):
        for response, decided, *layer in group["answers"]:
            yield pytest.param(group["options"], response, decided, *layer or [None], id=response)


@pytest.mark.parametrize(("options", "response", "decided", "layer"), [*golden()])
def test_a_response_is_read_as_it_was_decided(
    options: list[str], response: str, decided: str, layer: str | None
) -> None:
    reading = read_choice(response, options)
    if layer is None:
        assert (reading.outcome, reading.label, reading.layer) == (decided, None, None)
        assert reading.reason
    else:
        assert reading == Reading("readable", label=decided, layer=layer)


def test_the_golden_file_has_every_outcome_and_layer() -> None:
    cases = [one.values for one in golden()]
    assert len(cases) >= 100
    assert {"unreadable", "refused"} <= {decided for _, _, decided, _ in cases}
    assert {layer for *_, layer in cases} == {"json", "letter", "text", None}


def test_nothing_that_came_back_is_unscored() -> None:
    assert read_choice(None, ["yes", "no"]) == Reading("unscored", reason="nothing came back")


@pytest.mark.parametrize(
    "form",
    ["{}", "({})", "{}. text of {}", "Answer: {}", "**{}**", '"{}"', '{{"answer": "{}"}}',
     "The answer is {}.", "Option {}"],
)  # fmt: skip
def test_each_of_26_letters_is_told_from_the_others_and_from_words(form: str) -> None:
    options = [f"text of {letter}" for letter in LETTERS]
    for letter in LETTERS:
        assert read_choice(form.format(letter, letter), options).label == letter
        fewer = read_choice(form.format(letter, letter), options[: LETTERS.index(letter)] or ["?"])
        assert fewer.label is None or letter == "A"


def test_an_option_less_or_more_than_there_are_letters_is_a_fault_of_the_caller() -> None:
    for options in ([], ["x"] * 27):
        with pytest.raises(ValueError, match="1 to 26 options"):
            read_choice("A", options)


@pytest.mark.parametrize(
    "said",
    ["{" * 99_000, '{"a":' * 19_000, "(A) " * 24_000, "A,B," * 24_000, "wheeze " * 14_000,
     "<think>" * 1_000_000, "A\n" * 49_000, "answer is " * 9_900, "x" * 10_000_000,
     "\x1b[2J\x00\u202e", "\ud800 C"],
    ids=lambda said: f"{said[:10]!r}",
)  # fmt: skip
def test_hostile_responses_are_read_in_time_and_without_a_fault(said: str) -> None:
    begun = time.process_time()
    read_choice(said, ["wheeze", "fine crackles", "coarse crackles"])
    assert time.process_time() - begun < 5
