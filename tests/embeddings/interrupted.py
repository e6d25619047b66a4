"""Run by test_interrupted.py: one extraction in a process of its own, so that it can be killed.

Libraries are loaded first; the extraction begins when a line comes in.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.extract import EmbedSettings, extract
from raqa.embeddings.store import EmbeddingStore
from raqa.encoders.mel_stats import MelStats


def main(table: Path) -> None:
    """Say that all is loaded, read the store and the result's place, extract, save."""
    print("ready", flush=True)
    store, result = sys.stdin.readline().split("\t")
    settings = EmbedSettings(device="cpu", shard_rows=16, batch_s=16)
    found = extract(
        pl.read_parquet(table), MelStats(), ClipPolicy(), EmbeddingStore(Path(store)), settings
    )
    np.savez(
        Path(result.strip()), vectors=found.vectors, ids=found.recording_ids,
        aside=found.set_aside["item"].to_list(), reused=found.reused,
    )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
