"""Compares a warm store of embeddings with one raw array of the same numbers, in time and size.

The two take turns, and medians are compared. With --check the exit status is 1 where a goal is
missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console

from raqa.embeddings.store import Shelf

GOAL_TIME = 5.0
GOAL_SIZE = 1.1


def main() -> None:
    """Measure, and print the medians, their ratio and the size on disk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000, help="embeddings")
    parser.add_argument("--width", type=int, default=768, help="numbers in one")
    parser.add_argument("--shard-rows", type=int, default=256, help="embeddings in one file")
    parser.add_argument("--repeats", type=int, default=21, help="turns of each")
    parser.add_argument("--check", action="store_true", help="fail where a goal is missed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reached = measure(Path(folder), Console(), arguments)
    if arguments.check and not reached:
        sys.exit(1)


def measure(folder: Path, console: Console, arguments: argparse.Namespace) -> bool:
    """Write both, read them in turns, print; say whether the goals are reached."""
    rng = np.random.default_rng(0)
    keys = np.frombuffer(rng.bytes(16 * arguments.rows), "S16")
    vectors = rng.standard_normal((arguments.rows, arguments.width)).astype(np.float32)
    shelf = Shelf(folder / "shelf", {})
    for start in range(0, arguments.rows, arguments.shard_rows):
        stop = start + arguments.shard_rows
        shelf.write(keys[start:stop], vectors[start:stop])
    raw = folder / "raw.npy"
    np.save(raw, vectors)

    times: dict[str, list[float]] = {"one raw array": [], "store": [], "store, shuffled": []}
    for _ in range(arguments.repeats):
        shuffled = rng.permutation(arguments.rows)
        _take_turns(folder, raw, keys, shuffled, times)
    baseline = statistics.median(times["one raw array"])
    for name, measured in times.items():
        median = statistics.median(measured)
        console.print(f"{name:16} {median * 1000:7.1f} ms  {median / baseline:5.2f} x")
    size = sum(path.stat().st_size for path in shelf.folder.iterdir()) / vectors.nbytes
    ratio = statistics.median(times["store"]) / baseline
    console.print(f"time of the store / raw: {ratio:.2f} (goal: at most {GOAL_TIME:g})")
    console.print(f"size of the store / raw: {size:.3f} (goal: at most {GOAL_SIZE:g})")
    return ratio <= GOAL_TIME and size <= GOAL_SIZE


def _take_turns(
    folder: Path, raw: Path, keys: np.ndarray, shuffled: np.ndarray, times: dict[str, list[float]]
) -> None:
    """Read all rows once in each way; the store is opened anew, as a run does."""
    begin = time.perf_counter()
    array = np.load(raw)
    times["one raw array"].append(time.perf_counter() - begin)
    for name, asked in (("store", keys), ("store, shuffled", keys[shuffled])):
        begin = time.perf_counter()
        found, vectors = Shelf(folder / "shelf", {}).lookup(asked)
        times[name].append(time.perf_counter() - begin)
        expected = array if asked is keys else array[shuffled]
        if not found.all() or not np.array_equal(vectors, expected):
            raise SystemExit("the store gives other numbers than were written")


if __name__ == "__main__":
    main()
