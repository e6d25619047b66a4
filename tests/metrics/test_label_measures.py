import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from raqa.metrics.labels import score_labels


def test_one_group_scores_as_scikit_learn_does():
    random = np.random.default_rng(0)
    truth = random.choice(["a", "b", "c"], size=200).tolist()
    guesses = [t if random.random() < 0.5 else "b" for t in truth]
    scores = score_labels(truth, guesses, ["x"] * 200, np.arange(200) // 4)
    assert scores.accuracy.value == pytest.approx(accuracy_score(truth, guesses))
    assert scores.macro_f1.value == pytest.approx(f1_score(truth, guesses, average="macro"))
    assert scores.macro_f1_interval.low.value < scores.macro_f1.value
    assert scores.macro_f1.value < scores.macro_f1_interval.high.value
    assert (scores.questions, scores.subjects) == (200, 50)


def test_groups_count_alike_however_many_questions_they_have():
    truth = ["yes", "no"] * 50 + ["mild", "severe"]
    guesses = ["yes", "no"] * 50 + ["mild", "mild"]
    groups = ["asthma"] * 100 + ["grade"] * 2
    scores = score_labels(truth, guesses, groups, np.arange(102))
    assert scores.macro_f1.value == pytest.approx((1 + (2 / 3 + 0) / 2) / 2)
    assert scores.accuracy.value == pytest.approx(101 / 102)


def test_the_same_label_of_two_attributes_is_two_labels():
    scores = score_labels(["yes", "no", "yes", "no"], ["yes", "no", "no", "yes"],
                          ["a", "a", "b", "b"], np.arange(4))  # fmt: skip
    assert scores.macro_f1.value == 0.5


def test_with_one_label_there_is_an_accuracy_but_no_f1():
    scores = score_labels(["yes"] * 9, ["yes"] * 9, ["asthma"] * 9, np.arange(9))
    assert scores.accuracy.value == 1
    assert scores.macro_f1.reason is not None
    assert "same label" in scores.macro_f1.reason


def test_subjects_are_drawn_with_all_their_questions():
    truth = ["yes", "no"] * 200
    guesses = ["yes", "no"] * 100 + ["no", "yes"] * 100
    alone = score_labels(truth, guesses, ["a"] * 400, np.arange(400))
    few = score_labels(truth, guesses, ["a"] * 400, np.arange(400) // 40)
    width = [s.accuracy_interval.high.value - s.accuracy_interval.low.value for s in (alone, few)]
    assert width[1] > 3 * width[0]


def test_nothing_to_score_and_one_subject_are_undefined_with_a_reason():
    nothing = score_labels([], [], [], [])
    assert nothing.accuracy.reason == "there are no such test questions"
    one = score_labels(["yes", "no"], ["yes", "yes"], ["a", "a"], ["s", "s"])
    assert one.accuracy_interval.low.reason == "1 subject has no interval"
