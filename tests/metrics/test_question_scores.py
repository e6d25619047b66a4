"""Scores of answers: what is counted, what is averaged, and what is left out and said so."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from made_answers import (
    AGE,
    ASTHMA,
    COUGH,
    HEIGHT,
    asked,
    crowd,
    labelled,
    named,
    numbered,
    said,
)
from pydantic import TypeAdapter
from sklearn.metrics import balanced_accuracy_score, f1_score

from raqa.metrics.questions import QuestionScores, judge, score_questions


def random_answers(test: pl.DataFrame, seeds: int = 2) -> pl.DataFrame:
    """Labels, some of them not valid, some missing, and noisy numbers."""
    random = np.random.default_rng(7)
    labels = {"asthma": ["no", "yes", "perhaps"], "expert_cough_type": ["dry", "wet"],
              "expert_severity": ["mild", "severe", "pseudocough"]}  # fmt: skip

    def answer(question: dict) -> str | float:
        if question["kind"] == "numeric":
            return float(question["value"] + random.normal(0, 9))
        wrong = random.random() < 0.4
        return str(random.choice(labels[question["attribute"]])) if wrong else question["label"]

    return pl.concat(named(test, answer, seed) for seed in range(seeds))


def test_macro_f1_is_that_of_scikit_learn_within_groups_and_in_one_pool():
    test = crowd(60)
    answers = random_answers(test)
    answers = answers.with_columns(  # every seventh answer can not be read
        label=pl.when(pl.int_range(pl.len()) % 7 == 0).then(None).otherwise("label"),
        value=pl.when(pl.int_range(pl.len()) % 7 == 0).then(None).otherwise("value"),
        response=pl.lit("banana"),
    )
    scores = score_questions(test, test, answers, resamples=10)
    judged = judge(test, test, answers).filter(pl.col("kind") != "numeric")
    judged = judged.with_columns(pl.col("said").fill_null("?"))
    for seed in (0, 1):
        rows = judged.filter(pl.col("seed") == seed)
        groups = []
        for name, group in rows.group_by("corpus", "attribute", "question_type"):
            truth, answer = group["truth"].to_list(), group["said"].to_list()
            classes = sorted(set(truth))
            expected = f1_score(truth, answer, labels=classes, average="macro", zero_division=0)
            part = scores.part("group", " / ".join(map(str, name))).labels
            assert part.macro_f1.by_seed[seed].value == pytest.approx(expected, abs=1e-9)
            recall = [np.mean([a == c for t, a in zip(truth, answer, strict=True) if t == c])
                      for c in classes]  # fmt: skip
            assert part.balanced_accuracy.by_seed[seed].value == pytest.approx(np.mean(recall))
            groups.append(expected)
        whole = scores.all.labels
        assert whole.macro_f1.by_seed[seed].value == pytest.approx(np.mean(groups), abs=1e-9)
        truth, answer = rows["truth"].to_list(), rows["said"].to_list()
        pooled = f1_score(
            truth, answer, labels=sorted(set(truth)), average="macro", zero_division=0
        )
        assert whole.pooled_f1.by_seed[seed].value == pytest.approx(pooled, abs=1e-9)


def test_balanced_accuracy_is_that_of_scikit_learn():
    test = asked(*labelled(ASTHMA, a="yes", b="yes", c="no", d="no", e="no"))
    answers = said(test, "yes", "no", "no", "no", "yes")
    expected = balanced_accuracy_score([1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    scores = score_questions(test, test, answers, resamples=10)
    assert scores.all.labels.balanced_accuracy.mean.value == pytest.approx(expected)


def test_unreadable_and_refused_answers_are_wrong_and_only_missing_ones_are_left_out():
    test = asked(*labelled(ASTHMA, a="yes", b="no", c="yes", d="no", e="yes", f="no"))
    answers = said(test, "yes", "no", "banana", "I cannot tell.", None, "yes")
    scores = score_questions(test, test, answers, resamples=10)
    counts = scores.all.counts
    assert (counts.expected, counts.scored, counts.unscored) == (6, 5, 1)
    assert (counts.right, counts.wrong, counts.unreadable, counts.refused) == (2, 1, 1, 1)
    assert scores.all.labels.accuracy.mean.value == pytest.approx(2 / 5)
    assert scores.all.labels.accuracy_readable.mean.value == pytest.approx(2 / 3)
    assert not scores.complete
    assert scores.remarks[0].startswith("Incomplete: 1 of 6 answers never came back")


def test_a_group_whose_truth_has_one_class_is_left_out_by_name():
    test = asked(*labelled(ASTHMA, a="yes", b="yes"), *labelled(COUGH, a="dry", b="wet"))
    answers = said(test, "yes", "yes", "dry", "wet")
    labels = score_questions(test, test, answers, resamples=10).all.labels
    assert labels.macro_f1.mean.value == 1.0
    assert labels.one_class == ("here / asthma / single_verify",)
    part = score_questions(test, test, answers, resamples=10).part("attribute", "asthma")
    assert math.isnan(part.labels.macro_f1.mean.value)
    assert part.labels.macro_f1.mean.reason == "the truth has one class"
    assert part.labels.accuracy.mean.value == 1.0


def test_classes_of_training_that_the_test_truth_lacks_are_listed():
    train = asked(*labelled(COUGH, t="dry", u="wet", v="barking"))
    test = asked(*labelled(COUGH, a="dry", b="wet"))
    labels = score_questions(train, test, said(test, "dry", "wet"), resamples=10).all.labels
    assert labels.absent == ("here / expert_cough_type / open_ended: barking",)


def test_a_label_that_the_truth_never_has_is_an_error_of_the_true_class():
    train = asked(*labelled(COUGH, t="dry", u="wet", v="barking"))
    test = asked(*labelled(COUGH, a="dry", b="dry", c="wet"))
    labels = score_questions(train, test, said(test, "dry", "barking", "wet"), resamples=10)
    assert labels.all.labels.macro_f1.mean.value == pytest.approx((2 / 3 + 1) / 2)


def test_questions_about_numbers_are_not_counted_among_those_about_labels():
    test = asked(*labelled(ASTHMA, a="yes", b="no"), *numbered(AGE, a=50.0, b=30.0))
    scores = score_questions(test, test, said(test, "yes", "no", "50", "30"), resamples=10)
    assert scores.all.counts.questions == 4
    assert scores.all.labels.asked == 2


def test_errors_of_numbers_have_a_unit_and_are_never_pooled_over_attributes():
    train = asked(*numbered(AGE, t=20.0, u=40.0, v=60.0), *numbered(HEIGHT, t=150.0, u=170.0))
    test = asked(*numbered(AGE, a=50.0, b=30.0), *numbered(HEIGHT, a=180.0))
    answers = said(test, "45 years", "30", "1.7 m")
    scores = score_questions(train, test, answers, resamples=10)
    age = scores.part("attribute", "age").numbers
    assert (age.unit, age.mae.mean.value, age.median_mae.value) == ("year", 2.5, 10.0)
    assert age.relative_mae.mean.value == pytest.approx(0.25)
    height = scores.part("attribute", "height").numbers
    assert (height.unit, height.mae.mean.value) == ("cm", 10.0)
    assert scores.all.numbers.mae.mean.reason == "2 attributes are not pooled"
    assert scores.all.numbers.relative_mae.mean.value == pytest.approx((0.25 + 0.5) / 2)
    assert scores.part("question_type", "numbers").numbers == scores.all.numbers


def test_saying_nothing_is_never_better_than_saying_a_number_of_training():
    train = asked(*numbered(AGE, t=20.0, u=30.0, v=60.0))
    test = asked(*numbered(AGE, a=50.0, b=30.0))
    numbers = score_questions(train, test, said(test, "I cannot tell.", "30"), resamples=10)
    age = numbers.all.numbers
    assert age.mae.mean.value == pytest.approx((30 + 0) / 2)
    assert age.mae_readable.mean.value == 0.0


def test_without_training_numbers_there_is_no_relative_error_and_the_reason_is_given():
    test = asked(*numbered(AGE, a=50.0), *labelled(COUGH, a="dry", b="wet"))
    answers = said(test, "45", "dry", "wet")
    scores = score_questions(test.filter(pl.col("value").is_null()), test, answers, resamples=10)
    assert "training has no number" in scores.all.numbers.relative_mae.mean.reason
    assert scores.all.numbers.mae.mean.value == 5.0
    assert scores.all.labels.macro_f1.mean.value == 1.0


def test_the_interval_is_over_subjects_and_widens_as_subjects_have_more_of_the_questions():
    test = crowd(80, corpora=("here",)).filter(pl.col("attribute") == "asthma")
    answers = random_answers(test, seeds=1)
    many = test.with_columns(subject_id=pl.col("subject_id").str.slice(0, 4))  # ten in one
    alone, together = (
        score_questions(one, one, answers, resamples=2000).all.labels.accuracy_interval
        for one in (test, many)
    )
    truth = answers.join(test, on="qa_id")
    share = float((truth["label"] == truth["label_right"]).mean())
    assert alone.low.value < share < alone.high.value
    expected = 2 * 1.96 * math.sqrt(share * (1 - share) / test.height)
    assert alone.high.value - alone.low.value == pytest.approx(expected, rel=0.15)
    assert together != alone


def test_intervals_cover_the_macro_f1_and_are_averaged_over_seeds():
    test = crowd(100)
    scores = score_questions(test, test, random_answers(test), resamples=400)
    for part in scores.parts:
        if part.labels is not None:
            ends = part.labels.macro_f1_interval
            assert ends.low.value < part.labels.macro_f1.mean.value < ends.high.value
        if part.numbers is not None:
            ends = part.numbers.relative_mae_interval
            assert ends.low.value < part.numbers.relative_mae.mean.value < ends.high.value


def test_one_subject_has_no_interval():
    test = asked(*labelled(COUGH, a="dry"), *labelled(ASTHMA, a="yes"))
    scores = score_questions(test, test, said(test, "dry", "no"), resamples=10)
    assert scores.all.labels.accuracy_interval.low.reason == "1 subject(s) have no interval"


def test_texts_are_compared_and_rendered_ones_are_said_to_be_inflated():
    test = asked(*labelled(COUGH, a="dry", b="wet"))
    scores = score_questions(test, test, said(test, "It is dry.", ""), rendered=True, resamples=9)
    text = scores.all.text
    assert (text.said, text.empty) == (2, 1)
    assert text.exact_match.mean.value == text.rouge_l.mean.value == 0.5
    assert text.bertscore.mean.reason == "no model was chosen for it"
    assert any("inflates" in remark for remark in scores.remarks)


def test_labels_without_a_text_have_no_text_scores():
    test = asked(*labelled(COUGH, a="dry", b="wet"))
    text = score_questions(test, test, named(test, lambda row: row["label"]), resamples=9).all.text
    assert text.said == 0
    assert text.rouge_l.mean.reason == "no answer has a text"


def test_scores_are_plain_data_that_survives_a_file():
    test = crowd(10)
    scores = score_questions(test, test, random_answers(test), resamples=10)
    adapter = TypeAdapter(QuestionScores)
    again = adapter.validate_json(adapter.dump_json(scores))
    assert again == scores
