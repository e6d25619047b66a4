"""Times 10,000 embeddings from a warm store against reading one raw array of the same size.

Both sides end with the rows in memory, in an order that is not the one on disk. Run it by itself;
with --check its exit status is 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.store import EmbeddingStore, make_keys
from raqa.encoders.mel_stats import MelStats

MOST_RATIO = 5.0  # times the raw array
MOST_SIZE = 1.1  # times the raw float32
SHARD_ROWS = 256


def main() -> int:
    """Measure, print, and say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--check", action="store_true", help="fail where a goal is missed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ratio, size = measure(Path(folder), given.rows, given.width, given.repeats)
    console = Console()
    console.print(f"{given.rows:,} × {given.width} embeddings from a warm store: {ratio:.2f} times "
                  f"as long as one raw array (goal: at most {MOST_RATIO:g})")  # fmt: skip
    console.print(f"size on disk: {size:.3f} times the raw float32 (goal: at most {MOST_SIZE:g})")
    met = ratio <= MOST_RATIO and size <= MOST_SIZE
    return 0 if met or not given.check else 1


def measure(folder: Path, rows: int, width: int, repeats: int) -> tuple[float, float]:
    """Return the ratio of median times, and of sizes on disk."""
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((rows, width), dtype=np.float32)
    keys = make_keys([f"{row:064x}" for row in range(rows)], [(None, None)] * rows)
    shelf = EmbeddingStore(folder / "store").shelf(MelStats(), ClipPolicy())
    for start in range(0, rows, SHARD_ROWS):
        part = slice(start, start + SHARD_ROWS)
        shelf.write(keys[part], vectors[part])
    raw = folder / "raw.npy"
    np.save(raw, vectors)
    order = generator.permutation(rows)

    def from_store() -> NDArray[np.float32]:
        opened = EmbeddingStore(folder / "store").shelf(MelStats(), ClipPolicy())
        found, rows_found = opened.lookup(keys[order])
        assert found.all()
        return rows_found

    def from_raw() -> NDArray[np.float32]:
        return np.load(raw)[order]

    assert np.array_equal(from_store(), from_raw())
    ours, plain = _interleaved(from_store, from_raw, repeats)
    on_disk = sum(file.stat().st_size for file in shelf.folder.iterdir())
    return ours / plain, on_disk / vectors.nbytes


def _interleaved(
    first: Callable[[], object], second: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Median seconds of two things done in turn."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for action, kept in zip((first, second), seconds, strict=True):
            begun = time.perf_counter()
            action()
            kept.append(time.perf_counter() - begun)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


if __name__ == "__main__":
    sys.exit(main())
