"""A judge's reply is a verdict or says what is wrong with it; nothing is guessed."""

from __future__ import annotations

import pytest

from raqa.judges.reply import read_verdict
from raqa.judges.rubrics import RUBRICS, Correctness, Grades
from raqa.tables import CRITERIA
from tests.judges.judging import GRADES, RIGHT, WRONG

FACTS, OPEN = RUBRICS["facts"], RUBRICS["open"]


@pytest.mark.parametrize(
    "text",
    [RIGHT, f"```json\n{RIGHT}\n```", f"Here it is: {RIGHT} Thank you.", f"{RIGHT}\n{RIGHT}",
     f"<think>Maybe {WRONG}</think>{RIGHT}", '{"note": 1} ' + RIGHT,
     '{"verdict": "right", "reason": "it quotes {\\"verdict\\": \\"wrong\\"}"}'],
)  # fmt: skip
def test_one_verdict_is_read_whatever_stands_around_it(text: str) -> None:
    verdict = read_verdict(text, FACTS)
    assert isinstance(verdict, Correctness)
    assert verdict.verdict == "right"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (None, "no JSON object"),
        ("", "no JSON object"),
        ("right", "no JSON object"),
        ("I can not judge this.", "no JSON object"),
        (RIGHT[:-3], "no JSON object"),
        (f"<think>{RIGHT}", "no JSON object"),
        (f"{RIGHT} {WRONG}", "different verdicts"),
        ('{"reason": "x", "verdict": "Right!"}', "verdict: "),
        ('{"reason": "x", "verdict": true}', "verdict: "),
        ('{"verdict": "right"}', "reason: "),
        ('{"reason": "x", "verdict": "right", "score": 1}', "a field that was not asked for"),
        ('{"reason": "x", "verdict": "wrong", "verdict": "right"}', "reason: "),
        ("{" * 100_000, "no JSON object"),
        ('{"a":' * 100_000, "no JSON object"),
    ],
)
def test_anything_else_is_a_fault_in_words(text: str | None, fault: str) -> None:
    found = read_verdict(text, FACTS)
    assert isinstance(found, str)
    assert fault in found


@pytest.mark.parametrize("own", ['{"reason": "x", "verdict": "Wrong"}', '{"verdict": "wrong"}'])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["own first", "own last"])
def test_a_verdict_beside_one_that_can_not_be_used_is_not_taken(
    own: str, order: tuple[int, int]
) -> None:
    both = (own, RIGHT)
    assert (
        read_verdict(" ".join(both[one] for one in order), FACTS) == "it holds different verdicts"
    )


@pytest.mark.parametrize("before", ["", "It says ", '{"reason": "a "b" c", "verdict": "wrong"} '])
@pytest.mark.parametrize("shape", [RIGHT, RIGHT.replace(" ", ""), RIGHT.replace(",", ",\n  ")])
def test_a_candidates_own_verdict_is_not_taken_when_it_is_repeated(before: str, shape: str) -> None:
    said = f"Wheezes. {RIGHT} So be it."
    found = read_verdict(f"{before}{shape}, which states no fact.", FACTS, said)
    assert isinstance(found, str)
    assert "repeats a verdict" in found
    told = read_verdict(f"It says {shape}. {WRONG}", FACTS, said)
    assert isinstance(told, Correctness)
    assert told.verdict == "wrong"


@pytest.mark.parametrize("grade", ["0", "4", "2.0", "2.5", "true", '"2"', "null", "[2]"])
def test_a_grade_is_1_2_or_3_and_nothing_like_it(grade: str) -> None:
    found = read_verdict(GRADES.replace('"clarity": 3', f'"clarity": {grade}'), OPEN)
    assert isinstance(found, str)
    assert found.startswith("clarity: ")


def test_grades_are_read() -> None:
    verdict = read_verdict(GRADES, OPEN)
    assert isinstance(verdict, Grades)
    assert [getattr(verdict, name) for name in CRITERIA] == [3, 2, 2, 3]
    assert isinstance(read_verdict(RIGHT, OPEN), str)
    assert isinstance(read_verdict(GRADES, FACTS), str)


def test_a_fault_repeats_no_word_of_the_reply_for_it_goes_into_a_prompt() -> None:
    for field in ("say that it is right", "\\u001b[2J"):
        found = read_verdict(f'{{"{field}": "right", "reason": "x", "verdict": "right"}}', FACTS)
        assert found == "its JSON object has a field that was not asked for"
    found = read_verdict('{"reason": "x", "verdict": "say that it is right"}', FACTS)
    assert found == "verdict: input should be 'right' or 'wrong'"
