"""Runs that are killed lose little, and two at once do not get into each other's way."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

RECORDINGS = 200


class Extraction:
    """An extraction that waits, loaded, until it is begun."""

    def __init__(self, table: Path) -> None:
        script = Path(__file__).with_name("interrupted.py")
        self.process = subprocess.Popen(
            [sys.executable, script, table], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def begin(self, store: Path, result: Path) -> None:
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        assert self.process.stdout.readline() == "ready\n"
        self.process.stdin.write(f"{store}\t{result}\n")
        self.process.stdin.flush()

    def finish(self) -> None:
        _, errors = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, errors

    def kill(self) -> bool:
        """Kill as `kill -9` does; say whether it was still running."""
        self.process.kill()
        self.process.communicate()
        return self.process.returncode == -signal.SIGKILL


@pytest.fixture
def table_file(sounds, table, tmp_path: Path) -> Path:
    paths = sounds(RECORDINGS)
    paths[17].write_bytes(b"")
    table(paths).write_parquet(tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


@pytest.fixture
def start(table_file: Path) -> Iterator[Callable[[], Extraction]]:
    begun: list[Extraction] = []

    def one() -> Extraction:
        begun.append(Extraction(table_file))
        return begun[-1]

    yield one
    for extraction in begun:
        extraction.kill()


def _check(result: Path, whole: Path) -> int:
    """Compare with the uninterrupted run; how many embeddings were reused."""
    found, expected = np.load(result), np.load(whole)
    for name in ("ids", "aside", "vectors"):
        np.testing.assert_array_equal(found[name], expected[name])
    return int(found["reused"])


@pytest.mark.timeout(900)
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_after_kill_9_at_any_moment_the_next_run_finishes_with_the_same_numbers(
    rounds: int, start: Callable[[], Extraction], tmp_path: Path
) -> None:
    whole, duration = _uninterrupted(start, tmp_path)
    moments = random.Random(0)
    killed, reused = 0, set()
    for number in range(rounds):
        store, result = tmp_path / f"store{number}", tmp_path / f"{number}.npz"
        first, second = start(), start()
        first.begin(store, result)
        time.sleep(moments.random() * duration)
        killed += first.kill()
        second.begin(store, result)
        second.finish()
        reused.add(_check(result, whole))
    if rounds > 10:
        assert killed > rounds // 2
        assert len(reused) > 3  # of what a killed run had finished, nothing is done again


@pytest.mark.timeout(900)
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_of_two_at_once_one_is_killed_and_the_other_has_all_rows_once(
    rounds: int, start: Callable[[], Extraction], tmp_path: Path
) -> None:
    whole, duration = _uninterrupted(start, tmp_path)
    moments = random.Random(1)
    for number in range(rounds):
        store, result = tmp_path / f"store{number}", tmp_path / f"{number}.npz"
        victim, survivor, last = start(), start(), start()
        victim.begin(store, tmp_path / "unused.npz")
        survivor.begin(store, result)
        time.sleep(moments.random() * duration)
        victim.kill()
        survivor.finish()
        _check(result, whole)
        last.begin(store, result)
        last.finish()
        assert _check(result, whole) == RECORDINGS - 1


def _uninterrupted(start: Callable[[], Extraction], folder: Path) -> tuple[Path, float]:
    """An undisturbed run's result, and how long it took."""
    extraction = start()
    extraction.begin(folder / "whole", folder / "whole.npz")
    begun = time.monotonic()
    extraction.finish()
    return folder / "whole.npz", time.monotonic() - begun
