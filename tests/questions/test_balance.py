import numpy as np
import polars as pl
import pytest

from raqa.questions.balance import Balance, balanced, equal_shares, natural

from .made import numbers, rows, subjects, table

SMALL = Balance(train=60, validation=20, test=20, per_subject=2, least=2)


def chosen(questions: pl.LazyFrame, settings: Balance = SMALL) -> pl.DataFrame:
    frame = questions.collect().cast({"label": pl.String, "question": pl.String,
                                      "subject_id": pl.String})  # fmt: skip
    ids = balanced(questions, settings).chosen["qa_id"]
    return frame.filter(pl.col("qa_id").is_in(ids.implode()))


def limit(questions: pl.LazyFrame, settings: Balance = SMALL) -> str:
    (reason,) = balanced(questions, settings).limits["limit"]
    return reason


def test_every_label_is_asked_about_as_often_as_the_rarest():
    taken = chosen(table(rows(subjects(30, "no") | subjects(4, "yes"))))
    assert dict(taken["label"].value_counts().rows()) == {"no": 4, "yes": 4}


def test_yes_and_no_are_equally_frequent_for_every_question_text():
    cold = rows(subjects(30, "no") | subjects(7, "yes"), question_type="single_verify",
                question="A cold?")  # fmt: skip
    fever = rows(subjects(5, "no") | subjects(20, "yes"), question_type="single_verify",
                 question="A fever?")  # fmt: skip
    counts = chosen(table(cold, fever)).group_by("question", "label").len()
    assert dict(counts.filter(question="A cold?").select("label", "len").rows()) == {
        "no": 7, "yes": 7}  # fmt: skip
    assert set(counts.filter(question="A fever?")["len"]) == {5}


def test_no_subject_gives_more_than_its_cap():
    questions = table(rows(subjects(21, "yes") | subjects(30, "no"), recordings=9))
    settings = Balance(train=900, per_subject=2, least=2)
    taken = chosen(questions, settings)
    assert taken.filter(label="yes").height == 42
    assert taken["subject_id"].value_counts()["count"].max() <= 2
    assert limit(questions, settings) == "cap per subject"


def test_all_subjects_give_one_question_before_any_gives_a_second():
    taken = chosen(table(rows(subjects(40, "no") | subjects(10, "yes"), recordings=2)))
    per_subject = taken.group_by("label", "subject_id").len()
    assert set(per_subject.filter(label="yes")["len"]) == {2}  # the rare label gives all it has
    assert set(per_subject.filter(label="no")["len"]) == {1}


def test_the_target_is_shared_equally_and_what_one_attribute_lacks_another_gives():
    few = rows(subjects(5, "no") | subjects(5, "yes"))
    many = rows(subjects(99, "no") | subjects(99, "yes"), attribute="fever")
    subset = balanced(table(few, many), SMALL)
    assert dict(subset.limits.select("attribute", "taken").rows()) == {"asthma": 10, "fever": 50}
    assert dict(subset.limits.select("attribute", "limit").rows())["fever"] == "target reached"


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (subjects(30, "no") | subjects(25, "yes"), "rarest label"),
        (subjects(30, "no") | subjects(4, "yes"), "few subjects"),
        (subjects(30, "no"), "one label"),
        (subjects(30, "no") | subjects(1, "yes"), "labels too rare"),
        (subjects(80, "no") | subjects(80, "yes"), "target reached"),
    ],
)
def test_what_limited_an_attribute_is_said(labels, reason):
    assert limit(table(rows(labels))) == reason


def test_a_label_of_too_few_subjects_does_not_take_the_others_down():
    labels = subjects(9, "male") | subjects(9, "female") | subjects(1, "other")
    questions = table(rows(labels, attribute="sex", recordings=9))
    assert dict(chosen(questions)["label"].value_counts().rows()) == {"male": 18, "female": 18}
    assert balanced(questions, SMALL).limits["labels_left_out"].to_list() == [1]


def test_a_label_that_training_lacks_is_not_asked_about_elsewhere():
    labels = subjects(9, "mild") | subjects(9, "severe") | subjects(9, "none", "t") | {
        f"t{n}": label for n, label in enumerate(["mild", "severe"] * 4)}  # fmt: skip
    splits = {name: "test" for name in labels if name.startswith("t")}
    taken = chosen(table(rows(labels, splits=splits)))
    assert set(taken.filter(split="test")["label"]) == {"mild", "severe"}


def test_the_same_questions_are_chosen_whatever_their_order_and_another_seed_chooses_others():
    questions = table(rows(subjects(90, "no") | subjects(70, "yes"), recordings=3))
    first = balanced(questions, SMALL)
    shuffled = questions.collect().sample(fraction=1, shuffle=True, seed=5).lazy()
    second = balanced(shuffled, SMALL)
    assert first.chosen.equals(second.chosen)
    assert first.limits.equals(second.limits)
    other = balanced(questions, Balance(train=60, per_subject=2, least=2, seed=1))
    assert not first.chosen.equals(other.chosen)


def test_numbers_are_capped_but_keep_their_distribution():
    ages = {f"s{number:04d}": float(number % 10 == 0) for number in range(3000)}
    taken = chosen(table(numbers(ages, recordings=3)), Balance(train=600, per_subject=2))
    assert taken.height == 600
    assert taken["subject_id"].n_unique() == 600
    assert taken["value"].mean() == pytest.approx(0.1, abs=0.04)


def test_a_question_of_no_split_is_not_chosen():
    labels = subjects(9, "no") | subjects(9, "yes")
    questions = table(rows(labels, splits=dict.fromkeys(labels)))
    assert balanced(questions, SMALL).chosen.is_empty()


def test_of_a_split_of_which_none_are_wanted_none_are_taken():
    labels = subjects(9, "no") | subjects(9, "yes")
    subset = balanced(table(rows(labels)), Balance(train=0))
    assert subset.chosen.is_empty()
    assert subset.limits.is_empty()


def test_the_natural_test_set_keeps_labels_as_frequent_as_they_are():
    labels = subjects(900, "no") | subjects(100, "yes")
    training = rows(subjects(50, "yes", "t"))
    questions = table(rows(labels, splits=dict.fromkeys(labels, "test")), training)
    subset = natural(questions, Balance(test=500))
    frame = questions.collect().filter(pl.col("qa_id").is_in(subset.chosen["qa_id"].implode()))
    assert frame.height == 500
    assert set(frame["split"]) == {"test"}
    assert (frame["label"] == "yes").mean() == pytest.approx(0.1, abs=0.04)


@pytest.mark.parametrize("total", [0, 1, 7, 30, 44, 45, 100])
def test_shares_add_up_and_are_as_equal_as_they_can_be(total):
    most = np.array([5, 0, 20, 1, 19])
    shares = equal_shares(most, total)
    assert shares.sum() == min(total, most.sum())
    assert (shares <= most).all()
    free = shares[shares < most]
    assert not free.size or free.max() - free.min() <= 1
    assert not free.size or shares.max() <= free.min() + 1
