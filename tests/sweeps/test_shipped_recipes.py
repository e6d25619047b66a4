"""The recipes in experiments/ say the papers' runs, and the numbers beside them are of those."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import polars as pl
import pytest
from omegaconf import OmegaConf

from raqa.configuration.folder import config_folder, recipe_names
from raqa.configuration.overrides import compose_choices
from raqa.sweeps.recipe import Recipe
from raqa.sweeps.recipe_file import read_recipe

ENCODERS = ("opera_ct", "opera_ce", "opera_gt", "hear", "m2d_resp")
PAPER = [name for name in recipe_names() if name.startswith(("cough_regression/", "ra_qa/"))]


def _published(recipe: Recipe) -> pl.DataFrame:
    assert recipe.published is not None
    return pl.read_csv(recipe.published)


def _chosen(recipe: Recipe, *keys: str) -> set[tuple[str, ...]]:
    shared = dict(text.split("=", 1) for text in recipe.cells[0].overrides)
    return {tuple(cell.choices.get(key, shared.get(key, "")) for key in keys)
            for cell in recipe.cells}  # fmt: skip


@pytest.mark.parametrize("name", recipe_names())
def test_every_cell_of_every_recipe_can_be_composed(name: str) -> None:
    recipe = read_recipe(name)
    labels = [cell.label for cell in recipe.cells]
    assert len(set(labels)) == len(labels)
    for cell in (recipe.cells[0], recipe.cells[-1]):
        _, choices = compose_choices(cell.overrides, ())
        assert choices["encoder"] in cell.label or "encoder" not in cell.choices


@pytest.mark.parametrize(
    ("name", "cells"),
    [("table3", 30), ("table4", 90), ("table5", 30), ("figure2", 130), ("opera_gt_padding", 6)],
)
def test_the_paper_has_so_many_cells(name: str, cells: int) -> None:
    assert len(read_recipe(f"cough_regression/{name}").cells) == cells


def test_table_3_is_published_cell_by_cell() -> None:
    recipe = read_recipe("cough_regression/table3")
    rows = set(_published(recipe).select("corpus", "target", "encoder").rows())
    assert rows == _chosen(recipe, "datamodule", "task", "encoder")


def test_table_4_is_published_cell_by_cell() -> None:
    recipe = read_recipe("cough_regression/table4")
    rows = _published(recipe).select("corpus", "target", "head").rows()
    expected = {(*row, encoder) for row, encoder in product(rows, ENCODERS)}
    assert expected == _chosen(recipe, "datamodule", "task", "head", "encoder")


def test_table_5_has_the_six_directions_with_every_encoder() -> None:
    recipe = read_recipe("cough_regression/table5")
    directions = _published(recipe).select("train_on", "test_on").rows()
    expected = {(*row, encoder) for row, encoder in product(directions, ENCODERS)}
    assert len(directions) == 6
    assert expected == _chosen(recipe, "datamodule", "datamodule@regime.target", "encoder")


@pytest.mark.parametrize(("name", "numbers"), [("table2", 45), ("table3", 21)])
def test_ra_qas_numbers_are_of_models_of_the_recipe(name: str, numbers: int) -> None:
    recipe = read_recipe(f"ra_qa/{name}")
    published = _published(recipe)
    assert published.height == numbers
    models = {responder or head for head, responder in _chosen(recipe, "head", "responder")}
    assert set(published["head"]) <= models
    if name == "table3":
        about = {f"{corpus}/{of}" for corpus, of in published.select("corpus", "attribute").rows()}
        assert about == set(recipe.parts)


def test_ra_qas_tables_are_of_the_same_runs() -> None:
    one, two = (read_recipe(f"ra_qa/{name}").cells for name in ("table2", "table3"))
    assert [cell.overrides for cell in one] == [cell.overrides for cell in two]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("carecos/table1", 72), ("carecos/table2", 27), ("carecos/ablation_audio", 27),
     ("medmosaic/table1", 30)],
)  # fmt: skip
def test_exams_numbers_are_of_models_and_inputs_of_the_recipe(name: str, numbers: int) -> None:
    recipe = read_recipe(name)
    published = _published(recipe)
    assert published.height == numbers
    run = _chosen(recipe, "responder.model", "head.hearing.given")
    theirs = set(published.select("model", "given").rows())
    assert {model for model, _ in run} <= {model for model, _ in theirs}
    assert run & theirs
    assert set(published["by"]) - {"all"} <= set(recipe.parts)


def test_carecos_tables_are_of_the_same_runs() -> None:
    one, two = (read_recipe(f"carecos/{name}").cells for name in ("table1", "table2"))
    assert [cell.overrides for cell in one] == [cell.overrides for cell in two]


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_recipes_use_published_weights(name: str) -> None:
    assert "weights" not in read_recipe(name).path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_repeats_no_setting_of_a_config_file(name: str) -> None:
    """Settings inside a group are there to differ: none stands in `with` as the file has it."""
    content = OmegaConf.to_container(OmegaConf.load(read_recipe(name).path))
    assert isinstance(content, dict)
    for key, value in (content.get("with") or {}).items():
        group, _, setting = str(key).partition(".")
        for file in (config_folder() / group).glob("*.yaml") if setting else ():
            assert _as_written(file, setting) != value, (key, file)


def _as_written(file: Path, setting: str) -> object:
    """A setting of a config file before anything in it is resolved."""
    found: object = OmegaConf.to_container(OmegaConf.load(file), resolve=False)
    for name in setting.split("."):
        found = found.get(name, "no such setting") if isinstance(found, dict) else "none"
    return found


def test_a_wheel_carries_the_recipes() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"experiments" = "raqa/experiments"' in text
