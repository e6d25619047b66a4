"""Inputs side by side: what each reached, what it took, and which is better."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.reports.asked.asking import asking_row
from raqa.reports.asked.inputs import inputs_of
from raqa.reports.recipes.cells import RecipeFacts
from raqa.reports.recipes.csv_table import plain_table
from raqa.reports.recipes.write import RECIPE_FORMATS, make_recipe_report, write_recipe_report
from raqa.reports.report import report
from raqa.reports.results import load_results
from raqa.reports.run_tables import Run
from reports.question_runs import MakeAnswers, answers_maker

SKILL = {"audio": 0.9, "spectrogram": 0.5, "none": 0.1}


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> MakeAnswers:
    return answers_maker(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def runs(make: MakeAnswers) -> list[Run]:
    found = [
        make(f"zero_shot_model_{given}", skill=skill, given=given, responder="model",
             encoder="none", seeds=(0,), refused=0.05, unanswered=2 * (given == "audio")).run
        for given, skill in SKILL.items()
    ]  # fmt: skip
    return [run for run in found if run is not None]


def test_each_input_has_a_row_with_its_difference_to_none(runs: list[Run]) -> None:
    (inputs,) = inputs_of(runs)
    rows = list(inputs.inputs.records())
    assert [row["given"] for row in rows] == ["audio", "spectrogram", "none"]
    assert all(row["against_none"] < 0 and row["against_none_high"] < 0 for row in rows[:2])
    assert rows[2]["against_none"] is None
    scores = [run.answering.answers.all for run in runs]
    for row, part in zip(rows, scores, strict=True):
        assert part.labels is not None
        assert row["macro_f1"] == part.labels.macro_f1.mean.value
        assert row["macro_f1_low"] == part.labels.macro_f1_interval.low.value
        assert (row["n"], row["refused"]) == (part.counts.questions, part.counts.refused)
    assert [row["unanswered"] for row in rows] == [2, 0, 0]


def test_what_it_took_is_of_prompts_not_of_questions(runs: list[Run]) -> None:
    (inputs,) = inputs_of(runs)
    row = list(inputs.inputs.records())[2]
    assert runs[2].asking is not None
    prompts = runs[2].asking.prompts.height
    assert prompts == -(-row["n"] // 2)  # every two questions share one
    assert (row["tokens"], row["cost"], row["latency_s"]) == (12 * prompts, 0.5 * prompts, 2.0)


def test_inputs_are_compared_in_pairs_with_the_better_one_named(runs: list[Run]) -> None:
    (inputs,) = inputs_of(runs)
    assert inputs.pairs is not None
    table = pl.DataFrame(list(inputs.pairs.records()))
    pairs = table.select("first", "second").unique(maintain_order=True).rows()
    assert pairs == [("audio", "spectrogram"), ("audio", "none"), ("spectrogram", "none")]
    assert set(table["measure"]) == {
        "macro-F1", "balanced accuracy", "accuracy", "relative MAE"
    }  # fmt: skip
    accuracy = table.filter(measure="accuracy")
    assert accuracy["better"].to_list() == ["audio", "audio", "spectrogram"]
    assert accuracy["left_out"].to_list() == [2, 2, 0]
    assert (accuracy["difference_low"] > 0).all()


def test_the_run_without_the_recording_is_looked_for_beside(runs: list[Run]) -> None:
    (inputs,) = inputs_of(runs[:1])
    assert [row["given"] for row in inputs.inputs.records()] == ["audio", "none"]


def test_a_baseline_that_was_not_run_has_a_row_that_says_how_to(tmp_path: Path) -> None:
    alone = answers_maker(tmp_path)("zero_shot_m", given="audio", responder="m", seeds=(0,)).run
    assert alone is not None
    (inputs,) = inputs_of([alone])
    assert inputs.inputs.rows[1][0].text == "none"
    assert inputs.inputs.rows[1][3].text == "not run"
    assert inputs.inputs.caption.endswith("add head.hearing.given=none to the same command.")
    assert inputs.pairs is None


def test_a_report_has_them_on_the_page_and_as_csv(runs: list[Run], tmp_path: Path) -> None:
    made = report([run.path for run in runs], tmp_path)
    names = {file.name for file in made.files}
    assert names >= {"inputs.csv", "input_pairs.csv", "parts.csv"}
    inputs = pl.read_csv(tmp_path / "inputs.csv")
    assert inputs["given"].to_list() == ["audio", "spectrogram", "none"]
    parts = pl.read_csv(tmp_path / "parts.csv")
    assert set(parts["by"]) >= {"all", "question_type", "corpus", "attribute", "group"}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "model by input" in page
    assert "Inputs against each other" in page
    assert "encoder</button>" not in page  # no run has one
    assert 'href="#run-1">zero_shot_model_audio</a>' in page


def test_results_have_what_was_asked_and_what_it_took(runs: list[Run]) -> None:
    table = load_results(runs[0].path.parent).filter(responder="model").sort("given")
    assert table["given"].to_list() == ["audio", "none", "spectrogram"]
    assert table["unanswered"].to_list() == [2, 0, 0]
    assert runs[2].asking is not None
    assert table.row(1, named=True)["cost"] == runs[2].asking.cost
    assert asking_row(None) == {}


def test_a_recipe_lays_inputs_side_by_side_and_says_how_they_stand_to_none(
    make: MakeAnswers, tmp_path: Path
) -> None:
    cells = [
        make("zero_shot", skill=skill, given=given, responder="model", encoder="none", seeds=(0,))
        for given, skill in SKILL.items()
    ]
    made = make_recipe_report(RecipeFacts("mine", "By input", "questions"), cells)
    assert any(
        text.startswith("zero_shot audio: Above the no-audio baseline by") for text in made.summary
    )
    tables = {table.name: plain_table(made, table) for table in made.tables}
    assert tables["inputs_1"]["given"].to_list() == ["audio", "spectrogram", "none"]
    assert {"against_none", "against_none_low"} <= set(tables["inputs_1"].columns)
    models = tables["differences"].select("first", "first_second").unique(maintain_order=True)
    assert models.rows()[:2] == [
        ("zero_shot audio", "zero_shot none"), ("zero_shot spectrogram", "zero_shot none")
    ]  # fmt: skip
    files = write_recipe_report(made, tmp_path, set(RECIPE_FORMATS) - {"figures"})
    assert {"inputs_1.csv", "input_pairs_1.csv"} <= {file.name for file in files}
