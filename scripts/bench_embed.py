"""Times our extraction against the straightforward loop, for each encoder, on the same recordings.

The loop takes one file at a time: decode, resample, cut, forward pass of one clip with gradients
on. Both sides use the same modules (untrained weights compute at the same speed), threads and
files, and end with the same vectors. Run it by itself; with --check its exit status is 1 where a
goal is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from matrix_peak import matrix_peak
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from torch.utils.flop_counter import FlopCounterMode

from raqa import load_encoder
from raqa.audio.clip import ClipPolicy
from raqa.audio.decode import decode
from raqa.audio.resample import resample
from raqa.audio.waveform import AudioError
from raqa.embeddings.extract import EmbedSettings, extract
from raqa.embeddings.store import EmbeddingStore
from raqa.tables import RECORDINGS

GOALS = {"opera_ce": 2.0, "opera_ct": 1.0, "opera_gt": 1.0, "hear": 1.0, "m2d_resp": 1.0}
CLIP = ClipPolicy(length_s=2.0, part="first", padding="zeros")
SUFFIXES = {".wav", ".mp3", ".ogg", ".flac", ".webm"}


@dataclass(frozen=True)
class Measured:
    """Clips a second of both sides, and how much arithmetic that is."""

    ours: float
    loop: float
    gigaflops_per_clip: float


def main() -> int:
    """Measure every encoder, print a table, and say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="recordings, also in folders below it")
    parser.add_argument("--encoders", nargs="+", default=list(GOALS), choices=list(GOALS))
    parser.add_argument("--clips", type=int, default=64, help="recordings at most (default 64)")
    parser.add_argument("--repeats", type=int, default=3, help="of each side (default 3)")
    parser.add_argument("--threads", type=int, default=2, help="of torch (default 2)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    files, console = _usable(given.folder, given.clips), Console()
    if not files:
        parser.error(f"no recording in {given.folder} can be decoded")
    peak = matrix_peak() / 1e9
    table = Table("encoder", "ours", "loop", "times faster", "goal", "GFLOP a clip", "of the peak",
                  title=f"{len(files)} recordings, {given.threads} threads",
                  caption=f"clips a second, medians of {given.repeats}; the machine's matrix "
                  f"product reaches {peak:.0f} GFLOP/s")  # fmt: skip
    missed = []
    for name in given.encoders:
        found = measure(name, files, given.repeats)
        faster = found.ours / found.loop
        missed += [] if faster >= GOALS[name] else [name]
        share = found.ours * found.gigaflops_per_clip / peak
        speeds = (f"{found.ours:.1f}", f"{found.loop:.1f}", f"{faster:.2f} ×", f"{GOALS[name]:g} ×")
        table.add_row(name, *speeds, f"{found.gigaflops_per_clip:.2f}", f"{share:.0%}")
    console.print(table)
    if missed:
        console.print(f"Goal missed: {', '.join(missed)}")
    return 1 if missed and given.check else 0


def measure(name: str, files: Sequence[Path], repeats: int) -> Measured:
    """Time both sides in turn, after each has run once to warm up and been compared."""
    encoder = load_encoder(name, weights="random").eval().requires_grad_(True)
    few = files[:4]
    np.testing.assert_allclose(by_extract(encoder, few)[1], by_loop(encoder, few)[1],
                               rtol=1e-2, atol=1e-4)  # fmt: skip
    ours, loop = [], []
    for _ in track(range(repeats), f"{name} …", transient=True):
        ours.append(len(files) / by_extract(encoder, files)[0])
        loop.append(len(files) / by_loop(encoder, files)[0])
    clip = torch.zeros(1, round(2.0 * encoder.sample_rate))
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        encoder(clip)
    flops = counter.get_total_flops() / 1e9
    return Measured(statistics.median(ours), statistics.median(loop), flops)


def by_extract(encoder: Any, files: Sequence[Path]) -> tuple[float, NDArray[np.float32]]:
    """Seconds and vectors of our extraction into an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        store, table = EmbeddingStore(Path(folder)), _table(files)
        start = time.perf_counter()
        found = extract(table, encoder, CLIP, store, EmbedSettings(device="cpu"))
        return time.perf_counter() - start, found.vectors


def by_loop(encoder: Any, files: Sequence[Path]) -> tuple[float, NDArray[np.float32]]:
    """Seconds and vectors of the loop that one writes first."""
    start, rows = time.perf_counter(), []
    for file in files:
        clip = CLIP.apply(resample(decode(file), encoder.sample_rate))
        output = encoder(torch.from_numpy(clip.samples)[None])
        rows.append(output[0].detach().numpy())
    return time.perf_counter() - start, np.stack(rows)


def _usable(folder: Path, most: int) -> list[Path]:
    """The first recordings of a folder that can be decoded, no two of them the same."""
    found: dict[bytes, Path] = {}
    for file in sorted(folder.rglob("*")):
        if len(found) == most:
            break
        if file.suffix.lower() in SUFFIXES:
            try:
                found.setdefault(decode(file).samples.tobytes(), file)
            except AudioError:
                continue
    return list(found.values())


def _table(files: Sequence[Path]) -> pl.DataFrame:
    rows = [
        {**dict.fromkeys(RECORDINGS), "recording_id": str(file), "corpus": "bench",
         "subject_id": str(file), "subject_known": True, "path": str(file), "audio": True}
        for file in files
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=dict(RECORDINGS))


if __name__ == "__main__":
    sys.exit(main())
