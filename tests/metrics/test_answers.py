"""A run's answers beside the question prior's: who is above whom, and where it can not be said."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from made_answers import ASTHMA, HEIGHT, asked, labelled, named, numbered

from raqa.metrics.answers import AnswerScores, headline_of, score_answers
from raqa.tables import FOLD

SUBJECTS = [f"s{number:02d}" for number in range(40)]


def _fold() -> pl.DataFrame:
    rows = [
        {"side": side, "corpus": "here", "recording_id": f"{side}-{name}",
         "subject_id": f"{side}-{name}", "subject_known": True, "label": 1.0}
        for side in ("train", "test") for name in SUBJECTS
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=dict(FOLD))


def _labels() -> dict[str, str]:
    return {name: "yes" if number % 2 else "no" for number, name in enumerate(SUBJECTS)}


def _score(questions: pl.DataFrame, answers: pl.DataFrame, prior: pl.DataFrame) -> AnswerScores:
    train = questions.with_columns(split=pl.lit("train"), qa_id="train/" + pl.col("qa_id"))
    return score_answers(pl.concat([train, questions]), answers, prior, _fold(), resamples=200)


def _said(questions: pl.DataFrame, answers: Sequence[str | float]) -> pl.DataFrame:
    """A model that names these labels or numbers, in the order of the questions."""
    of = dict(zip(questions["qa_id"], answers, strict=True))
    return named(questions, lambda question: of[question["qa_id"]])


def _binary(right: bool) -> AnswerScores:
    questions = asked(*labelled(ASTHMA, **_labels()))
    turned = {"yes": "no", "no": "yes"}
    said = [one if right else turned[one] for one in questions["label"]]
    constant = _said(questions, ["no"] * len(said))
    return _score(questions, _said(questions, said), constant)


def test_a_model_that_is_right_is_above_the_prior_and_its_error_is_smaller() -> None:
    scores = _binary(right=True)
    assert scores.against_baseline == "above"
    assert scores.difference.value == pytest.approx(-0.5)  # balanced accuracy of 1 against 1/2
    assert headline_of(scores.answers).mean.value == 1


def test_a_model_that_is_always_wrong_is_below_it() -> None:
    scores = _binary(right=False)
    assert scores.against_baseline == "below"
    assert scores.difference.value == pytest.approx(0.5)


def test_where_all_answers_are_numbers_the_relative_error_decides() -> None:
    questions = asked(*numbered(HEIGHT, **{name: 150.0 + 2 * number
                                           for number, name in enumerate(SUBJECTS)}))  # fmt: skip
    median = float(questions["value"].median())  # type: ignore[arg-type]
    constant = _said(questions, [median] * questions.height)
    exact = _score(questions, _said(questions, questions["value"].to_list()), constant)
    assert exact.named == ("relative MAE", False)
    assert exact.against_baseline == "above"
    assert exact.difference.value == pytest.approx(-1)
    far = _score(questions, _said(questions, [20.0] * questions.height), constant)
    assert far.against_baseline == "below"


def test_an_answer_that_never_came_back_leaves_the_comparison_undecided() -> None:
    questions = asked(*labelled(ASTHMA, **_labels()))
    constant = _said(questions, ["no"] * questions.height)
    scores = _score(questions, constant.head(questions.height - 1), constant)
    assert scores.against_baseline == "undecided"
    assert "missing" in (scores.difference.reason or "")
    assert scores.answers.all.counts.unscored == 1
