"""Run by test_interrupted.py in a process of its own: extractions that are killed on the way.

Libraries are loaded once and every extraction is a fork, so that killing many is quick. This
process itself starts no threads (reads no table, computes nothing): a fork would find their locks
taken.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.extract import EmbedSettings, extract
from raqa.embeddings.store import EmbeddingStore
from raqa.encoders.mel_stats import MelStats


def start(folder: Path, store: str, result: str) -> int:
    """Start an extraction and return its process id; its result is written to a file."""
    pid = os.fork()
    if pid:
        return pid
    signal.alarm(200)  # none outlives a test that was given up
    try:
        table = pl.read_parquet(folder / "table.parquet")
        settings = EmbedSettings(device="cpu", shard_rows=16, batch_s=16)
        found = extract(table, MelStats(), ClipPolicy(), EmbeddingStore(folder / store), settings)
        np.savez(folder / result, vectors=found.vectors, ids=found.recording_ids,
                 aside=found.set_aside["item"].to_list(), reused=found.reused)  # fmt: skip
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)


def finish(pid: int) -> None:
    """Wait for an extraction that must succeed."""
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def kill(pid: int) -> bool:
    """Kill as `kill -9` does; say whether it was still running."""
    os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def check(result: Path, whole: Path) -> int:
    """Compare with the uninterrupted run, and say how many embeddings were reused."""
    found, expected = np.load(result), np.load(whole)
    for name in ("ids", "aside", "vectors"):
        np.testing.assert_array_equal(found[name], expected[name])
    return int(found["reused"])


def main(folder: Path, rounds: int) -> None:
    """Kill one extraction of one, and one of two, at random moments; print what was reused."""
    whole = folder / "whole.npz"
    begin = time.monotonic()
    finish(start(folder, "whole", "whole.npz"))
    duration = time.monotonic() - begin
    rng = random.Random(0)
    for number in range(rounds):
        store, result = f"store{number}", f"{number}.npz"
        moments = [rng.random() * duration, rng.random() * duration]
        alone = start(folder, store, result)
        time.sleep(moments[0])
        killed = kill(alone)
        finish(start(folder, store, result))
        print("alone", killed, check(folder / result, whole))

        store, result = f"shared{number}", f"shared{number}.npz"
        first = start(folder, store, "unused.npz")
        second = start(folder, store, result)
        time.sleep(moments[1])
        killed = kill(first)
        finish(second)
        check(folder / result, whole)
        finish(start(folder, store, result))
        print("shared", killed, check(folder / result, whole))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
