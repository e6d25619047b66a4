"""Responders that know nothing score what probability says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from raqa.answering.base import AUDIO_ROW
from raqa.metrics.questions import PartScores, score_questions
from raqa.responders.base import Responder
from raqa.responders.plain import ConstantResponder, RandomResponder
from raqa.tables import GOLD, QUESTIONS
from tests.responders.asking import ask, asked, question

COUNT = 3000
KINDS = ("dry", "wet", "barking", "whooping")


def _verified() -> list[dict[str, Any]]:
    """A quarter is right: the most frequent answer is no."""
    return [
        question(f"v{number}", subject_id=f"s{number}", recording_id=f"r{number}",
                 label="yes" if number % 4 == 0 else "no")
        for number in range(COUNT)
    ]  # fmt: skip


def _chosen() -> list[dict[str, Any]]:
    """Each of four labels is right as often, and offered in an order of its own."""
    rows = []
    for number in range(COUNT):
        turn = (number // 4) % 4
        rows.append(
            question(
                f"c{number}", subject_id=f"s{number}", recording_id=f"r{number}",
                attribute="expert_cough_type", kind="categorical", asked_label=None,
                question_type="multiple_choice", options=[*KINDS[turn:], *KINDS[:turn]],
                question="Which cough is it?", label=KINDS[number % 4],
            )
        )  # fmt: skip
    return rows


def _score(rows: list[dict[str, Any]], responder: Responder, folder: Path) -> PartScores:
    plain = [{name: row[name] for name in row if name not in GOLD} for row in rows]
    answers = ask(asked(plain), responder, folder).answers
    gold = [{**row, "value": None, "answer": f"It is {row['label']}."} for row in rows]
    test = pl.DataFrame(gold, schema={**QUESTIONS, AUDIO_ROW: pl.Int64}).select(*QUESTIONS)
    train = test.with_columns(split=pl.lit("train"))
    return score_questions(train, test, answers, resamples=50).all


def test_random_answers_have_an_accuracy_of_one_over_what_is_allowed(tmp_path: Path) -> None:
    for rows, share in ((_verified(), 1 / 2), (_chosen(), 1 / 4)):
        part = _score(rows, RandomResponder(), tmp_path)
        assert part.labels is not None
        assert (part.counts.unreadable, part.counts.refused) == (0, 0)
        deviation = (share * (1 - share) / COUNT) ** 0.5
        assert abs(part.labels.accuracy.mean.value - share) < 4.6 * deviation
        assert part.labels.balanced_accuracy.mean.value == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize(("text", "right"), [("yes", 1 / 4), ("no", 3 / 4)])
def test_a_constant_is_right_where_it_is_and_has_half_the_balanced_accuracy(
    text: str, right: float, tmp_path: Path
) -> None:
    part = _score(_verified(), ConstantResponder(text), tmp_path)
    assert part.labels is not None
    assert part.labels.accuracy.mean.value == right
    assert part.labels.balanced_accuracy.mean.value == 1 / 2
    f1 = 2 * right / (1 + right)  # of what it says; that of the other class is 0
    assert part.labels.macro_f1.mean.value == pytest.approx(f1 / 2)


def test_a_constant_letter_is_right_as_often_as_its_place(tmp_path: Path) -> None:
    part = _score(_chosen(), ConstantResponder("B"), tmp_path)
    assert part.labels is not None
    assert part.labels.accuracy.mean.value == pytest.approx(1 / 4, abs=0.01)
    assert part.labels.balanced_accuracy.mean.value == pytest.approx(1 / 4, abs=0.01)
