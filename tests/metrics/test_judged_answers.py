"""Which answers are right, wrong, unreadable, refused or unscored."""

from __future__ import annotations

import polars as pl
import pytest
from made_answers import AGE, ASTHMA, asked, labelled, numbered, said

from raqa.metrics.questions import judge

LUNG = {"attribute": "lung_sounds", "family": "acoustic", "kind": "multilabel",
        "question_type": "open_ended", "question": "What is heard?"}  # fmt: skip


def outcomes(judged: pl.DataFrame) -> list[str]:
    return judged["outcome"].to_list()


def test_every_outcome_has_its_answer():
    test = asked(*labelled(ASTHMA, a="yes", b="yes", c="no", d="no", e="yes"))
    answers = said(test, "Yes.", "No.", "banana", "I cannot tell.", None)
    judged = judge(test, test, answers)
    assert outcomes(judged) == ["right", "wrong", "unreadable", "refused", "unscored"]
    assert judged["said"].to_list() == ["yes", "no", None, None, None]


def test_a_question_without_an_answer_is_unscored():
    test = asked(*labelled(ASTHMA, a="yes", b="no"))
    judged = judge(test, test, said(test, "Yes", "No").head(1), seeds=[0, 1])
    assert outcomes(judged) == ["right", "unscored", "unscored", "unscored"]


def test_answers_to_other_questions_are_a_fault_of_the_program():
    test = asked(*labelled(ASTHMA, a="yes"))
    other = asked(*labelled(ASTHMA, z="yes"))
    with pytest.raises(ValueError, match="1 answer.s. to no test question"):
        judge(test, test, said(other, "Yes"))


def test_several_labels_are_right_in_any_order_and_only_all_of_them():
    test = asked(*labelled(LUNG, a="wheeze + crackle", b="wheeze + crackle"))
    judged = judge(test, test, said(test, "Crackles and wheezes.", "Wheezes."))
    assert outcomes(judged) == ["right", "wrong"]
    assert judged["truth"].unique().to_list() == ["crackle + wheeze"]


def test_a_number_is_right_where_it_is_as_near_as_the_rounded_reference_answer():
    test = asked(*numbered(AGE, a=41.7, b=41.7, c=41.7))  # the reference says 42
    judged = judge(test, test, said(test, "42", "41.5 years", "41"))
    assert outcomes(judged) == ["right", "right", "wrong"]


def test_an_unreadable_number_is_charged_with_the_farthest_number_of_training():
    train = asked(*numbered(AGE, t=20.0, u=30.0, v=70.0))
    test = asked(*numbered(AGE, a=60.0, b=25.0))
    judged = judge(train, test, said(test, "no idea", ""))
    assert judged["worst_error"].to_list() == [40.0, 45.0]
    assert judged["median_error"].to_list() == [30.0, 5.0]


def test_training_numbers_of_another_corpus_serve_where_the_corpus_has_none():
    train = asked(*({**row, "corpus": "there"} for row in numbered(AGE, t=20.0, u=30.0)))
    test = asked(*numbered(AGE, a=60.0))
    assert judge(train, test, said(test, "1"))["median_error"].to_list() == [35.0]
    assert judge(train.clear(), test, said(test, "1"))["median_error"].to_list() == [None]
