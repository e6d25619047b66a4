import numpy as np
import pytest

from raqa.metrics.compare import Pair
from raqa.reports.recipes.pooled import pool
from raqa.reports.recipes.training_curves import EPOCHS, UPDATES, training_curves
from raqa.reports.recipes.write import make_recipe_report

from .test_encoders import place

SIZES = {"20": 0.2, "50": 0.5, "all": 0.9}


@pytest.fixture
def cells(make_cell):
    return [make_cell(size=size, skill=skill) for size, skill in SIZES.items()]


def test_a_row_is_a_curve_from_few_to_many_subjects(cells, recipe):
    report = make_recipe_report(recipe("low_n"), cells[::-1])
    (table,) = report.tables
    assert [one.name for one in table.headings][4:7] == ["n_20", "n_50", "n_all"]
    assert place(report, 0, "n_20").values["subjects"] == 20
    errors = [place(report, 0, name).order for name in ("n_20", "n_50", "n_all")]
    assert errors == sorted(errors, reverse=True)


def test_the_spread_stands_beside_so_that_a_constant_model_looks_like_one(make_cell, recipe):
    cells = [make_cell(size="20", skill=0.01), make_cell(size="all", skill=0.01)]
    report = make_recipe_report(recipe("low_n"), cells)
    lines = place(report, 0, "n_20").lines
    assert any(line.startswith("spread 0.0") for line in lines)
    assert "collapsed 3 of 3" in lines


def test_validation_is_whole_and_its_size_is_printed(cells, recipe):
    report = make_recipe_report(recipe("low_n"), cells)
    counts = {cell.run.scores.recordings["validation"] for cell in cells}
    assert {place(report, 0, "n_test").values["validation"]} == counts
    assert place(report, 0, "n_test").lines[-1].startswith("validation ")


def test_more_subjects_are_tested_against_fewer_in_pairs(cells):
    (curve,) = training_curves(cells)
    assert isinstance(curve.change, Pair)
    assert (curve.change.first, curve.change.second) == ("all", "20")
    assert curve.change.difference.value < 0
    assert curve.change.better == "all"


def test_one_size_has_no_change_and_says_why(make_cell, recipe):
    report = make_recipe_report(recipe("low_n"), [make_cell(size="20")])
    assert place(report, 0, "change").lines == ("n/a [1]",)
    assert report.notes == ("fewer than two sizes are done",)


def test_subsets_of_one_size_are_pooled_over_all_their_seeds(make_cell):
    runs = [make_cell(size="50", draw=draw, skill=0.3 + draw / 5).run for draw in (0, 1)]
    pooled = pool(runs)
    means = [run.scores.mae.mean.value for run in runs]
    assert len(pooled.mae.by_seed) == 6
    assert pooled.mae.mean.value == pytest.approx(np.mean(means))
    assert pooled.interval.low.value < pooled.mae.mean.value < pooled.interval.high.value


def test_a_missing_subset_is_said_and_the_others_are_shown(make_cell, recipe):
    cells = [
        make_cell(size="50", draw=0),
        make_cell(size="50", draw=1, problem="killed"),
        make_cell(size="all", problem="not run yet"),
    ]
    report = make_recipe_report(recipe("low_n"), cells)
    assert "1 of 2 subsets missing [1]" in place(report, 0, "n_50").lines
    assert place(report, 0, "n_all").lines == ("missing [2]",)
    assert report.notes[:2] == ("killed", "not run yet")


def test_equal_updates_are_a_curve_and_a_panel_of_their_own(make_cell, recipe):
    cells = [
        make_cell(size=size, equal_updates=equal, skill=skill)
        for equal in (False, True)
        for size, skill in SIZES.items()
    ]
    curves = training_curves(cells)
    assert [curve.trained_for for curve in curves] == [EPOCHS, UPDATES]
    report = make_recipe_report(recipe("low_n"), cells)
    figure = next(p for p in report.pictures if p.name == "curves-1").draw()
    assert [axes.get_title() for axes in figure.axes[:2]] == [EPOCHS, UPDATES]


def test_the_figure_has_bands_above_and_the_spread_below(cells, recipe):
    report = make_recipe_report(recipe("low_n"), cells)
    above, below = next(p for p in report.pictures if p.name == "curves-1").draw().axes
    assert above.collections  # the band
    drawn = [line for line in below.lines if len(line.get_ydata()) == 3]
    expected = [cell.run.scores.spread.mean.value for cell in cells]
    np.testing.assert_allclose(drawn[0].get_ydata(), expected)


def test_all_points_stand_inside_the_axes_in_every_panel(make_cell, recipe):
    drawn = [("epochs", "20", 0.1), ("epochs", "all", 0.3), ("updates", "all", 0.9)]
    cells = [
        make_cell(size=size, skill=skill, equal_updates=panel == "updates")
        for panel, size, skill in drawn
    ]
    report = make_recipe_report(recipe("low_n"), cells)
    figure = next(p for p in report.pictures if p.name == "curves-1").draw()
    for axes in figure.axes:
        low, high = axes.get_ylim()
        for line in axes.lines:
            assert all(low <= value < high for value in line.get_ydata())


def test_a_curve_of_random_weights_is_named_so_and_the_figure_is_watermarked(make_cell, recipe):
    cells = [make_cell("opera_gt", size=size, skill=s, real=False) for size, s in SIZES.items()]
    report = make_recipe_report(recipe("low_n"), cells)
    figure = next(p for p in report.pictures if p.name == "curves-1").draw()
    assert any("not a result" in text.get_text() for text in figure.texts)
    assert "random weights" in place(report, 0, "n_20").lines


def test_cells_that_do_not_say_their_draw_and_missing_ones_stand_beside_the_others(
    make_cell, recipe
):
    cells = [
        make_cell("hear", size="all", problem="not run yet"),
        make_cell("mel_stats", size="all", equal_updates=True),
        make_cell("mel_stats", size="20", draw=2),
    ]
    report = make_recipe_report(recipe("low_n"), cells)
    assert any(picture.name == "predicted-1" for picture in report.pictures)
    assert [one["size"] for one in report.records] == ["all", "all", "20"]
    assert [one["subset_seed"] for one in report.records] == [0, 0, 2]
    assert [one["equal_updates"] for one in report.records] == [False, True, False]
