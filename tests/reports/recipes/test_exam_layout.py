"""Layout exam: models beside the paper's, parts in columns, what hearing adds, fluent errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.reports.recipes.cells import RecipeFacts, ReportCell
from raqa.reports.recipes.csv_table import plain_table
from raqa.reports.recipes.tables import RecipeReport, Table
from raqa.reports.recipes.write import make_recipe_report, write_recipe_report
from reports.exam_runs import MakeExam, carecos, exam_maker

Recipe = Callable[..., RecipeFacts]
PAPER = """model,given,by,part,percent
gpt-5.1,spectrogram,all,all,48.8
gpt-5.1,spectrogram,question_type,explicit,13.0
kimi-vl,spectrogram,all,all,25.6
"""


@pytest.fixture
def make_exam(tmp_path: Path) -> MakeExam:
    return exam_maker(tmp_path / "runs")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    file = tmp_path / "paper.csv"
    file.write_text(PAPER)
    return file


def _cell(make: MakeExam, model: str = "gpt-5.1", given: str = "spectrogram", **how: object):
    chosen = {"responder": "openai", "responder.model": model, "head.hearing.given": given}
    head = f"zero_shot_{model}_{given}"
    how.setdefault("exam", carecos(30))
    return make(head, chosen=chosen, **how)


def _table(report: RecipeReport, name: str) -> pl.DataFrame:
    (table,) = (one for one in report.tables if one.name == name)
    return plain_table(report, table)


def _texts(table: Table) -> list[list[str]]:
    return [[" / ".join(shown.lines) for shown in row] for row in table.rows]


def _report(recipe: RecipeFacts, *cells: ReportCell) -> RecipeReport:
    return make_recipe_report(recipe, cells)


def test_the_papers_number_stands_beside_ours_of_the_same_input(
    make_exam: MakeExam, recipe: Recipe, published: Path
) -> None:
    cells = _cell(make_exam), _cell(make_exam, given="none", skill=0.2)
    report = _report(recipe("exam", published, ("question_type",)), *cells)
    rows = _table(report, "table").rows_by_key("model", named=True, unique=True)
    assert list(rows) == ["gpt-5.1, spectrogram", "gpt-5.1, none", "kimi-vl"]
    ours, deaf, theirs = rows.values()
    accuracy = 100 * cells[0].run.exam.all.accuracy.mean.value
    assert ours["all"] == pytest.approx(accuracy)
    assert ours["all_minus_published"] == pytest.approx(accuracy - 48.8)
    assert ours["question_type_explicit_published"] == 13.0
    assert "question_type_inferred_published" not in ours  # which the paper does not print
    assert deaf["all_published"] is None
    assert (theirs["all"], theirs["all_published"]) == (None, 25.6)
    assert "the paper has this model, the recipe no run of it" in report.notes


def test_parts_are_columns_and_coverage_stands_in_every_place(
    make_exam: MakeExam, recipe: Recipe
) -> None:
    cell = _cell(make_exam, unscored=0.2, refused=0.2)
    report = _report(recipe("exam", parts=("corpus", "question_type")), cell)
    table = report.tables[0]
    assert [heading.text for heading in table.headings] == [
        "model", "all", "circor", "icbhi", "explicit", "inferred"
    ]  # fmt: skip
    counts = cell.run.exam.all.counts
    (row,) = _texts(table)
    assert f"n {counts.scored} of 120" in row[1]
    assert f"refused {counts.refused}" in row[1]
    assert all(" of 60" in place for place in row[2:])
    assert any(one.startswith("Incomplete: ") for one in report.summary)


def test_what_hearing_adds_is_paired_and_bold_where_it_does(
    make_exam: MakeExam, recipe: Recipe
) -> None:
    cells = [_cell(make_exam, given=given, skill=skill, seed=seed) for given, skill, seed in
             (("none", 0.3, 0), ("spectrogram", 0.8, 1), ("audio", 0.8, 2))]  # fmt: skip
    report = _report(recipe("exam"), *cells)
    (table,) = (one for one in report.tables if one.name == "differences")
    assert [row[0].lines[0] for row in table.rows] == [
        "gpt-5.1, audio − gpt-5.1, spectrogram", "gpt-5.1, audio − gpt-5.1, none",
        "gpt-5.1, spectrogram − gpt-5.1, none",
    ]  # fmt: skip
    assert [row[1].best for row in table.rows] == [False, True, True]
    assert any("gpt-5.1, audio − gpt-5.1, none: +" in one and "is better" in one
               for one in report.summary)  # fmt: skip


def test_models_are_compared_with_the_best_of_the_same_input(
    make_exam: MakeExam, recipe: Recipe
) -> None:
    cells = _cell(make_exam, skill=0.3), _cell(make_exam, "org/Qwen-VL", skill=0.9)
    report = _report(recipe("exam"), *cells)
    differences = _table(report, "differences")
    assert differences.select("first", "first_second").rows() == [("qwen-vl", "gpt-5.1")]
    assert differences["all_better"].to_list() == ["qwen-vl"]


def test_wording_stands_beside_judgement_and_chains_have_a_table(
    make_exam: MakeExam, recipe: Recipe
) -> None:
    report = _report(recipe("exam"), _cell(make_exam))
    wording = _table(report, "wording")
    assert wording["question_type"].to_list() == ["explicit", "inferred"]
    assert (wording["rouge_l"] > wording["accuracy"] / 100).all()
    assert [one.name for one in report.tables] == ["table", "wording"]
    chained = _report(recipe("exam"), _cell(make_exam, exam=None))
    assert [one.name for one in chained.tables] == ["table", "wording", "chains"]
    assert _table(chained, "chains").columns[:5] == [
        "model", "turn_1", "turn_2", "turn_3", "turn_after_right"]  # fmt: skip


def test_a_missing_run_is_told_with_its_cause(make_exam: MakeExam, recipe: Recipe) -> None:
    report = _report(recipe("exam"), _cell(make_exam), _cell(make_exam, "other", problem="no key"))
    assert _texts(report.tables[0])[1][1] == "missing [1]"
    assert report.notes[0] == "no key"


def test_a_run_of_another_kind_has_no_place(
    make_cell: Callable[..., ReportCell], make_exam: MakeExam, recipe: Recipe
) -> None:
    with pytest.raises(UserError, match="age is no exam"):
        _report(recipe("exam"), make_cell())
    with pytest.raises(UserError, match="the run sat an exam, which layout=exam shows"):
        _report(recipe("within"), _cell(make_exam))


def test_everything_is_written(
    make_exam: MakeExam, recipe: Recipe, published: Path, tmp_path: Path
) -> None:
    cells = _cell(make_exam), _cell(make_exam, given="none", skill=0.2)
    report = _report(recipe("exam", published), *cells)
    files = {file.name for file in write_recipe_report(report, tmp_path / "out")}
    assert {"report.md", "report.html", "report.tex", "table.csv", "wording.csv",
            "differences.csv", "accuracy.png", "records.jsonl"} <= files  # fmt: skip
    assert "48.8" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    records = pl.read_parquet(tmp_path / "out" / "records.parquet")
    assert records["column"].to_list() == ["gpt-5.1, spectrogram", "gpt-5.1, none"]
    assert records["accuracy_mean"].is_not_null().all()


@pytest.mark.parametrize(
    ("line", "told"),
    [("gpt-5.1,spectrogram,all,all,49", "stands in line 2 too"),
     ("gpt-5.1,audio,all,all,many", "percent=many is no number")],
)  # fmt: skip
def test_faulty_published_numbers_are_refused(
    make_exam: MakeExam, recipe: Recipe, published: Path, line: str, told: str
) -> None:
    published.write_text(f"{PAPER}{line}\n")
    with pytest.raises(UserError, match=told):
        _report(recipe("exam", published), _cell(make_exam))
