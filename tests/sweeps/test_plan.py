"""Before anything runs: what is done, what is missing, what is absent, and every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.configuration import reuse
from raqa.corpora.demo import Demo
from raqa.encoders.mel_stats import MelStats
from raqa.main import USER_MISTAKE, main
from raqa.sweeps.claim import claimed
from raqa.sweeps.plan import plan
from raqa.sweeps.recipe_file import read_recipe

from .conftest import FAULTY, Command


def test_a_plan_says_what_is_missing_and_runs_nothing(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    status, shown = command("plan", recipe)
    assert status == 0
    assert "age missing" in shown
    assert "2 cells: 2 missing" in shown
    assert "here: corpus demo" in shown
    assert "raqa sweep" in shown
    assert not (tmp_path / "runs").exists()


def test_a_run_of_the_training_command_is_a_done_cell(
    recipe: Path, command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["datamodule.corpus.subjects=20", "trainer.max_epochs=2", "seeds=2", "task=bmi",
          f"paths.runs={tmp_path / 'runs'}"])  # fmt: skip
    capsys.readouterr()
    _, shown = command("plan", recipe)
    assert "bmi done" in shown
    assert "2 cells: 1 done, 1 missing" in shown


def test_all_mistakes_of_all_cells_are_named_at_once(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(
        "title: T\nlayout: within\ncells:\n"
        "  - {head: mlp_small, head.dropot: [0.1, 0.2]}\n"
        "  - {head: mlp_small, head.dropout: 1.5}\n"
        "  - {task: tb_probability}\n"
        "  - {encoder: [mel_stats, opera_gtt]}\n"
        "  - {+trainer.speed: 3}\n"
    )
    status, shown = command("plan", path)
    assert status == USER_MISTAKE
    assert "head.dropot: there is no such setting. Did you mean head.dropout?" in shown
    assert "(in dropot=0.1, dropot=0.2)" in shown
    assert "head.dropout=1.5: input should be less than 1 (in mlp_small dropout=1.5)" in shown
    assert "demo has no such label" in shown
    assert "Did you mean opera_gt" in shown
    assert "trainer.speed: there is no such setting" in shown
    assert "missing" not in shown


@pytest.mark.parametrize("layout", ["cross", "low_n"])
def test_runs_that_the_layout_can_not_show_are_found_before_they_run(
    layout: str, command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(f"title: T\nlayout: {layout}\ncells:\n  - {{task: [age, bmi]}}\n")
    status, shown = command("plan", path)
    assert status == USER_MISTAKE
    assert f"layout={layout} shows runs of regime={layout} only. (in every cell)" in shown


def test_absent_data_and_weights_are_named_with_how_to_get_them(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raqa.encoders.sources.HubFile.cached", lambda _: None)
    path = tmp_path / "absent.yaml"
    path.write_text(
        "title: T\nlayout: within\nwith: {datamodule: coswara}\ncells: [{encoder: opera_ce}]"
    )
    status, shown = command("plan", path, f"paths.data={tmp_path}")
    assert status == 0
    assert "opera_ce missing needs coswara, opera_ce" in shown
    assert "absent: corpus coswara: No Coswara in" in shown
    assert "git clone" in shown
    assert "absent: weights opera_ce: not in the cache; `raqa weights fetch opera_ce`" in shown


def test_a_cell_that_another_process_runs_is_shown_with_who(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    planned = plan(read_recipe(str(recipe), [f"paths.runs={runs}"]))
    folder = planned.cells[0].folder
    assert folder is not None
    with claimed(runs / "sweeps" / "claims", folder.path.name):
        _, shown = command("plan", recipe)
    assert "age running process" in shown
    assert "1 missing, 1 running" in shown


def test_a_damaged_run_is_shown_with_what_is_damaged(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    command("sweep", recipe)
    (victim,) = (tmp_path / "runs").glob("demo-bmi-*")
    (victim / "predictions.parquet").write_bytes(b"garbage")
    _, shown = command("plan", recipe)
    assert "1 done, 1 damaged" in shown
    assert "predictions.parquet was changed or damaged" in shown


def test_a_corpus_is_read_once_and_an_encoder_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.yaml"
    path.write_text(
        "title: T\nlayout: within\nwith: {datamodule.corpus.subjects: 20}\n"
        "cells: [{task: [age, bmi], head: [linear, mlp], encoder.bands: [32, 64]}]"
    )
    reads, built = [], []
    read, build = Demo.read, MelStats.__init__
    monkeypatch.setattr(Demo, "read", lambda self: reads.append(1) or read(self))

    def counting(self: MelStats, *args: object, **settings: object) -> None:
        built.append(1)
        build(self, *args, **settings)

    monkeypatch.setattr(MelStats, "__init__", counting)
    planned = plan(read_recipe(str(path), [f"paths.runs={tmp_path}"]))
    assert len(planned.cells) == 8
    assert (len(reads), len(built)) == (1, 2)
    assert len({cell.folder.path for cell in planned.cells if cell.folder}) == 8


def test_nothing_is_kept_after_a_plan(recipe: Path, tmp_path: Path) -> None:
    plan(read_recipe(str(recipe), [f"paths.runs={tmp_path}"]))
    assert reuse._shelf.get() is None


def test_a_recipe_can_use_the_users_own_configs(faulty_recipe, command: Command) -> None:
    status, shown = command("plan", faulty_recipe("raise"), "--config-dir", str(FAULTY))
    assert status == 0
    assert "4 cells: 4 missing" in shown
    status, shown = command("plan", faulty_recipe("raise"))
    assert status == USER_MISTAKE
    assert "encoder=faulty: there is no encoder of that name" in shown


@pytest.mark.parametrize(("layout", "task"), [("questions", "age"), ("within", "qa")])
def test_answers_to_questions_have_a_layout_of_their_own(
    layout: str, task: str, command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(f"title: T\nlayout: {layout}\ncells:\n  - {{task: {task}, head: majority}}\n")
    status, shown = command("plan", path)
    assert status == USER_MISTAKE
    assert f"task={task}: " in shown
    assert "layout=questions" in shown


def test_text_models_that_are_absent_are_named_with_the_way_to_them(
    command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "text.yaml"
    path.write_text(
        "title: T\nlayout: questions\nwith: {task: qa, datamodule.corpus.subjects: 20}\ncells:\n"
        "  - {head: [majority, fusion], head.text_encoder.model: nobody/has-this}\n"
        "  - {head: majority}\n".replace("[majority, fusion]", "fusion")
    )
    status, shown = command("plan", path)
    assert status == 0
    assert "fusion missing needs nobody/has-this" in shown
    assert "majority missing fusion" not in shown
    assert "give a folder with head.text_encoder.model=DIR" in shown


def test_what_a_responder_loads_is_named_with_the_way_to_it_and_stops_no_other_cell(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    path = tmp_path / "asked.yaml"
    path.write_text(
        "title: T\nlayout: questions\ncells:\n"
        "  - {head: zero_shot, responder: pengi, responder.checkpoint: null}\n"
        "  - {head: majority}\nwith: {task: qa, datamodule.corpus.subjects: 20, seeds: 1}\n"
    )
    place = f"paths.runs={tmp_path / 'runs'}"
    status, shown = command("plan", path, place)
    assert status == 0
    assert (
        "zero_shot missing needs pengi, openai/clip-vit-base-patch16, openai-community/gpt2"
        in shown
    )
    assert "`raqa weights fetch pengi` fetches them" in shown
    assert "give a folder with responder.gpt2_tokenizer=DIR" in shown
    status, shown = command("sweep", path, place)
    assert status == 1
    assert "1 failed" in shown
    assert "responder.checkpoint is not set" in shown
    _, shown = command("plan", path, place, f"responder.checkpoint={tmp_path / 'my.pth'}")
    assert f"absent: weights pengi: {tmp_path / 'my.pth'} is no file" in shown
    status, shown = command("report", path, place, "--out", tmp_path / "report")
    assert status == 0
    assert "pengi" in shown


def test_a_collection_that_is_absent_is_named_with_the_command_that_makes_it(
    command: Command, tmp_path: Path
) -> None:
    from raqa.configuration.folder import experiments_folder

    path, data = experiments_folder() / "ra_qa" / "table2.yaml", tmp_path / "data"
    status, shown = command("plan", path, f"paths.data={data}")
    assert status == 0
    assert "8 cells: 8 missing" in shown
    assert f"`raqa qa build CORPUS --out {data / 'questions' / 'all'}`" in shown
    assert f"`raqa qa sample COLLECTION --out {data / 'questions' / 'subset'}`" in shown
