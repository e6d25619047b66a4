import dataclasses

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.reports.recipes.cells import ReportCell
from raqa.reports.recipes.write import make_recipe_report


def place(report, row: int, column: str, table: int = 0):
    shown = report.tables[table]
    names = [heading.name for heading in shown.headings]
    return shown.rows[row][names.index(column)]


def texts(report) -> str:
    return "\n".join(
        line for table in report.tables for row in table.rows for one in row for line in one.lines
    )


def test_a_row_is_a_corpus_and_task_and_a_column_an_encoder(make_cell, recipe):
    cells = [
        make_cell("mel_stats"),
        make_cell("hear", skill=0.8),
        make_cell("mel_stats", corpus="coughvid"),
        make_cell("hear", corpus="coughvid", skill=0.2),
    ]
    (table,) = make_recipe_report(recipe("within"), cells).tables
    names = [heading.name for heading in table.headings]
    assert names[:5] == ["corpus", "task", "n_test", "mel_stats", "hear"]
    assert [row[0].lines[0] for row in table.rows] == ["coswara", "coughvid"]


def test_a_cell_has_mean_sd_interval_and_the_papers_number_with_the_difference(
    make_cell, recipe, tmp_path
):
    (tmp_path / "table3.csv").write_text(
        "corpus,target,mad,encoder,mae_mean,mae_std,contaminated\n"
        "coswara,age,11.31,hear,5.00,0.05,0\n"
    )
    cell = make_cell("hear")
    report = make_recipe_report(recipe("within", tmp_path / "table3.csv"), [cell])
    shown, scores = place(report, 0, "hear"), cell.run.scores
    mean = scores.mae.mean.value
    assert shown.lines[0] == f"{mean:.2f} ± {scores.mae.sd.value:.2f}"
    assert shown.lines[1].startswith("95 % ")
    assert shown.lines[2] == f"paper 5.00, {mean - 5:+.2f}".replace("-", "−")
    assert shown.values["minus_published"] == pytest.approx(mean - 5)
    assert place(report, 0, "n_test").values[""] == scores.recordings["test"]


def test_the_best_group_is_bold_and_holds_what_can_not_be_told_apart(make_cell, recipe):
    cells = [
        make_cell("mel_stats", skill=0.9),
        make_cell("opensmile", skill=0.9),
        make_cell("hear", skill=0.1),
    ]
    report = make_recipe_report(recipe("within"), cells)
    bold = {name: place(report, 0, name).best for name in ("mel_stats", "opensmile", "hear")}
    assert bold == {"mel_stats": True, "opensmile": True, "hear": False}
    assert len(report.pairs[0].pairs) == 3


@pytest.mark.parametrize(
    "facts", [{"corpus": "coughvid", "encoder": "opera_ct"}, {"real": False, "encoder": "opera_gt"}]
)
def test_what_saw_the_corpus_or_was_never_trained_is_shown_and_never_the_best(
    make_cell, recipe, facts
):
    corpus = facts.get("corpus", "coswara")
    cells = [make_cell("mel_stats", corpus=corpus, skill=0.3), make_cell(skill=0.95, **facts)]
    report = make_recipe_report(recipe("within"), cells)
    assert not place(report, 0, facts["encoder"]).best
    assert place(report, 0, "mel_stats").best
    assert place(report, 0, "best").values[""] == "mel_stats"


def test_where_nothing_can_be_the_best_the_ratios_are_undefined_with_the_reason(make_cell, recipe):
    report = make_recipe_report(recipe("within"), [make_cell("opera_gt", real=False)])
    assert place(report, 0, "mad").lines[1] == "ratio n/a [1]"
    assert report.notes == ("no cell can be the best: random weights",)


def test_ratios_are_the_best_over_the_baselines(make_cell, recipe):
    cell = make_cell("mel_stats")
    report, scores = make_recipe_report(recipe("within"), [cell]), cell.run.scores
    mean = scores.mae.mean.value
    for name, baseline in (("mad", scores.mad), ("median", scores.median_mae)):
        shown = place(report, 0, name)
        assert shown.values[""] == baseline.value
        assert shown.values["best_over"] == pytest.approx(mean / baseline.value)


def test_a_missing_cell_is_shown_with_its_cause_and_the_papers_number(make_cell, recipe, tmp_path):
    (tmp_path / "p.csv").write_text("corpus,target,encoder,mae_mean\ncoswara,age,hear,9.12\n")
    cells = [make_cell("mel_stats"), make_cell("hear", problem="failed: out of memory")]
    report = make_recipe_report(recipe("within", tmp_path / "p.csv"), cells)
    assert place(report, 0, "hear").lines == ("missing [1]", "paper 9.12")
    assert report.notes == ("failed: out of memory",)
    assert report.summary[0].startswith("1 of 2 cells are done")
    assert [record["problem"] for record in report.records] == [None, "failed: out of memory"]


def test_cells_tested_on_different_recordings_are_not_compared_and_it_is_said(make_cell, recipe):
    cells = [make_cell("mel_stats"), make_cell("hear", drop=3)]
    report = make_recipe_report(recipe("within"), cells)
    assert "tested on different recordings" in " ".join(report.notes)
    assert not place(report, 0, "mel_stats").best
    assert not report.pairs
    assert any(line.startswith("n ") for line in place(report, 0, "hear").lines)


def test_collapsed_predictions_are_flagged_where_the_number_stands(make_cell, recipe):
    report = make_recipe_report(recipe("within"), [make_cell("mel_stats", skill=0.0)])
    assert "collapsed 3 of 3" in place(report, 0, "mel_stats").lines


def test_encoders_that_saw_the_corpus_are_marked_and_explained(make_cell, recipe):
    report = make_recipe_report(recipe("within"), [make_cell("opera_ct", corpus="coughvid")])
    assert place(report, 0, "opera_ct").lines[0].endswith("†")
    assert any("pre-trained on coughvid" in line for line in report.footnotes)


def test_variants_of_one_encoder_stand_in_columns_of_their_own(make_cell, recipe):
    cells = [
        make_cell("opera_gt", choices={"encoder.padding": padding}) for padding in ("none", "8s")
    ]
    (table,) = make_recipe_report(recipe("within"), cells).tables
    names = [heading.name for heading in table.headings]
    assert names[3:5] == ["opera_gt, encoder.padding=none", "opera_gt, encoder.padding=8s"]


def test_a_setting_that_only_goes_with_its_encoder_makes_no_variant(make_cell, recipe):
    cells = [
        make_cell("mel_stats"),
        make_cell("opera_gt", real=False, choices={"encoder.weights": "random"}),
    ]
    (table,) = make_recipe_report(recipe("within"), cells).tables
    assert table.headings[4].name == "opera_gt"


def test_two_cells_at_one_place_are_refused(make_cell, recipe):
    with pytest.raises(UserError, match="two cells for coswara, age, hear"):
        make_recipe_report(recipe("within"), [make_cell("hear"), make_cell("hear", skill=0.1)])


def test_nothing_done_is_refused_with_the_causes(make_cell, recipe):
    with pytest.raises(UserError, match=r"none of 1 cells is done.*no audio.*raqa sweep"):
        make_recipe_report(recipe("within"), [make_cell("hear", problem="no audio")])


def test_the_heads_layout_has_a_row_per_head_and_counts_which_head_wins(make_cell, recipe):
    cells = [
        make_cell(encoder, head=head, skill=skill)
        for encoder in ("mel_stats", "hear")
        for head, skill in (("linear", 0.2), ("mlp_small", 0.9), ("mlp", 0.3))
    ]
    report = make_recipe_report(recipe("heads"), cells)
    assert [row[2].lines[0] for row in report.tables[0].rows] == ["linear", "mlp_small", "mlp"]
    wins = {row[0].lines[0]: [one.lines[0] for one in row[1:]] for row in report.tables[1].rows}
    assert wins["mlp_small"] == ["2 of 2"] * 3
    assert wins["linear"] == ["0 of 2"] * 3


def test_the_papers_table_of_heads_is_read_in_its_own_shape(make_cell, recipe, tmp_path):
    (tmp_path / "table4.csv").write_text("corpus,target,head,hear\ncoswara,age,linear,9.50\n")
    report = make_recipe_report(
        recipe("heads", tmp_path / "table4.csv"), [make_cell("hear", head="linear")]
    )
    assert "paper 9.50" in texts(report)


def test_records_hold_every_cell_with_the_same_columns(make_cell, recipe):
    cells = [make_cell("mel_stats", skill=0.9), make_cell("hear"), make_cell("x", problem="why")]
    records = make_recipe_report(recipe("within"), cells).records
    table = pl.DataFrame([dict(one) for one in records])
    assert table["encoder"].to_list() == ["mel_stats", "hear", "x"]
    assert table["best"].to_list() == [True, False, None]
    assert table["mae_mean"].null_count() == 1
    assert table["p_holm_to_best"][1] <= 1
    assert table["validation_mae"].to_list() == [9.0, 9.0, None]


def test_a_lone_cell_is_no_best_but_has_its_ratios(make_cell, recipe):
    report = make_recipe_report(
        recipe("within"), [make_cell("mel_stats"), make_cell("x", problem="y")]
    )
    assert not place(report, 0, "mel_stats").best
    assert place(report, 0, "mad").values["best_over"] > 0


def test_what_makes_intervals_too_narrow_is_said_under_the_test_count(make_cell, recipe):
    report = make_recipe_report(
        recipe("within"), [make_cell("mel_stats", subjects=60, known=False)]
    )
    assert place(report, 0, "n_test").lines[1:] == ("under 50 subjects", "subjects unknown")


def test_a_row_in_which_only_one_can_be_the_best_is_not_counted_as_won(make_cell, recipe):
    cells = [make_cell("mel_stats"), make_cell("opera_gt", skill=0.1, real=False)]
    summary = " ".join(make_recipe_report(recipe("within"), cells).summary)
    assert "In 1 of 1 rows only one of the finished encoders can be the best." in summary
    assert "better than every other" not in summary
    cells.append(make_cell("hear", skill=0.95))
    summary = " ".join(make_recipe_report(recipe("within"), cells).summary)
    assert "In 1 of 1 rows one encoder is better than every other" in summary


def test_a_run_that_tells_classes_is_missing_in_a_table_of_errors_and_says_why(make_cell, recipe):
    cell = make_cell("hear")
    facts = cell.run.provenance.model_copy(update={"kind": "classification"})
    classes = ReportCell(cell.choices, dataclasses.replace(cell.run, provenance=facts))
    report = make_recipe_report(recipe("within"), [make_cell("mel_stats"), classes])
    assert place(report, 0, "hear").lines == ("missing [1]",)
    assert report.notes[0].startswith("age is told in classes")
