"""A small recipe of the demo, and sweeps of it as a user types them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from raqa.cli import app

FAULTY = Path(__file__).with_name("faulty")
RECIPE = """
title: A small table
layout: within
with: {datamodule.corpus.subjects: 20, trainer.max_epochs: 2, seeds: 2}
cells:
  - {task: [age, bmi], encoder: mel_stats}
"""
FAULTY_CELLS = "  - {encoder: faulty, encoder.fault: [none, FAULT]}\n"

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Two cells that work."""
    path = tmp_path / "small.yaml"
    path.write_text(RECIPE)
    return path


@pytest.fixture
def faulty_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Four cells, the last of which has this fault."""
    monkeypatch.syspath_prepend(FAULTY)

    def write(fault: str) -> Path:
        path = tmp_path / f"faulty_{fault}.yaml"
        path.write_text(RECIPE + FAULTY_CELLS.replace("FAULT", fault))
        return path

    return write


@pytest.fixture
def command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Type `raqa ...`; the exit status and everything printed, in one line."""

    def call(name: str, recipe: Path, *arguments: str) -> tuple[int, str]:
        from raqa.errors import UserError
        from raqa.main import USER_MISTAKE, print_problems

        status = 0
        try:
            app(
                [name, str(recipe), f"paths.runs={tmp_path / 'runs'}",
                 f"paths.cache={tmp_path / 'cache'}", *arguments],
                standalone_mode=False,
            )  # fmt: skip
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        except UserError as error:
            print_problems(error)
            status = USER_MISTAKE
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return status, " ".join((captured.out + captured.err).split())

    return call


def start_sweep(recipe: Path, runs: Path, *arguments: str) -> subprocess.Popen[str]:
    """Begin `raqa sweep` in a process of its own, one thread each."""
    return subprocess.Popen(
        [sys.executable, "-m", "raqa.cli", "sweep", str(recipe), f"paths.runs={runs}", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
