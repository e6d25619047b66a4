import pytest

from raqa.reports.recipes.choice import by_test, by_validation
from raqa.reports.recipes.grid import make_grid
from raqa.reports.recipes.write import make_recipe_report

from .test_encoders import place


def row_of(cells):
    (row,) = make_grid(cells, lambda cell: (cell.corpus, cell.target, cell.task)).rows
    return row


def test_a_row_is_a_direction_and_the_gap_is_against_the_targets_own_model(make_cell, recipe):
    cells = [
        make_cell(corpus="coswara", target="cidrz", skill=0.3, own_skill=0.9),
        make_cell(corpus="cidrz", target="coswara", skill=0.9, own_skill=0.3),
    ]
    report = make_recipe_report(recipe("cross"), cells)
    assert [row[:2] for row in [[one.lines[0] for one in r] for r in report.tables[0].rows]] == [
        ["coswara", "cidrz"],
        ["cidrz", "coswara"],
    ]
    transfer = cells[0].run.transfer
    assert place(report, 0, "own_mae").values[""] == transfer.own_error.mean.value
    gap = place(report, 0, "gap")
    assert gap.values[""] == pytest.approx(
        place(report, 0, "cross_mae").values[""] - place(report, 0, "own_mae").values[""]
    )
    assert gap.lines[0].startswith("+")
    assert gap.lines[1].startswith("95 % ")
    assert place(report, 1, "gap").lines[0].startswith("−")


def test_ours_is_chosen_on_validation_and_the_papers_way_by_test_error(make_cell, recipe):
    cells = [
        make_cell("mel_stats", target="cidrz", skill=0.3, validation=8.0),
        make_cell("opensmile", target="cidrz", skill=0.9, validation=9.0),
    ]
    report = make_recipe_report(recipe("cross"), cells)
    assert place(report, 0, "encoder").values[""] == "mel_stats"
    assert place(report, 0, "encoder").lines[1] == "validation 8.00"
    assert place(report, 0, "by_test").values[""] == "opensmile"


def test_an_encoder_that_saw_the_target_or_was_never_trained_is_not_chosen(make_cell):
    row = row_of(
        [
            make_cell("opera_ct", target="coughvid", validation=1.0),
            make_cell("opera_gt", target="coughvid", validation=2.0, real=False),
            make_cell("mel_stats", target="coughvid", validation=9.0),
        ]
    )
    assert by_validation(row).run.provenance.encoder == "mel_stats"


def test_an_encoder_that_saw_only_the_source_can_be_chosen(make_cell):
    row = row_of([make_cell("opera_ct", corpus="coughvid", target="coswara")])
    assert by_validation(row).run.provenance.encoder == "opera_ct"


def test_without_trained_weights_nothing_is_chosen_and_the_reason_is_said(make_cell, recipe):
    cells = [make_cell("opera_gt", target="cidrz", real=False)]
    assert by_test(row_of(cells)).run is None
    report = make_recipe_report(recipe("cross"), cells)
    assert place(report, 0, "encoder").lines == ("n/a [1]",)
    assert report.notes[0] == "no cell can be the best: random weights"


def test_a_run_without_history_can_not_be_chosen_and_says_so(make_cell):
    cell = make_cell("mel_stats", target="cidrz")
    (cell.run.path / "history.csv").unlink()
    assert by_validation(row_of([cell])).reason == "the run has no history of validation errors"


def test_both_training_medians_stand_beside_the_errors(make_cell, recipe):
    cell = make_cell(target="cidrz")
    values = place(make_recipe_report(recipe("cross"), [cell]), 0, "medians").values
    assert values["source"] == cell.run.scores.median_mae.value
    assert values["target"] == cell.run.transfer.own_baseline.value


def test_the_papers_row_stands_beside_with_the_difference_to_its_way(make_cell, recipe, tmp_path):
    (tmp_path / "t.csv").write_text(
        "train_on,test_on,encoder,cross_mae,within_mae,gap\ncoswara,cidrz,hear,10.5,9.1,1.4\n"
    )
    cell = make_cell("mel_stats", target="cidrz")
    report = make_recipe_report(recipe("cross", tmp_path / "t.csv"), [cell])
    paper = place(report, 0, "paper")
    assert paper.lines[0] == "hear"
    assert paper.values["minus_cross"] == pytest.approx(cell.run.scores.mae.mean.value - 10.5)


def test_every_encoder_is_shown_with_its_gap_and_missing_ones_with_the_cause(make_cell, recipe):
    cells = [
        make_cell("mel_stats", target="cidrz"),
        make_cell("hear", target="cidrz", problem="weights absent"),
    ]
    report = make_recipe_report(recipe("cross"), cells)
    assert place(report, 0, "mel_stats", table=1).lines[2].startswith("gap ")
    assert place(report, 0, "hear", table=1).lines == ("missing [1]",)


def test_the_transfer_matrix_writes_every_direction_and_the_own_errors(make_cell, recipe):
    cells = [
        make_cell(corpus="coswara", target="cidrz"),
        make_cell(corpus="cidrz", target="coswara"),
        make_cell(corpus="cidrz", target="coughvid", problem="not run yet"),
    ]
    report = make_recipe_report(recipe("cross"), cells)
    figure = next(p for p in report.pictures if p.name == "transfer-age").draw()
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts.count("missing") == 1
    assert sum(text.startswith("own") for text in texts) == 2
    assert sum("gap" in text for text in texts) == 2
