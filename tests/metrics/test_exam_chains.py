"""Chains: how well each turn is answered, and what a wrong first answer costs the later ones."""

from __future__ import annotations

from typing import Any

import pytest

from raqa.metrics.exams import ChainScores, score_exam
from tests.metrics.made_verdicts import asked, fold_of, judged, said


def _chains(*found: tuple[Any, Any, Any]) -> ChainScores:
    exam = asked(
        *(
            {"qa_id": f"c{chain:02}-{turn}", "question_type": "multi_turn", "chain": f"c{chain:02}",
             "turn": turn, "subject_id": f"s{chain}", "recording_id": f"r{chain}"}
            for chain in range(len(found)) for turn in (1, 2, 3)
        ),
    )  # fmt: skip
    verdicts = judged(exam, *(one for chain in found for one in chain))
    scores = score_exam(exam, said(exam), verdicts, fold_of(exam), resamples=200)
    assert scores.chains is not None
    return scores.chains


def _accuracy(chains: ChainScores, name: str) -> float:
    (turn,) = (one for one in chains.turns if one.name == name)
    return turn.accuracy.mean.value


def test_turns_are_scored_one_by_one() -> None:
    chains = _chains((True, True, False), (True, False, False))
    assert [one.name for one in chains.turns] == ["1", "2", "3", "after right", "after wrong"]
    assert [_accuracy(chains, str(turn)) for turn in (1, 2, 3)] == [1.0, 0.5, 0.0]
    assert chains.chains == 2


def test_an_early_error_shows_in_later_turns() -> None:
    chains = _chains((True, True, True), (True, True, False), (False, False, True),
                     (False, False, False))  # fmt: skip
    assert _accuracy(chains, "after right") == pytest.approx(3 / 4)
    assert _accuracy(chains, "after wrong") == pytest.approx(1 / 4)
    assert chains.cost.value == pytest.approx(1 / 2)
    assert chains.whole.mean.value == pytest.approx(1 / 4)


def test_turns_after_an_unscored_first_one_are_in_neither_and_counted() -> None:
    chains = _chains(("timed out", True, True), (True, True, True))
    assert [one.scored for one in chains.turns if one.name.startswith("after")] == [2, 0]
    assert chains.unscored_first == 2
    assert chains.cost.reason is not None
    assert chains.whole.mean.value == 1.0


def test_an_unreadable_first_answer_is_a_wrong_one() -> None:
    chains = _chains(("unreadable", False, False), ("refused", True, False), (True, True, True))
    assert _accuracy(chains, "after wrong") == pytest.approx(1 / 4)


def test_without_chains_there_is_nothing() -> None:
    exam = asked({})
    assert score_exam(exam, said(exam), judged(exam, True), fold_of(exam)).chains is None
