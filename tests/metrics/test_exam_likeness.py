"""Likeness of wording beside the judged score: fluent errors are found and counted."""

from __future__ import annotations

import pytest

from raqa.metrics.exams import ExamScores, score_exam
from tests.metrics.made_verdicts import asked, fold_of, judged, said

TRUTH = "There is a wheeze in the second half."


def _scores(*answers: tuple[str | None, object]) -> ExamScores:
    exam = asked(*[{"benchmark": "carecos", "question_type": "explicit", "answer": TRUTH}
                   for _ in answers], {})  # fmt: skip
    words = {f"q{place}": text for place, (text, _) in enumerate(answers) if text is not None}
    responses = said(exam, words)
    verdicts = judged(exam, *(found for _, found in answers), True)
    return score_exam(exam, responses, verdicts, fold_of(exam))


def test_an_answer_that_is_worded_alike_and_wrong_comes_first() -> None:
    scores = _scores(
        ("There is a crackle in the second half.", False), ("Bananas.", False), (TRUTH, True),
        ("A wheeze, in the second half.", True),
    )  # fmt: skip
    assert [one.qa_id for one in scores.disagreements] == ["q0", "q1"]
    assert scores.disagreements[0].likeness == pytest.approx(7 / 8)
    assert scores.disagreements[1].likeness == 0


def test_fluent_errors_are_wrong_answers_as_like_as_half_of_the_right_ones() -> None:
    likeness = _scores(
        ("There is a crackle in the second half.", False), ("Bananas.", False),
        ("A wheeze, in the second half.", True),
    ).all.likeness  # fmt: skip
    assert (likeness.compared, likeness.wrong, likeness.fluent.value) == (3, 2, 1.0)
    assert likeness.accuracy.mean.value == pytest.approx(1 / 3)  # the choice plays no part


def test_where_nothing_is_right_there_is_nothing_to_compare_with() -> None:
    assert _scores((TRUTH, False)).all.likeness.fluent.reason == "no answer is right"


def test_unscored_answers_are_compared_and_never_called_errors() -> None:
    scores = _scores((TRUTH, "the judge timed out"), (TRUTH, True))
    assert scores.disagreements == ()
    assert scores.all.likeness.compared == 2
    assert scores.all.likeness.rouge_l.mean.value == 1.0


def test_letters_of_choices_are_not_compared_with_words() -> None:
    scores = _scores((TRUTH, True))
    part = scores.part("question_type", "mcq_speech")
    assert part is not None
    assert part.likeness.compared == 0
    assert part.likeness.rouge_l.mean.reason == "no answer is in words"
    assert scores.all.likeness.bertscore.mean.reason == "no model was chosen for it"
