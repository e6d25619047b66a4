"""A recipe is a short file: its grids become cells, its mistakes are all named at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.configuration.folder import recipe_names
from raqa.configuration.overrides import compose_config
from raqa.errors import UserError
from raqa.sweeps.recipe_file import read_recipe

GRID = """
title: Two corpora
layout: within
with: {head: linear, seeds: [0, 3]}
cells:
  - {datamodule: demo, task: [age, bmi], encoder: [mel_stats, opera_ce]}
  - {datamodule: coswara, encoder: opera_gt, encoder.padding: [none, waveform_8s]}
"""


@pytest.fixture
def grid(tmp_path: Path) -> str:
    path = tmp_path / "grid.yaml"
    path.write_text(GRID)
    return str(path)


def test_every_combination_of_a_grids_lists_is_a_cell(grid: str) -> None:
    recipe = read_recipe(grid)
    assert [cell.label for cell in recipe.cells] == [
        "demo age mel_stats",
        "demo age opera_ce",
        "demo bmi mel_stats",
        "demo bmi opera_ce",
        "coswara opera_gt padding=none",
        "coswara opera_gt padding=waveform_8s",
    ]
    assert recipe.cells[0].overrides == (
        "datamodule=demo", "task=age", "encoder=mel_stats", "head=linear", "seeds=[0,3]",
    )  # fmt: skip
    assert recipe.cells[4].choices == {
        "datamodule": "coswara", "encoder": "opera_gt", "encoder.padding": "none",
    }  # fmt: skip


def test_a_list_in_a_grids_list_is_one_value(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("title: T\nlayout: within\ncells: [{seeds: [[0, 1], 2]}]")
    assert [cell.overrides for cell in read_recipe(str(path)).cells] == [
        ("seeds=[0,1]",),
        ("seeds=2",),
    ]


@pytest.mark.parametrize(
    "value", ["1e-4", "32", "a, b", "it's", r"back\slash", "glob(*)", "true", "${seeds}", "x=y", ""]
)
def test_a_text_in_a_recipe_stays_that_text(value: str, tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    quoted = value.replace("'", "''")
    path.write_text(
        f"title: T\nlayout: within\ncells: [{{+datamodule.cohort.filters.x: '{quoted}'}}]"
    )
    (cell,) = read_recipe(str(path)).cells
    config = compose_config(cell.overrides)
    expected = "5" if value.startswith("$") else value  # interpolations are YAML's in Hydra too
    assert str(config.datamodule.cohort.filters.x) == expected
    assert isinstance(config.datamodule.cohort.filters.x, int if value.startswith("$") else str)


def test_an_override_picks_cells_where_they_differ(grid: str) -> None:
    picked = read_recipe(grid, ["task=bmi", "encoder=mel_stats,opera_ce"]).cells
    assert [cell.label for cell in picked] == ["demo bmi mel_stats", "demo bmi opera_ce"]


def test_picking_leaves_cells_alone_that_do_not_choose_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(
        "title: T\nlayout: low_n\nwith: {regime: low_n}\ncells:\n"
        "  - {regime.size: [50, 100], regime.subset_seed: [0, 1]}\n  - {regime.size: all}"
    )
    picked = read_recipe(str(path), ["regime.subset_seed=1"]).cells
    assert [cell.label for cell in picked] == [
        "size=50 subset_seed=1",
        "size=100 subset_seed=1",
        "size=all",
    ]


def test_an_override_of_a_shared_setting_replaces_it_in_all_cells(grid: str) -> None:
    cells = read_recipe(grid, ["head=mlp", "trainer.max_epochs=3"]).cells
    assert len(cells) == 6
    assert all({"head=mlp", "trainer.max_epochs=3"} < set(cell.overrides) for cell in cells)
    assert not any("head=linear" in cell.overrides for cell in cells)


def test_an_override_of_what_some_cells_set_alike_changes_those_cells_only(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(
        "title: T\nlayout: within\ncells:\n  - {encoder: mel_stats}\n"
        "  - {encoder: [opera_ce, opera_gt], encoder.weights: random}"
    )
    first, *others = read_recipe(str(path), ["encoder.weights=hub"]).cells
    assert first.overrides == ("encoder=mel_stats",)
    assert all("encoder.weights=hub" in cell.overrides for cell in others)
    assert all(cell.choices["encoder.weights"] == "hub" for cell in others)


def test_an_override_that_picks_nothing_names_what_there_is(grid: str) -> None:
    with pytest.raises(UserError) as caught:
        read_recipe(grid, ["encoder=mel_stat", "seeds=2,3"])
    first, second = caught.value.problems
    assert "no cell" in first
    assert "Did you mean mel_stats?" in first
    assert "do not differ in seeds" in second
    with pytest.raises(
        UserError, match="No cell of .* has all of datamodule=demo encoder=opera_gt"
    ):
        read_recipe(grid, ["datamodule=demo", "encoder=opera_gt"])


def test_all_mistakes_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(
        "tilte: T\nlayout: withing\npublished: no.csv\nwith: {head: mlp}\n"
        "cells: [{encoder: []}, {head: linear}, age]"
    )
    with pytest.raises(UserError) as caught:
        read_recipe(str(path))
    message = str(caught.value)
    for part in (
        "Did you mean title?", "title: has to be set", "Did you mean within?", "no.csv",
        "item 1: encoder has an empty list", "item 2: head stands in `with` too", "item 3",
    ):  # fmt: skip
        assert part in message
    assert all(problem.startswith(str(path)) for problem in caught.value.problems)


@pytest.mark.parametrize("title", ["5", "[a]", "{a: b}", "true"])
def test_a_title_that_is_no_text_is_refused_before_a_report_needs_it(title: str, tmp_path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(f"title: {title}\nlayout: within\ncells: [{{task: age}}]")
    with pytest.raises(UserError, match="title=.*: expected text; put it in quotes"):
        read_recipe(str(path))


@pytest.mark.parametrize("text", ["- a\n- b", "title: [", "title: 1\ntitle: 2", "\xff"])
def test_a_file_that_is_no_recipe_is_refused_without_a_traceback(text: str, tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=r"r\.yaml"):
        read_recipe(str(path))


def test_cells_that_become_equal_are_one_in_whatever_order_they_are_written(tmp_path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(
        "title: T\nlayout: heads\ncells:\n"
        "  - {task: age, head: [ridge, ridge]}\n  - {head: [knn, ridge], task: age}\n"
    )
    assert [cell.overrides for cell in read_recipe(str(path)).cells] == [
        ("task=age", "head=ridge"),
        ("head=knn", "task=age"),
    ]


def test_a_recipe_that_is_not_there_names_its_neighbours() -> None:
    with pytest.raises(UserError, match=r"Did you mean .*cough_regression/table3"):
        read_recipe("cough_regresion/table3")
    assert "demo/figure2" in recipe_names()


@pytest.mark.parametrize(
    ("layout", "parts", "message"),
    [
        ("within", "[icbhi/diagnosis]", "parts: layout=within has none"),
        ("questions", "[icbhi]", r"parts: expected a list of CORPUS/ATTRIBUTE"),
        ("questions", "icbhi/diagnosis", r"parts: expected a list of CORPUS/ATTRIBUTE"),
    ],
)
def test_parts_are_a_corpus_and_attribute_each_of_layout_questions(
    layout: str, parts: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "parts.yaml"
    path.write_text(f"title: T\nlayout: {layout}\nparts: {parts}\ncells:\n  - {{task: qa}}\n")
    with pytest.raises(UserError, match=message):
        read_recipe(str(path))
