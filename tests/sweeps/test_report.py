"""`raqa report` and `raqa compare` as they are typed."""

import json
from pathlib import Path

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.sweeps.report import understand
from raqa.sweeps.report_command import _inside

from .conftest import FAULTY, Command


def test_a_recipe_is_reported_with_its_missing_cells(command: Command, recipe: Path, tmp_path):
    out = tmp_path / "out"
    status, shown = command("report", recipe, "--out", str(out))
    assert status == 2
    assert "none of 2 cells is done" in shown
    assert command("sweep", recipe, "task=age")[0] == 0
    formats = ("--format", "csv", "--format", "records")
    status, shown = command("report", recipe, *formats, "--out", str(out))
    assert status == 0
    assert "records.jsonl" in shown
    table = pl.read_csv(out / "table.csv")
    assert table["task"].to_list() == ["age", "bmi"]
    assert table["mel_stats_problem"].to_list() == [None, "not run yet"]
    records = [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]
    assert [one["problem"] for one in records] == [None, "not run yet"]
    assert records[0]["mae_mean"] == table["mel_stats"][0]


def test_a_failed_cell_says_with_what(command: Command, faulty_recipe, tmp_path):
    path, out, own = faulty_recipe("raise"), tmp_path / "out", ("--config-dir", str(FAULTY))
    command("sweep", path, *own)
    status, _ = command("report", path, *own, "--out", str(out), "--format", "markdown")
    assert status == 0
    assert "failed: " in (out / "report.md").read_text()


def test_settings_find_the_runs_that_were_made_with_them(command: Command, recipe, tmp_path):
    out = tmp_path / "out"
    command("sweep", recipe, "task=age", "head=linear")
    csv = ("--format", "csv", "--out", str(out))
    assert command("report", recipe, *csv)[0] == 2
    assert command("report", recipe, "head=linear", *csv)[0] == 0


def test_two_runs_of_a_sweep_are_compared(recipe, command: Command, tmp_path, capsys):
    from raqa.cli import app

    command("sweep", recipe, "task=age")
    command("sweep", recipe, "task=age", "head=median")
    runs = sorted(str(path.parent) for path in (tmp_path / "runs").glob("*/metrics.json"))
    app(["compare", *runs], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "A − B: " in shown
    assert "paired bootstrap over subjects" in " ".join(shown.split())


def test_folders_stay_folders_and_other_names_are_recipes(tmp_path):
    asked = understand([str(tmp_path)])
    assert (asked.folders, asked.recipes) == ((tmp_path,), ())
    asked = understand(["demo/table3", "encoder=mel_stats"])
    assert (asked.recipes, asked.overrides) == (("demo/table3",), ("encoder=mel_stats",))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo/tabel3"], "Did you mean demo/table3"),
        (["demo/table3", "FOLDER"], "report one kind at a time"),
        (["FOLDER", "head=linear"], "settings choose a recipe's runs"),
        (["head=linear"], "Name a recipe"),
    ],
)
def test_what_is_neither_is_refused_with_what_would_be(arguments, message, tmp_path):
    given = [str(tmp_path) if one == "FOLDER" else one for one in arguments]
    with pytest.raises(UserError, match=message):
        understand(given)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("demo/table3", "demo/table3"), ("mine.yaml", "mine"), ("v1.2", "v1.2"),
        ("/a/b/mine.yaml", "mine"), ("../b/mine.yaml", "mine"), ("a/../../mine", "mine"),
    ],
)  # fmt: skip
def test_a_report_stays_inside_its_folder_wherever_the_recipe_is(name: str, place: str) -> None:
    assert _inside(name) == Path(place)


def test_a_recipe_of_questions_is_swept_and_shown_in_the_terminal(command: Command, tmp_path):
    path, out = tmp_path / "asked.yaml", tmp_path / "out"
    path.write_text(
        "title: Asked\nlayout: questions\n"
        "with: {task: qa, datamodule.corpus.subjects: 40, seeds: 2}\n"
        "cells:\n  - {head: [majority, random]}\n"
    )
    assert command("sweep", path, "head=majority")[0] == 0
    status, shown = command("report", path, "--out", str(out), "--format", "csv")
    assert status == 0
    assert "random missing" in shown
    assert "model macro-F1" in shown
    table = pl.read_csv(out / "table.csv")
    assert table["random_problem"].to_list() == ["not run yet"] * table.height
