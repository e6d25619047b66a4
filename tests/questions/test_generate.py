from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from raqa.questions.generate import Generator, QuestionSettings
from raqa.questions.templates import Templates, load_templates
from raqa.tables import QUESTIONS, SIDES

from .conftest import Make, collect, made_recordings

YES_NO = ["yes", "no"] * 30


def of_type(questions: pl.DataFrame, question_type: str) -> pl.DataFrame:
    return questions.filter(pl.col("question_type") == question_type)


def test_questions_have_the_columns_of_their_table(ask: Make) -> None:
    questions = ask(asthma=YES_NO, age=[30.0] * 60)
    assert dict(questions.schema) == {
        name: kind() if isinstance(kind, type) else kind for name, kind in QUESTIONS.items()
    }
    assert questions["qa_id"].is_unique().all()


def test_every_value_is_asked_for_once_with_each_question_type(ask: Make) -> None:
    questions = ask(asthma=[*YES_NO, None], balance=False)
    assert questions.group_by("question_type").len()["len"].to_list() == [60, 60, 60]
    assert "r060" not in questions["recording_id"]


def test_all_wordings_or_some_of_them_are_used(ask: Make, shipped: Templates) -> None:
    wordings = len(shipped.by_attribute["asthma"].of_type("open_ended"))
    for asked in (1, 2, "all"):
        found = of_type(ask(asthma=YES_NO, wordings=asked), "open_ended")
        each = wordings if asked == "all" else asked
        assert found.group_by("recording_id").len()["len"].unique().to_list() == [each]
        assert found["template_id"].n_unique() == wordings


def test_a_number_is_said_with_its_unit_and_kept_unrounded(ask: Make) -> None:
    row = ask(age=[0.2537], wordings="all").row(0, named=True)
    assert row["answer"] == "The person in this recording is 0.254 years old."
    assert (row["value"], row["unit"], row["label"]) == (0.2537, "year", None)
    (one,) = ask(age=[1.0]).rows(named=True)
    assert "1 year" in one["answer"]
    assert "1 years" not in one["answer"]


def test_a_number_that_is_none_is_not_asked_for(ask: Make) -> None:
    assert ask(age=[float("nan"), float("inf"), None, 4.0])["recording_id"].to_list() == ["r003"]


def test_as_many_answers_are_yes_as_no_for_each_question_in_each_split(ask: Make) -> None:
    sexes = ["female"] * 50 + ["male"] * 20 + ["other"] * 2
    questions = of_type(ask(sex=sexes, asthma=["no"] * 65 + ["yes"] * 7), "single_verify")
    answers = questions.group_by("question", "split").agg(
        yes=(pl.col("label") == "yes").sum(), no=(pl.col("label") == "no").sum()
    )
    assert answers.height > 6
    assert answers["yes"].to_list() == answers["no"].to_list()


def test_the_surplus_that_is_dropped_is_counted(shipped: Templates, tmp_path: Path) -> None:
    recordings = made_recordings(asthma=["no"] * 65 + ["yes"] * 7)
    generator = Generator(recordings.table, shipped, QuestionSettings())
    lost = sum(row.rows for row in generator.dropped)
    kept = of_type(collect(recordings, tmp_path / "q", shipped).scan().collect(), "single_verify")
    assert lost > 0
    assert kept.height + lost == 72
    assert {row.split for row in generator.dropped} == set(SIDES)


def test_a_template_may_keep_every_case(ask: Make) -> None:
    questions = ask(templates=load_templates("preview"), asthma=["yes"] * 9)
    assert questions["answer"].unique().to_list() == ["Yes, the patient suffers from asthma."]
    assert questions.height == 9


def test_several_labels_are_named_together_and_verified_one_by_one(ask: Make) -> None:
    sounds = [["crackle", "wheeze"], ["wheeze"], ["normal"], ["crackle"]] * 6
    questions = ask(lung_sounds=sounds, side=["train"] * 24)
    named = of_type(questions, "open_ended").row(0, named=True)
    assert "crackles and wheezes" in named["answer"]
    assert named["label"] == "crackle + wheeze"
    assert of_type(questions, "multiple_choice").is_empty()
    asked = of_type(questions, "single_verify").filter(pl.col("asked_label") == "wheeze")
    place = asked["recording_id"].str.slice(1).cast(pl.Int64)
    assert [("yes" if "wheeze" in sounds[one] else "no") for one in place] == list(asked["label"])


def test_options_are_the_labels_of_the_corpus_in_orders_that_give_nothing_away(ask: Make) -> None:
    grades = [str(place % 4) for place in range(400)]
    choices = of_type(ask(copd_severity=grades, wordings=1), "multiple_choice")
    assert all(sorted(options) == sorted(choices["options"][0]) for options in choices["options"])
    said = {"0": "COPD0 (at risk)", "1": "COPD1 (mild)", "2": "COPD2 (moderate)",
            "3": "COPD3 (severe)"}  # fmt: skip
    rows = [(row["options"].index(said[row["label"]]), row["label"])
            for row in choices.rows(named=True)]  # fmt: skip
    assert "COPD4 (very severe)" not in choices["options"][0].to_list()
    places = np.bincount([place for place, _ in rows], minlength=4)
    assert places.min() > 70  # of 100 expected
    for row in choices.rows(named=True):
        assert all(option in row["question"] for option in row["options"])


def test_of_many_labels_some_are_offered_and_the_right_one_always(ask: Make) -> None:
    lands = [f"land {place % 30:02d}" for place in range(4000)]
    choices = of_type(ask(country=lands, most_options=5), "multiple_choice")
    assert set(choices["options"].list.len()) == {5}
    assert choices.select(pl.col("options").list.contains(pl.col("label")).all()).item()
    assert choices["options"].list.n_unique().to_list() == [5] * choices.height
    answers = choices.group_by("question").agg(pl.len(), pl.col("label").n_unique())
    assert answers.filter(pl.col("len") > 8)["label"].min() > 1


def test_a_choice_of_one_is_not_asked_and_counted(shipped: Templates) -> None:
    generator = Generator(made_recordings(sex=["male"] * 4).table, shipped, QuestionSettings())
    (alone,) = [row for row in generator.dropped if row.question_type == "multiple_choice"]
    assert "only label" in alone.reason
    assert alone.rows == 4


def test_a_label_that_could_not_be_read_back_is_not_asked_about_and_counted(
    shipped: Templates,
) -> None:
    table = made_recordings(symptoms=[["a; b"], ["c"]], covid_status=["positive",
                            "COVID-19 positive"]).table  # fmt: skip
    generator = Generator(table, shipped, QuestionSettings())
    reasons = {row.attribute: row.reason for row in generator.dropped if row.rows == 1
               and row.question_type is None}  # fmt: skip
    assert "stands between labels" in reasons["symptoms"]
    assert "as 'positive' is" in reasons["covid_status"]


def test_recordings_on_no_side_are_asked_about_too(ask: Make) -> None:
    questions = ask(age=[30.0, 40.0], side=["train", None])
    assert questions.sort("recording_id")["split"].to_list() == ["train", None]


def test_blocks_hold_no_more_rows_than_asked_for(shipped: Templates) -> None:
    recordings = made_recordings(asthma=YES_NO, age=[40.0] * 60)
    generator = Generator(recordings.table, shipped, QuestionSettings(wordings="all"))
    sizes = [block.num_rows for block in generator.blocks(50)]
    assert max(sizes) <= 50
    assert sum(sizes) == generator.rows


def test_ids_stay_when_rows_are_added_and_change_with_the_question(ask: Make) -> None:
    few = ask(age=[30.0, 40.0, 50.0], wordings="all")
    more = ask(age=[30.0, 40.0, 50.0, 60.0], asthma=["yes", "no", "no", "yes"], wordings="all")
    assert set(few["qa_id"]) < set(more["qa_id"])
    # Written down when it was made: ids are the same on every machine and in every version.
    assert few.sort("recording_id", "template_id")["qa_id"][0] == "ebb951daf8713e04d6af"


@pytest.mark.parametrize("corpus", [{"age": []}, {"asthma": [None, None]}])
def test_a_corpus_without_a_value_has_no_questions(
    ask: Make, corpus: dict[str, list[None]]
) -> None:
    assert ask(**corpus).is_empty()
