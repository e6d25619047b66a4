"""Rules decide what can be read and leave the rest unscored with the reason."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from rich.console import Console

from raqa.judges.base import verdicts_text
from raqa.judges.rules import RulesJudge
from raqa.tables import CRITERIA, VERDICTS, check_table
from tests.judges.judging import answers, exam, item

OPTIONS = {"options": ["fine crackles", "a wheeze", "stridor"], "answer": "a wheeze"}
WHEEZE = {
    "attribute": "wheeze", "family": "acoustic", "kind": "binary", "label": "yes",
    "question": "Is a wheeze heard?", "answer": "Yes, a wheeze is heard.",
}  # fmt: skip
AGE = {
    "attribute": "age", "family": "subject", "kind": "numeric", "value": 41.7, "unit": "year",
    "question": "How old is the person?", "answer": "The person is 42 years old.",
}  # fmt: skip


def _outcome(row: dict[str, Any], said: str | None) -> tuple[str, float | None]:
    verdict = RulesJudge().judge(exam(row), answers({row["qa_id"]: said}))
    return verdict["outcome"][0], verdict["score"][0]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("B", ("right", 1.0)),
        ('{"answer": "B"}', ("right", 1.0)),
        ("a wheeze", ("right", 1.0)),
        ("C", ("wrong", 0.0)),
        ("A or B", ("unreadable", 0.0)),
        ("", ("unreadable", 0.0)),
        ("I can not answer.", ("refused", 0.0)),
        (None, ("unscored", None)),
    ],
)
def test_a_choice_is_read_by_its_letter(said: str | None, expected: tuple[str, float]) -> None:
    assert _outcome(item("q", "mcq_sound_lung", **OPTIONS), said) == expected


@pytest.mark.parametrize("question_type", ["explicit", "open_ended"])
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Yes.", ("right", 1.0)),
        ("There is no wheeze.", ("wrong", 0.0)),
        ("banana", ("unreadable", 0.0)),
        ("I do not know.", ("refused", 0.0)),
        (None, ("unscored", None)),
    ],
)
def test_labels_and_facts_about_a_known_attribute_are_read(
    question_type: str, said: str | None, expected: tuple[str, float]
) -> None:
    assert _outcome(item("q", question_type, **WHEEZE), said) == expected


def test_a_number_is_right_where_it_is_as_near_as_the_reference_says_it() -> None:
    row = item("q", "explicit", **AGE)
    assert _outcome(row, "42") == ("right", 1.0)
    assert _outcome(row, "41.7 years") == ("right", 1.0)
    assert _outcome(row, "41 years") == ("wrong", 0.0)
    assert _outcome(row, "500 months") == ("right", 1.0)


def test_free_text_is_unscored_with_the_reason_refusals_as_well() -> None:
    rows = [item("a", "explicit"), item("b", "inferred"), item("c", "oe_speech"),
            item("d", "inferred")]  # fmt: skip
    said = {"a": "A murmur.", "b": "I can not answer.", "c": "", "d": None}
    found = RulesJudge().judge(exam(*rows), answers(said))
    assert found["outcome"].to_list() == ["unscored"] * 4
    assert found["score"].null_count() == 4
    reasons = found["reason"].to_list()
    assert all("judge=language_model" in reason for reason in reasons[:3])
    assert reasons[3] == "nothing came back"


def test_every_answer_of_every_seed_has_one_verdict_in_order() -> None:
    rows = [item("b", "mcq_speech", **OPTIONS), item("a", "explicit", **WHEEZE),
            item("c", "inferred")]  # fmt: skip
    found = RulesJudge().judge(exam(*rows), answers({"a": "yes", "b": "B", "c": "x"}, (1, 0)))
    check_table(found, VERDICTS, name="verdicts", key=["seed", "qa_id"])
    assert found.select("seed", "qa_id").rows() == [
        (seed, name) for seed in (0, 1) for name in "abc"
    ]
    assert set(found["judge"]) == {"rules"}
    assert found.select("rubric", *CRITERIA).null_count().sum_horizontal().item() == 6 * 5
    assert not found["from_store"].any()


def test_nothing_asked_is_nothing_judged() -> None:
    assert RulesJudge().judge(exam(), answers({})).schema == pl.Schema(VERDICTS)
    with pytest.raises(ValueError, match="to no question, such as q"):
        RulesJudge().judge(exam(), answers({"q": "x"}))


def test_what_is_unscored_is_told_with_its_reasons() -> None:
    rows = [item("a", "explicit", **WHEEZE), *(item(f"b{n}", "inferred") for n in range(3))]
    said = {"a": "yes", "b0": "x", "b1": "[red]x", "b2": None}
    console = Console(record=True, width=200)
    found = RulesJudge().judge(exam(*rows), answers(said), console=console)
    text = console.export_text()
    assert text.strip() == verdicts_text(found)
    assert "4 answers: 1 scored (1 right), 3 unscored." in text
    assert "unscored, 2: rules can not judge this: it is in free text" in text
    assert "unscored, 1: nothing came back" in text
