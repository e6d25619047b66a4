"""Two models on the same questions: paired over subjects, and only said to differ where they do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from made_answers import ASTHMA, asked, crowd, labelled, named, said

from raqa.metrics.answers import score_answers
from raqa.metrics.questions import (
    compare_answers,
    differences_table,
    score_questions,
    scores_table,
)


def model(test: pl.DataFrame, share: float, seed: int = 0, answered_as: int = 0) -> pl.DataFrame:
    """Right with a share of the questions, by turns; otherwise as a prior would answer."""
    prior = {"asthma": "no", "expert_cough_type": "dry", "expert_severity": "mild", "age": 54.0}
    places = {qa_id: place for place, qa_id in enumerate(test["qa_id"])}

    def answer(question: dict) -> str | float:
        right = (places[question["qa_id"]] * 7 + seed) % 100 < 100 * share
        truth = question["value"] if question["kind"] == "numeric" else question["label"]
        return truth if right else prior[question["attribute"]]

    return named(test, answer, answered_as)


def of_all(differences, measure: str):
    return next(one for one in differences if (one.by, one.measure) == ("all", measure))


def test_a_model_that_hears_something_is_better_in_every_measure():
    test = crowd(60)
    found = compare_answers(test, test, model(test, 0.6), model(test, 0.0), resamples=300)
    for measure in ("macro_f1", "accuracy", "relative_mae"):
        assert of_all(found, measure).better == "first"
    assert (
        of_all(found, "macro_f1").difference.value
        > 0
        > of_all(found, "relative_mae").difference.value
    )
    turned = compare_answers(test, test, model(test, 0.0), model(test, 0.6), resamples=300)
    assert of_all(turned, "macro_f1").better == "second"


def test_models_that_answer_alike_are_not_told_apart():
    test = crowd(60)
    found = compare_answers(test, test, model(test, 0.3), model(test, 0.3, seed=50), resamples=300)
    assert of_all(found, "macro_f1").better is None
    same = compare_answers(test, test, model(test, 0.3), model(test, 0.3), resamples=50)
    ends = of_all(same, "macro_f1").interval
    assert ends.low.value == ends.high.value == 0


def test_a_coin_is_not_above_a_constant_though_its_macro_f1_is():
    random = np.random.default_rng(0)
    truth, coin = (random.choice(["yes", "no"], 200).tolist() for _ in range(2))
    names = [f"s{place:03}" for place in range(200)]
    test = asked(*labelled(ASTHMA, **dict(zip(names, truth, strict=True))))
    constant, tossed = said(test, *["no"] * 200), said(test, *coin)
    found = compare_answers(test, test, tossed, constant, resamples=300)
    assert of_all(found, "macro_f1").better == "first"
    assert of_all(found, "balanced_accuracy").better is None
    fold = pl.DataFrame(
        {"side": "test", "corpus": "here", "recording_id": names, "subject_id": names,
         "subject_known": True, "label": 1.0}
    )  # fmt: skip
    both = pl.concat([test.with_columns(split=pl.lit("train")), test])
    scores = score_answers(both, tossed, constant, fold, resamples=300)
    assert scores.difference_interval.low.value <= 0 <= scores.difference_interval.high.value


def test_the_difference_is_that_of_the_scores_whatever_the_number_of_seeds():
    test = crowd(30)
    five = pl.concat(model(test, 0.5, seed=n, answered_as=n) for n in range(5))
    one = model(test, 0.2, answered_as=7)
    found = compare_answers(test, test, five, one, resamples=20)
    first, second = (score_questions(test, test, a, resamples=20) for a in (five, one))
    for part in first.parts:
        if part.labels is not None:
            other = second.part(part.by, part.name).labels
            difference = next(
                d for d in found if (d.by, d.name, d.measure) == (part.by, part.name, "macro_f1")
            )
            expected = part.labels.macro_f1.mean.value - other.macro_f1.mean.value
            assert difference.difference.value == pytest.approx(expected)


def test_the_paired_interval_is_narrower_than_independent_ones_would_be():
    test = crowd(60)
    found = compare_answers(test, test, model(test, 0.5), model(test, 0.45), resamples=500)
    paired = of_all(found, "accuracy").interval
    alone = score_questions(
        test, test, model(test, 0.5), resamples=500
    ).all.labels.accuracy_interval
    assert paired.high.value - paired.low.value < 0.8 * (alone.high.value - alone.low.value)


def test_models_of_which_one_lacks_answers_are_not_compared_and_the_reason_is_given():
    test = asked(*labelled(ASTHMA, a="yes", b="no"))
    found = compare_answers(test, test, said(test, "yes", "no"), said(test, "yes", None))
    assert {one.difference.reason for one in found} == {"1 answer(s) never came back"}
    assert {one.better for one in found} == {None}


def test_flat_tables_have_a_row_for_every_part_with_counts_and_reasons():
    test = crowd(20)
    answers = model(test, 0.5)
    table = scores_table({"model": score_questions(test, test, answers, resamples=20)})
    assert table["by"].unique(maintain_order=True).to_list() == [
        "all", "question_type", "corpus", "family", "attribute", "group"
    ]  # fmt: skip
    whole = table.row(0, named=True)
    assert whole["expected"] == whole["scored"] == test.height
    assert whole["macro_f1_low"] < whole["macro_f1"] < whole["macro_f1_high"]
    assert whole["macro_f1_sd"] is None
    assert "rouge_l: no answer has a text" in whole["undefined"]
    age = table.filter(by="attribute", name="age").row(0, named=True)
    assert age["unit"] == "year"
    assert age["macro_f1"] is None
    compared = compare_answers(test, test, answers, model(test, 0.0), resamples=20)
    flat = differences_table({("model", "prior"): compared})
    assert flat.filter(by="all", measure="macro_f1")["better"].to_list() == ["model"]
