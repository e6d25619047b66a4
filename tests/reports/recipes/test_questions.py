"""The layout of RA-QA's tables: what stands where, what is compared, and what is said of gaps."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.reports.recipes.cells import RecipeFacts
from raqa.reports.recipes.csv_table import plain_table
from raqa.reports.recipes.write import RECIPE_FORMATS, make_recipe_report, write_recipe_report
from reports.question_runs import answers_maker

PUBLISHED = (
    "question_type,metric,head,value\n"
    "single_verify,macro_f1,fusion,0.59\n"
    "single_verify,macro_f1,pengi,0.46\n"
    "numbers,mae,fusion,8.06\n"
)


def table_of(report, name="table"):
    (table,) = [table for table in report.tables if table.name == name]
    return plain_table(report, table)


def at(report, questions, measure):
    found = table_of(report).filter(questions=questions, measure=measure)
    return found.row(0, named=True)


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    make_answers = answers_maker(tmp_path_factory.mktemp("runs"))
    return [
        make_answers("majority", skill=0.0),
        make_answers("text_only", skill=0.3),
        make_answers("fusion", skill=0.9, refused=0.05),
        make_answers("soft_prefix", problem="failed: no memory"),
    ]


@pytest.fixture(scope="module")
def published_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "published.csv"
    path.write_text(PUBLISHED)
    return path


@pytest.fixture(scope="module")
def report(cells, published_file):
    facts = RecipeFacts(
        "demo/questions", "A table of layout questions", "questions", published_file
    )
    return make_recipe_report(facts, cells)


def test_rows_are_question_types_with_every_measure_and_columns_are_models(report):
    table = table_of(report)
    assert table["questions"].unique(maintain_order=True).to_list() == [
        "all", "open_ended", "single_verify", "numbers",
    ]  # fmt: skip
    of_labels = ["macro_f1", "pooled_f1", "accuracy", "bertscore", "answers"]
    assert table.filter(questions="open_ended")["measure"].to_list() == of_labels
    of_numbers = ["relative_mae", "mae", "bertscore", "answers"]
    assert table.filter(questions="numbers")["measure"].to_list() == of_numbers
    headings = [heading.name for heading in report.tables[0].headings]
    assert headings == [
        "questions", "measure", "majority", "text_only", "fusion", "soft_prefix", "pengi",
    ]  # fmt: skip


def test_numbers_are_those_of_the_run_with_their_interval(report, cells):
    part = cells[2].run.answering.answers.part("question_type", "open_ended")
    for measure in ("macro_f1", "accuracy"):
        row = at(report, "open_ended", measure)
        assert row["fusion"] == getattr(part.labels, measure).mean.value
        ends = getattr(part.labels, f"{measure}_interval")
        assert (row["fusion_low"], row["fusion_high"]) == (ends.low.value, ends.high.value)
    assert at(report, "open_ended", "pooled_f1")["fusion"] == part.labels.pooled_f1.mean.value


def test_expected_scored_unreadable_and_refused_answers_are_counted(report, cells):
    counts = cells[2].run.answering.answers.part("question_type", "single_verify").counts
    row = at(report, "single_verify", "answers")
    assert row["fusion_expected"] == counts.expected == 160
    assert row["fusion_refused"] == counts.refused > 0
    assert (row["fusion_unreadable"], row["fusion_unscored"]) == (0, 0)
    assert row["questions_n"] == 80


def test_published_numbers_stand_beside_both_ways_of_pooling(report):
    for measure in ("macro_f1", "pooled_f1"):
        row = at(report, "single_verify", measure)
        assert row["fusion_published"] == 0.59
        assert row["fusion_minus_published"] == pytest.approx(row["fusion"] - 0.59)
    assert at(report, "numbers", "mae")["fusion_published"] == 8.06


def test_what_is_missing_says_why_and_what_the_paper_has_stands_there(report):
    row = at(report, "single_verify", "macro_f1")
    assert row["soft_prefix_problem"] == "failed: no memory"
    assert row["pengi_problem"] == "the recipe has no run of pengi; the paper has"
    assert row["pengi_published"] == 0.46
    assert "failed: no memory" in report.notes


def test_a_model_that_is_asked_as_it_is_stands_under_its_own_name(tmp_path_factory, published_file):
    make_answers = answers_maker(tmp_path_factory.mktemp("asked"))
    cells = [
        replace(cell, choices={**cell.choices, "head": "zero_shot", "responder": name})
        for name in ("pengi", "openai")
        for cell in [make_answers(name, skill=0.5)]
    ]
    facts = RecipeFacts("demo/questions", "Asked", "questions", published_file)
    row = at(make_recipe_report(facts, cells), "single_verify", "macro_f1")
    assert row["pengi_published"] == 0.46
    assert row["pengi_minus_published"] == pytest.approx(row["pengi"] - 0.46)
    assert "openai_published" not in row


def test_bertscore_without_a_model_is_undefined_with_the_reason(report):
    assert at(report, "all", "bertscore")["fusion"] is None
    assert "BERTScore: no model was chosen for it" in report.notes


def test_listening_is_compared_with_reading_and_every_model_with_the_prior(report):
    table = table_of(report, "differences")
    pairs = table.select("first", "first_second").unique(maintain_order=True).rows()
    assert pairs == [
        ("fusion", "text_only"), ("soft_prefix", "text_only"), ("majority", "question_prior"),
        ("text_only", "question_prior"), ("fusion", "question_prior"),
        ("soft_prefix", "question_prior"),
    ]  # fmt: skip
    gain = table.filter(first="fusion", first_second="text_only", questions="all")
    assert gain["macro_f1_low"][0] > 0
    assert gain["macro_f1_better"][0] == "fusion"
    assert gain["relative_mae_high"][0] < 0
    absent = table.filter(first="soft_prefix", first_second="text_only")
    assert absent["macro_f1_problem"].to_list() == ["soft_prefix: failed: no memory"]


def test_bold_is_what_beats_the_question_prior(report):
    row = at(report, "all", "macro_f1")
    assert row["fusion_better_than_prior"] is True
    assert row["majority_better_than_prior"] is False
    assert at(report, "numbers", "relative_mae")["fusion_better_than_prior"] is True
    bold = [shown.best for shown in report.tables[0].rows[0]]
    assert bold == [False, False, False, True, True, False, False]


def test_every_numeric_attribute_has_its_error_in_its_unit(report, cells):
    table = table_of(report, "numbers")
    assert table["attribute_corpus"].to_list() == ["here", "there"]
    numbers = cells[2].run.answering.answers.part("group", "here / age / open_ended").numbers
    assert table["fusion"][0] == numbers.mae.mean.value
    assert table["median"][0] == numbers.median_mae.value
    assert table["attribute_unit"][0] == "year"


def test_the_findings_are_said_in_words(report):
    text = " ".join(report.summary)
    assert "fusion − text_only, macro-F1 of all questions: +" in text
    assert "fusion is better" in text
    assert "Better than the question prior in macro-F1 of all questions" in text
    assert "in the reference answers' own wording" in text


def test_parts_of_a_recipe_are_shown_by_question_type(cells, recipe, tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(
        "corpus,attribute,question_type,metric,head,value\n"
        "here,asthma,single_verify,macro_f1,fusion,0.45\n"
        "elsewhere,snr,open_ended,mae,fusion,0.06\n"
    )
    parts = ("here/asthma", "there/age", "elsewhere/snr")
    report = make_recipe_report(recipe("questions", path, parts), cells)
    table = table_of(report)
    assert table["questions"].unique(maintain_order=True).to_list() == [
        "here / asthma / single_verify", "there / age / open_ended", "elsewhere / snr / open_ended",
    ]  # fmt: skip
    assert at(report, "here / asthma / single_verify", "macro_f1")["fusion_published"] == 0.45
    assert at(report, "there / age / open_ended", "mae")["fusion"] > 0
    assert at(report, "elsewhere / snr / open_ended", "mae")["fusion"] is None
    assert "it was not asked such questions" in report.notes
    assert "of here, asthma, single verify questions" in " ".join(report.summary)


def test_models_that_were_asked_different_questions_are_not_compared(make_answers, recipe):
    cells = [make_answers("fusion"), make_answers("text_only", subjects=60)]
    report = make_recipe_report(recipe("questions"), cells)
    assert any("asked different questions" in note for note in report.notes)
    row = report.tables[0].rows[0]
    assert [line for shown in row for line in shown.lines if line.startswith("n ")] == [
        f"n n/a {report_mark(report, 'the models were asked different questions')}",
        "n 320 (80)", "n 240 (60)",
    ]  # fmt: skip


def report_mark(report, note):
    return f"[{report.notes.index(note) + 1}]"


def test_few_subjects_are_said_beside_their_number(make_answers, recipe):
    report = make_recipe_report(recipe("questions"), [make_answers("fusion", subjects=20)])
    assert report.tables[0].rows[0][0].lines == ("all", "n 80 (20)", "under 50 subjects")


def test_a_terminal_is_shown_the_first_measure_of_every_part_without_spread_or_notes(report):
    rows = {row[0].lines[0]: [shown.lines[0] for shown in row[1:]] for row in report.overview.rows}
    assert [heading.text for heading in report.overview.headings] == [
        "model", "all macro-F1", "open ended macro-F1", "single verify macro-F1",
        "numbers relative MAE",
    ]  # fmt: skip
    fusion = at(report, "all", "macro_f1")["fusion"]
    assert rows["fusion"][0] == f"{fusion:.3f}"
    assert [name for name, cells in rows.items() if cells[0] == "missing"] == [
        "soft prefix", "pengi",
    ]  # fmt: skip


def test_two_cells_at_one_place_are_refused(make_answers, recipe):
    cell = make_answers("fusion")
    with pytest.raises(UserError, match="two cells for questions, fusion"):
        make_recipe_report(recipe("questions"), [cell, cell])


def test_a_run_of_another_kind_is_shown_as_missing_in_either_layout(
    make_answers, make_cell, recipe
):
    answers, age = make_answers("fusion"), make_cell()
    report = make_recipe_report(recipe("questions"), [answers, age])
    assert any("age is no question" in note for note in report.notes)
    report = make_recipe_report(recipe("within"), [age, answers])
    assert any("layout=questions shows" in note for note in report.notes)


def test_every_form_is_written_twice_with_the_same_bytes(report, tmp_path):
    first = write_recipe_report(report, tmp_path / "a", RECIPE_FORMATS)
    second = write_recipe_report(report, tmp_path / "b", RECIPE_FORMATS)
    names = {str(file.relative_to(tmp_path / "a")) for file in first}
    assert {"table.csv", "differences.csv", "numbers.csv", "report.tex", "report.html",
            "figures/macro-f1-1.png", "figures/relative-mae-1.pdf"} <= names  # fmt: skip
    assert all(one.read_bytes() == two.read_bytes()
               for one, two in zip(first, second, strict=True))  # fmt: skip
    records = pl.read_parquet(tmp_path / "a" / "records.parquet")
    assert records["head"].to_list()[2:] == ["fusion", "soft_prefix", "pengi"]
    assert records["macro_f1_mean"][2] == at(report, "all", "macro_f1")["fusion"]


def test_random_weights_and_other_settings_are_marked(make_answers, recipe):
    cells = [
        make_answers("fusion", encoder="opera_ct", weights_real=False, weights="random"),
        make_answers("fusion"),
    ]
    extra = {**cells[1].choices, "trainer.max_epochs": "3"}
    cells.append(replace(cells[1], choices=extra))
    report = make_recipe_report(recipe("questions"), cells)
    assert [heading.name for heading in report.tables[0].headings[2:]] == [
        "fusion, opera_ct", "fusion, mel_stats", "fusion, mel_stats, trainer.max_epochs=3",
    ]  # fmt: skip
    assert "random weights" in report.tables[0].rows[0][2].lines
    assert report.watermarks[0].startswith("Random weights")
