"""Times five seeds side by side against five plain Lightning fits, for every width and head.

The widths are those of the cough paper's five encoders, the heads those of its Table 4, the
training side as large as its clinical corpus. Both sides do the same work (plain_lightning.py
says what) and take turns, so that a busy machine is busy for both. Run it by itself; with --check
its exit status is 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytorch_lightning as lightning
import torch
from matrix_peak import matrix_peak
from plain_lightning import fit_one_by_one
from rich.console import Console
from rich.progress import track
from rich.table import Table
from torch import nn

from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training.fit import fit
from raqa.training.settings import TrainerSettings

SEEDS = range(5)
RECORDINGS, VALIDATION = 669, 167  # of the cough paper's smallest corpus, four of its six tasks
WIDTHS = {"opera_gt": 384, "hear": 512, "opera_ct": 768, "opera_ce": 1280, "m2d_resp": 3840}
TRAINING_SIDES = {"cidrz": (669, 4), "coswara": (1638, 1), "coughvid": (3050, 1)}
"""Training recordings of the paper's corpora, and how many tasks have them."""
EPOCHS = 64
LINEAR_GOAL = MEAN_GOAL = 3.0

HEADS: dict[str, tuple[MLPHead, Callable[[int], nn.Module]]] = {
    "linear": (MLPHead(), lambda width: nn.Linear(width, 1)),
    "mlp_small": (
        MLPHead(hidden=(256,), dropout=0.3),
        lambda width: nn.Sequential(
            nn.Linear(width, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 1)
        ),
    ),
    "mlp": (
        MLPHead(hidden=("width",)),
        lambda width: nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)),
    ),
}
"""Our head, and the same as plain modules."""


@dataclass(frozen=True)
class Measured:
    """Median seconds of one width and head, all seeds."""

    encoder: str
    head: str
    ours: float
    plain: float

    @property
    def faster(self) -> float:
        """How many times faster side by side is."""
        return self.plain / self.ours


def make_data(width: int) -> FitData:
    """Random inputs and a label that half depends on them, with the spread of ages."""
    random = np.random.default_rng(0)
    inputs = random.normal(size=(RECORDINGS + VALIDATION, width))
    signal = inputs @ random.normal(size=width) / width**0.5
    labels = 35 + 14 * (signal + random.normal(size=len(signal))) / 2**0.5
    x, y = inputs.astype(np.float32), labels.astype(np.float32)
    return FitData(x[:RECORDINGS], y[:RECORDINGS], x[RECORDINGS:], y[RECORDINGS:])


def time_once(side: str, head: str, data: FitData, epochs: int) -> float:
    """Seconds of one side, all seeds, every epoch trained."""
    settings = TrainerSettings(accelerator="cpu", max_epochs=epochs, patience=epochs)
    ours, network = HEADS[head]
    start = time.perf_counter()
    if side == "ours":
        fit(ours, data, SEEDS, settings)
    else:
        fit_one_by_one(lambda: network(data.width), data, SEEDS, settings)
    return time.perf_counter() - start


def measure_all(encoders: Sequence[str], epochs: int, repeats: int) -> Iterator[Measured]:
    """Every width and head, repeats interleaved, after one short fit of each to warm up."""
    for encoder in encoders:
        data = make_data(WIDTHS[encoder])
        for head in HEADS:
            for side in ("ours", "plain"):
                time_once(side, head, data, 1)
            pairs = [
                [time_once(side, head, data, epochs) for side in ("ours", "plain")]
                for _ in track(range(repeats), f"{encoder}, {head} …", transient=True)
            ]
            ours, plain = map(statistics.median, zip(*pairs, strict=True))
            yield Measured(encoder, head, ours, plain)


def floating_operations(encoder: str, head: str, epochs: int) -> float:
    """Multiplications and additions of the fit: six a weight in training, two in validation."""
    model = HEADS[head][0].build(WIDTHS[encoder], [0])
    weights = sum(parameter.numel() for parameter in model.parameters())
    return len(SEEDS) * epochs * weights * (6 * RECORDINGS + 2 * VALIDATION)


def projected_hours(found: Sequence[Measured], epochs: int) -> tuple[float, float]:
    """Hours for all 450 fits of Table 4 if every one takes all epochs, ours and plain.

    Larger corpora are taken in proportion to their training recordings.
    """
    share = sum(size * tasks for size, tasks in TRAINING_SIDES.values()) / RECORDINGS
    factor = share * EPOCHS / epochs / 3600
    return sum(one.ours for one in found) * factor, sum(one.plain for one in found) * factor


def peak_memory(side: str, encoder: str, head: str) -> float:
    """Peak resident memory in GiB of a process that does one epoch of one side and nothing else."""
    done = subprocess.run(
        [sys.executable, __file__, "--memory", side, encoder, head],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return float(json.loads(done.stdout.splitlines()[-1]))


def print_peak_memory(side: str, encoder: str, head: str) -> int:
    """Do one epoch and print this process's peak memory; `peak_memory` reads it."""
    time_once(side, head, make_data(WIDTHS[encoder]), 1)
    # Not getrusage: its peak includes that of the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    kibibytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(json.dumps(int(kibibytes) / 2**20))
    return 0


def report(found: Sequence[Measured], arguments: argparse.Namespace, console: Console) -> list[str]:
    """Print the table and what follows from it; return the goals that were missed."""
    table = Table(
        "encoder", "width", "head", "side by side", "one by one", "times faster",
        title=f"{len(SEEDS)} seeds, {RECORDINGS} training recordings, {arguments.epochs} epochs",
        caption=f"medians of {arguments.repeats}; {platform.processor() or platform.machine()}, "
        f"{torch.get_num_threads()} threads, torch {torch.__version__}, "
        f"lightning {lightning.__version__}",
    )  # fmt: skip
    for one in found:
        table.add_row(one.encoder, str(WIDTHS[one.encoder]), one.head, f"{one.ours:.2f} s",
                      f"{one.plain:.2f} s", f"{one.faster:.1f} ×")  # fmt: skip
    console.print(table)
    means = {
        name: statistics.geometric_mean([one.faster for one in found if name in ("all", one.head)])
        for name in ("all", *HEADS)
    }
    console.print("geometric means: " + ", ".join(f"{k} {v:.2f} ×" for k, v in means.items()))
    widest = max((one for one in found if one.head == "mlp"), key=lambda m: WIDTHS[m.encoder])
    done = floating_operations(widest.encoder, "mlp", arguments.epochs) / widest.ours
    peak = matrix_peak()
    console.print(f"{widest.encoder}, mlp: {done / 1e9:.0f} GFLOP/s, {done / peak:.0%} of the "
                  f"matrix product's {peak / 1e9:.0f}")  # fmt: skip
    ours, plain = projected_hours(found, arguments.epochs)
    fits = len(found) * len(SEEDS) * sum(tasks for _, tasks in TRAINING_SIDES.values())
    console.print(f"all {fits} fits at {EPOCHS} epochs each, projected: {ours:.1f} h side by side, "
                  f"{plain:.1f} h one by one")  # fmt: skip
    memory = [peak_memory(side, widest.encoder, "mlp") for side in ("ours", "plain")]
    console.print(f"peak memory of the widest: {memory[0]:.2f} GiB side by side, "
                  f"{memory[1]:.2f} GiB one by one")  # fmt: skip
    goals = {"all": MEAN_GOAL, "linear": LINEAR_GOAL}
    return [f"{name} at least {goal:g} ×" for name, goal in goals.items() if means[name] < goal]


def main() -> int:
    """Measure, print, and say whether the goals are reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12, help="of every fit (default 12)")
    parser.add_argument("--repeats", type=int, default=3, help="of each side (default 3)")
    parser.add_argument("--threads", type=int, default=2, help="of torch (default 2)")
    parser.add_argument("--encoders", nargs="+", default=list(WIDTHS), choices=list(WIDTHS))
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    parser.add_argument("--memory", nargs=3, help=argparse.SUPPRESS)  # what a child process does
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.WARNING)
    warnings.filterwarnings(
        "ignore", module="pytorch_lightning|lightning_fabric|torch|typing_extens"
    )
    if arguments.memory:
        return print_peak_memory(*arguments.memory)
    console = Console()
    found = list(measure_all(arguments.encoders, arguments.epochs, arguments.repeats))
    missed = report(found, arguments, console)
    if missed:
        console.print(f"Goal missed: {'; '.join(missed)}")
    return 1 if missed and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
