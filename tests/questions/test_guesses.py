import pytest

from raqa.questions.guesses import guess_answers, median_errors

from .made import numbers, rows, subjects, table


def sides(count: int, **labels: int) -> tuple[dict[str, str], dict[str, str]]:
    """Subjects with so many of each label in training and `count` of each in test."""
    train = {k: v for label, n in labels.items() for k, v in subjects(n, label).items()}
    test = {k: v for label in labels for k, v in subjects(count, label, f"t{label}").items()}
    return train | test, dict.fromkeys(test, "test")


def test_each_guess_is_what_its_name_says():
    fever, splits = sides(4, yes=9, no=3)
    cold, cold_splits = sides(4, yes=1, no=5)
    questions = table(
        rows(fever, splits=splits, attribute="fever"),
        rows(cold, splits=cold_splits, attribute="cold", question="Is there a cold?"),
    )
    guesses = guess_answers(questions).table
    assert set(guesses["constant"]) == {"yes"}
    assert dict(guesses.select("attribute", "prior").unique().rows()) == {
        "fever": "yes", "cold": "no"}  # fmt: skip
    assert guesses.height == 16


def test_a_wording_that_gives_the_answer_away_is_read_from_the_question():
    yes, yes_splits = sides(5, yes=30)
    no, no_splits = sides(5, no=30)
    questions = table(
        rows(yes, splits=yes_splits, question="Does she suffer from asthma?"),
        rows(no, splits=no_splits, question="Is she free of asthma?"),
    )
    guesses = guess_answers(questions).table
    assert (guesses["question_only"] == guesses["label"]).all()
    assert (guesses["prior"] == guesses["label"]).mean() == 0.5


def test_the_prior_knows_the_label_that_is_asked_about():
    wheeze, splits = sides(3, yes=9, no=1)
    crackle, other = sides(3, yes=1, no=9)
    questions = table(*(
        rows(labels, splits=side, attribute="sound", asked_label=asked, question=f"Any {asked}?",
             question_type="single_verify")
        for labels, side, asked in ((wheeze, splits, "wheeze"), (crackle, other, "crackle"))
    ))  # fmt: skip
    guesses = guess_answers(questions).table
    assert set(guesses["prior"]) == {"yes", "no"}


def test_test_questions_are_drawn_and_the_rest_counted():
    labels, splits = sides(20, yes=5, no=5)
    guessed = guess_answers(table(rows(labels, splits=splits)), per_attribute=7)
    assert (guessed.table.height, guessed.questions) == (7, 40)


@pytest.mark.parametrize("side", ["train", "test"])
def test_without_training_or_test_nothing_is_guessed(side):
    questions = table(rows({"a": "yes", "b": "no"}, splits={"a": side, "b": side}))
    assert guess_answers(questions).table.is_empty()


def test_numbers_are_guessed_by_the_median_of_training():
    ages = {"a": 10.0, "b": 20.0, "c": 90.0, "t": 26.0}
    errors = median_errors(table(numbers(ages, splits={"t": "test"})))
    assert errors.select("median", "error", "unit").rows() == [(20.0, 6.0, "year")]
