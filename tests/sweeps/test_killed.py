"""Real processes: killed at any moment, started eight times at once, damaged meanwhile."""

from __future__ import annotations

import json
import random
import signal
import time
from pathlib import Path

import pytest

from raqa.reports.run_tables import METRICS, PREDICTED
from raqa.sweeps.sweep import BUSY

from .conftest import start_sweep

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
KILLS = 6


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    """Six quick cells with two kinds of embeddings."""
    path = tmp_path / "six.yaml"
    path.write_text(
        "title: Six cells\nlayout: within\n"
        "with: {datamodule.corpus.subjects: 60, trainer.max_epochs: 8, seeds: 2}\n"
        "cells: [{task: [age, bmi, age], encoder.bands: [32, 64], head: [linear, mlp_small]}]"
    )
    return path


def _results(runs: Path) -> dict[str, tuple[bytes, object]]:
    """Of every run the bytes of its predictions and its scores, which hold no times."""
    return {
        folder.name: (
            (folder / PREDICTED).read_bytes(),
            json.loads((folder / METRICS).read_text())["scores"],
        )
        for folder in runs.glob("demo-*")
    }


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_again_and_again_a_sweep_ends_with_the_very_same_results(
    workers: int, cells: Path, tmp_path: Path
) -> None:
    whole = start_sweep(cells, tmp_path / "whole", f"paths.cache={tmp_path / 'whole-cache'}")
    shown, _ = whole.communicate(timeout=200)
    assert whole.returncode == 0, shown
    expected = _results(tmp_path / "whole")
    assert len(expected) == 8

    runs, moments, killed = tmp_path / "runs", random.Random(workers), 0
    arguments = (f"paths.cache={tmp_path / 'cache'}", "--workers", str(workers))
    for _ in range(KILLS):
        process = start_sweep(cells, runs, *arguments)
        assert process.stdout is not None
        process.stdout.readline()  # an empty line before the title: libraries are loaded
        time.sleep(moments.random() * 2 + (workers > 1) * 4)
        process.kill()
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
    assert killed > 1
    last = start_sweep(cells, runs, *arguments)
    shown, _ = last.communicate(timeout=200)
    assert last.returncode == 0, shown
    assert _results(runs) == expected


def test_of_eight_at_once_one_runs_and_the_others_say_who(cells: Path, tmp_path: Path) -> None:
    processes = [start_sweep(cells, tmp_path / "runs") for _ in range(8)]
    shown = {process.pid: process.communicate(timeout=280)[0] for process in processes}
    (winner,) = [process for process in processes if process.returncode == 0]
    for process in processes:
        if process is not winner:
            assert process.returncode == BUSY
            assert f"is being run by process {winner.pid} on" in shown[process.pid]
    assert "8 run now" in shown[winner.pid]


def test_two_recipes_that_share_cells_run_each_cell_once(cells: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(cells.read_text().replace("[age, bmi, age]", "[bmi, age]"))
    both = [start_sweep(recipe, tmp_path / "runs") for recipe in (cells, other)]
    shown = [process.communicate(timeout=200)[0] for process in both]
    assert all(process.returncode in {0, BUSY} for process in both), shown
    assert len(_results(tmp_path / "runs")) == 8
    assert sum(text.count("  MAE ") for text in shown) == 8
