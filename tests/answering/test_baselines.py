"""Answers without listening: shares of training answers, looked up from narrow to wide keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from raqa.answering.base import AUDIO_ROW, Fitting, QuestionPairs
from raqa.answering.baselines import MajorityHead, QuestionPriorHead, RandomHead
from raqa.errors import UserError
from raqa.tables import QUESTIONS
from raqa.training.settings import TrainerSettings

FITTING = Fitting(seeds=(0, 1), settings=TrainerSettings())


def pairs(*rows: dict[str, object]) -> QuestionPairs:
    """Questions with only what matters here."""
    common = {"corpus": "made", "recording_id": "r", "subject_id": "s", "family": "profile",
              "kind": "categorical", "question_type": "single_verify", "template_id": "t",
              "question": "?", "answer": "!", AUDIO_ROW: 0}  # fmt: skip
    table = [{**common, "qa_id": f"q{number}", **row} for number, row in enumerate(rows)]
    schema = {**QUESTIONS, AUDIO_ROW: pl.Int64}
    import numpy as np

    return QuestionPairs(np.zeros((1, 2), np.float32), pl.DataFrame(table, schema=schema))


def verify(asked: str, label: str, attribute: str = "diagnosis") -> dict[str, object]:
    return {"attribute": attribute, "asked_label": asked, "label": label}


def answers(head: object, train: QuestionPairs, asked: QuestionPairs) -> pl.DataFrame:
    fitted = head.fit(train, train, FITTING)  # type: ignore[attr-defined]
    return fitted.answer(asked.asked)


TRAIN = pairs(
    *[verify("copd", "yes")] * 3, verify("copd", "no"),
    *[verify("asthma", "no")] * 4, verify("asthma", "yes"),
)  # fmt: skip


def test_the_question_prior_knows_what_each_asked_label_is_answered_with() -> None:
    said = answers(QuestionPriorHead(), TRAIN, pairs(verify("copd", "no"), verify("asthma", "no")))
    first = said.filter(pl.col("seed") == 0).sort("qa_id")
    assert first["label"].to_list() == ["yes", "no"]
    assert first["probability"].to_list() == [0.75, 0.8]


def test_an_asked_label_that_training_never_had_falls_back_to_the_attribute() -> None:
    said = answers(QuestionPriorHead(), TRAIN, pairs(verify("pneumonia", "no")))
    assert said["label"].to_list() == ["no", "no"]  # 5 of 9 cases of the attribute
    assert said["probability"][0] == pytest.approx(5 / 9)


def test_the_majority_is_the_target_s_whatever_label_is_asked_about() -> None:
    said = answers(MajorityHead(), TRAIN, pairs(verify("copd", "yes"), verify("asthma", "no")))
    assert set(said["label"]) == {"no"}


def test_a_number_is_answered_with_the_training_median() -> None:
    rows = [{"attribute": "age", "kind": "numeric", "question_type": "open_ended", "value": value}
            for value in (10.0, 20.0, 90.0)]  # fmt: skip
    for head in (MajorityHead(), QuestionPriorHead(), RandomHead()):
        said = answers(head, pairs(*rows), pairs(rows[0]))
        assert said["value"].to_list() == [20, 20]
        assert said["label"].null_count() == said["probability"].null_count() == 2


def test_random_answers_are_even_over_the_labels_of_the_target_and_stay_with_their_question() -> (
    None
):
    asked = pairs(*[verify("copd", "no") for _ in range(2000)])
    said = answers(RandomHead(), TRAIN, asked)
    for (_,), seed in said.group_by("seed"):
        assert (seed["label"] == "yes").mean() == pytest.approx(0.5, abs=0.04)
    one, other = (said.filter(pl.col("seed") == seed)["label"] for seed in (0, 1))
    assert not one.equals(other)
    fewer = replace(asked, rows=asked.rows.filter(pl.col("qa_id") == "q77"))
    alone = answers(RandomHead(), TRAIN, fewer).sort("seed")["label"].to_list()
    assert alone == said.filter(pl.col("qa_id") == "q77").sort("seed")["label"].to_list()


@pytest.mark.parametrize("head", [MajorityHead(), QuestionPriorHead(), RandomHead()])
def test_what_was_counted_goes_to_a_file_and_back(head, tmp_path: Path) -> None:
    fitted = head.fit(TRAIN, TRAIN, FITTING)
    asked = pairs(verify("copd", "no"), verify("asthma", "no")).asked
    fitted.save(tmp_path / "head")
    assert head.load(tmp_path / "head", (0, 1)).answer(asked).equals(fitted.answer(asked))
    with pytest.raises(UserError, match="no fitted head"):
        head.load(tmp_path / "elsewhere", (0,))
