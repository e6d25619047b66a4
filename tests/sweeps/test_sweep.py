"""A sweep runs what is missing, goes on after failures, and its exit status tells."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from raqa.main import USER_MISTAKE, main
from raqa.reports.run_folder import RunFolder
from raqa.sweeps.claim import claimed
from raqa.sweeps.sweep import BUSY, FAILED

from .conftest import FAULTY, Command

Faulty = Callable[[str], Path]
OWN = ("--config-dir", str(FAULTY))


def _finished(runs: Path) -> dict[str, int]:
    """Every finished run with the time when its metrics were written."""
    return {path.parent.name: path.stat().st_mtime_ns for path in runs.glob("*/metrics.json")}


def test_a_sweep_runs_what_is_missing_and_the_second_one_nothing(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    status, shown = command("sweep", recipe)
    assert status == 0
    assert "1/2 age MAE" in shown
    assert re.search(r"2/2 bmi MAE [\d.]+ ± [\d.]+ kg/m², training median", shown)
    first = _finished(tmp_path / "runs")
    assert len(first) == 2
    status, shown = command("sweep", recipe)
    assert status == 0
    assert shown.endswith("2 done before")
    assert _finished(tmp_path / "runs") == first
    assert list((tmp_path / "runs" / "sweeps" / "claims").iterdir()) == []


@pytest.mark.parametrize("force", ["--force", "force=true"])
def test_force_runs_everything_again(
    force: str, recipe: Path, command: Command, tmp_path: Path
) -> None:
    command("sweep", recipe)
    first = _finished(tmp_path / "runs")
    _, shown = command("sweep", recipe, force)
    again = _finished(tmp_path / "runs")
    assert shown.endswith("2 run now")
    assert all(again[name] > first[name] for name in first)


def test_the_training_command_runs_a_recipe_too(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["-m", f"+recipe={recipe}", f"paths.runs={tmp_path / 'runs'}", "task=age"])
    assert stopped.value.code == 0
    assert "1 run now" in capsys.readouterr().out
    assert len(_finished(tmp_path / "runs")) == 1


def test_a_recipe_typed_wrongly_is_refused_with_every_reason(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([f"+recipe={recipe}", "workers=none", "fail_fast=1", "hydra/launcher=basic", "--cfg"])
    assert stopped.value.code == USER_MISTAKE
    message = capsys.readouterr().err
    for part in ("add -m", "workers=none", "fail_fast=1", "hydra/launcher=basic", "--cfg"):
        assert part in message


def test_a_mistake_in_one_cell_is_found_before_anything_runs(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    recipe.write_text(recipe.read_text() + "  - {encoder: mel_stats, encoder.band: 3}\n")
    status, shown = command("sweep", recipe)
    assert status == USER_MISTAKE
    assert "Did you mean encoder.bands" in shown
    assert not _finished(tmp_path / "runs")


def test_a_runs_folder_that_can_not_be_written_is_named(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    (tmp_path / "runs").write_text("a file")
    status, shown = command("sweep", recipe)
    assert status == USER_MISTAKE
    assert "paths.runs=" in shown


def test_a_full_disk_is_a_message_before_anything_runs(
    recipe: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raqa.sweeps.sweep.TemporaryFile", _no_space)
    status, shown = command("sweep", recipe)
    assert status == USER_MISTAKE
    assert "paths.runs=" in shown
    assert "No space left" in shown


def test_a_disk_that_fills_up_fails_its_cells_and_leaves_their_reason(
    recipe: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("raqa.reports.run_folder.Draft.write", _no_space)
    monkeypatch.setattr("raqa.sweeps.failure.write_atomically", _no_space)
    status, shown = command("sweep", recipe)
    assert status == FAILED
    assert "no space left on device. Make room" in shown
    assert "2 failed" in shown


def _no_space(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_failing_cell_is_told_at_once_and_again_and_does_not_stop_the_others(
    workers: int, faulty_recipe: Faulty, command: Command, tmp_path: Path
) -> None:
    status, shown = command("sweep", faulty_recipe("raise"), "--workers", str(workers), *OWN)
    assert status == FAILED
    assert len(_finished(tmp_path / "runs")) == 3
    told = "faulty fault=raise failed: unexpected RuntimeError: the disk is full of [bold]cats"
    assert shown.count(told) == 2
    assert "3 run now, 1 failed" in shown
    (log,) = (tmp_path / "runs" / "sweeps" / "failed").glob("*.log")
    assert str(log) in shown
    assert "Traceback" in log.read_text()
    _, planned = command("plan", faulty_recipe("raise"), *OWN)
    assert "3 done, 1 failed" in planned
    assert "unexpected RuntimeError" in planned


def test_a_failed_cell_is_run_again_and_its_failure_forgotten(
    faulty_recipe: Faulty, command: Command, tmp_path: Path
) -> None:
    command("sweep", faulty_recipe("raise"), *OWN)
    (tmp_path / "mended").touch()
    recipe = faulty_recipe("raise")
    text = recipe.read_text().replace(
        "fault: [", f"unless: {tmp_path / 'mended'}, encoder.fault: ["
    )
    recipe.write_text(text)
    status, shown = command("sweep", recipe, *OWN)
    assert status == 0
    assert "2 run now, 2 done before" in shown


def test_a_refusal_of_a_cell_is_a_message_without_a_log(
    faulty_recipe: Faulty, command: Command, tmp_path: Path
) -> None:
    status, shown = command("sweep", faulty_recipe("refuse"), *OWN)
    assert status == FAILED
    assert "failed: this clip is not for me" in shown
    assert not list((tmp_path / "runs").rglob("*.log"))


def test_fail_fast_begins_no_cell_after_a_failure(
    faulty_recipe: Faulty, command: Command, tmp_path: Path
) -> None:
    recipe = faulty_recipe("raise")
    text = recipe.read_text().replace("[none, raise]", "[raise, refuse]")
    recipe.write_text(text.replace("  - {task: [age, bmi], encoder: mel_stats}\n", ""))
    status, shown = command("sweep", recipe, "--fail-fast", *OWN)
    assert status == FAILED
    assert "1 failed, 1 not begun after the failure" in shown


def test_absent_data_fails_its_cells_and_no_others(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    recipe.write_text(
        "title: T\nlayout: within\nwith: {trainer.max_epochs: 2, seeds: 1}\n"
        "cells: [{datamodule: demo, datamodule.corpus.subjects: 20}, {datamodule: coswara}]"
    )
    status, shown = command("sweep", recipe, f"paths.data={tmp_path}")
    assert status == FAILED
    assert "absent: corpus coswara: No Coswara in" in shown
    assert "1 run now, 1 failed" in shown


def test_damage_is_said_and_mended(recipe: Path, command: Command, tmp_path: Path) -> None:
    command("sweep", recipe)
    (victim,) = (tmp_path / "runs").glob("demo-bmi-*")
    (victim / "predictions.parquet").write_bytes(b"garbage")
    status, shown = command("sweep", recipe)
    assert status == 0
    assert "bmi: done again" in shown
    assert "predictions.parquet was changed or damaged" in shown
    assert "1 run now, 1 done before" in shown
    assert RunFolder(victim).verify() == []


def test_a_cell_that_another_recipe_is_running_is_left_to_it(
    recipe: Path, command: Command, tmp_path: Path
) -> None:
    command("sweep", recipe, "task=age")
    (run,) = (tmp_path / "runs").glob("demo-age-*")
    (run / "metrics.json").unlink()
    with claimed(tmp_path / "runs" / "sweeps" / "claims", run.name):
        status, shown = command("sweep", recipe)
    assert status == BUSY
    assert f"age left to process {os.getpid()}" in shown
    assert "1 run now, 1 still run by other processes" in shown


@pytest.mark.slow  # real processes, each of which loads its libraries
def test_a_killed_worker_costs_its_cell_only(
    faulty_recipe: Faulty, command: Command, tmp_path: Path
) -> None:
    status, shown = command("sweep", faulty_recipe("killed"), "--workers", "2", *OWN)
    assert status == FAILED
    assert len(_finished(tmp_path / "runs")) == 3
    assert shown.count("the process that ran it was killed by SIGKILL") == 2
    _, planned = command("plan", faulty_recipe("killed"), *OWN)
    assert "killed by SIGKILL" in planned
