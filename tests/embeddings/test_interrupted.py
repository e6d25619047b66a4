"""Runs that are killed lose little, and two at once do not get into each other's way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

RECORDINGS = 200


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_after_kill_9_at_any_moment_the_next_run_finishes_with_the_same_numbers(
    rounds: int, sounds: Callable[..., list[Path]], table: Callable[..., pl.DataFrame],
    tmp_path: Path,
) -> None:  # fmt: skip
    paths = sounds(RECORDINGS)
    paths[17].write_bytes(b"")
    table(paths).write_parquet(tmp_path / "table.parquet")
    script = Path(__file__).with_name("interrupted.py")
    run = subprocess.run(
        [sys.executable, script, tmp_path, str(rounds)],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    rows = [line.split() for line in run.stdout.splitlines()]
    assert len(rows) == 2 * rounds
    # The survivor of two has done everything; what a killed run had finished is not done again.
    assert {int(reused) for kind, _, reused in rows if kind == "shared"} == {RECORDINGS - 1}
    if rounds > 10:
        assert sum(killed == "True" for _, killed, _ in rows) > rounds
        assert len({reused for kind, _, reused in rows if kind == "alone"}) > 3
