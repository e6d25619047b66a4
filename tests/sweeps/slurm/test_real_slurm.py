"""A sweep on a real Slurm of this machine: killed, stopped, failed, and right in the end."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sweeps.conftest import FAULTY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # time limits are whole minutes

CHECKOUT = Path(__file__).parents[3]
SCRIPTS = CHECKOUT / "scripts" / "slurm"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
JOBS = (
    "hydra.launcher.timeout_min=2", "hydra.launcher.signal_delay_s=20", "hydra.launcher.mem_gb=1"
)  # fmt: skip
RECIPE = """
title: Twelve cells
layout: heads
with: {datamodule.corpus.subjects: 20, seeds: 2}
cells:
  - {trainer.max_epochs: 2, task: [age, bmi], encoder: mel_stats, encoder.bands: [32, 64],
     head: [linear, mlp_small]}
  - {trainer.max_epochs: 2, task: [age, bmi], encoder: faulty, head: linear}
  - {trainer.max_epochs: 80, trainer.patience: 80, encoder: mel_stats, head: sleepy}
  - {trainer.max_epochs: 2, encoder: faulty, encoder.fault: raise, encoder.unless: MENDED,
     head: mlp_small}
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which commands meet a Slurm of this machine."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no Slurm can be had: {', '.join(missing)} not installed")
    if os.geteuid() != 0:
        pytest.skip("no Slurm can be had: its daemons want to be started as root")
    folder = tmp_path_factory.mktemp("slurm")
    subprocess.run([sys.executable, SCRIPTS / "up.py", folder], check=True)
    try:
        yield {
            **os.environ,
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PYTHONPATH": f"{CHECKOUT}:{FAULTY}",
            "OMP_NUM_THREADS": "1",
        }
    finally:
        subprocess.run([sys.executable, SCRIPTS / "down.py", folder], check=True)


class Typing:
    """`raqa NAME RECIPE ...` typed in a terminal of the login node."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.recipe = folder / "twelve.yaml"
        self.mended = folder / "mended"
        self.recipe.write_text(RECIPE.replace("MENDED", str(self.mended)))

    def start(self, name: str, *arguments: str, runs: str = "runs") -> subprocess.Popen[str]:
        """Begin a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "raqa.cli", name, str(self.recipe),
             f"paths.runs={self.folder / runs}", f"paths.cache={self.folder / 'cache'}",
             "--config-dir", str(FAULTY), *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=self.environment, cwd=self.folder,
        )  # fmt: skip

    def __call__(self, name: str, *arguments: str, runs: str = "runs") -> tuple[int, str]:
        """Exit status and everything printed."""
        process = self.start(name, *arguments, runs=runs)
        shown, _ = process.communicate(timeout=300)
        assert "Traceback" not in shown, shown
        return process.returncode, shown

    def queue(self, *arguments: str) -> str:
        """What `squeue -h` prints."""
        done = subprocess.run(
            ["squeue", "-h", *arguments], env=self.environment, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        return done.stdout

    def open_partition(self, state: str) -> None:
        """Let jobs begin (UP), or hold them (DOWN)."""
        command = ["scontrol", "update", "PartitionName=trial", f"State={state}"]
        subprocess.run(command, env=self.environment, check=True)

    def wait_for_the_end(self) -> None:
        """Until Slurm has nothing left to do."""
        end = time.monotonic() + 600
        while self.queue():
            assert time.monotonic() < end, self.queue()
            time.sleep(1)


def test_a_sweep_ends_right_whatever_is_killed_stopped_or_fails(
    slurm: dict[str, str], tmp_path: Path
) -> None:
    typed = Typing(tmp_path, slurm)
    typed.open_partition("DOWN")
    submitting = typed.start("sweep", "--on", "slurm", "--pack", "2", *JOBS)
    while not list(tmp_path.glob("runs/sweeps/slurm/*/heads.job")):
        assert submitting.poll() is None, submitting.communicate()
        time.sleep(0.01)
    submitting.send_signal(signal.SIGKILL)
    submitting.communicate()

    status, shown = typed("status")
    assert status == 0
    # Heads wait for embeddings and for the partition; which of them Slurm names is chance.
    assert re.search(r"Slurm job \d+_\d+ waits: (Dependency|PartitionDown)", shown)
    assert "12 cells: 12 pending" in shown
    status, again = typed("sweep", "--on", "slurm", *JOBS)
    assert status == 0
    assert "Nothing was submitted" in again  # all of it is pending

    typed.open_partition("UP")
    typed.wait_for_the_end()
    _, shown = typed("status")
    assert "12 cells: 11 done, 1 failed" in shown
    assert "the disk is full of [bold]cats[/bold]" in shown
    (log,) = [line.split("log: ")[1] for line in shown.splitlines() if "    log: " in line]
    assert "the disk is full" in Path(log).read_text()
    logs = [path.read_text() for path in tmp_path.glob("runs/sweeps/slurm/*/heads-*.log")]
    assert len(logs) == 6
    assert sum(text.count("requeue 1 of at most 5") for text in logs) == 1
    assert sum(text.count("SIGUSR2: stopping") for text in logs) == 1
    assert sum(text.count("stopped after epoch") for text in logs) == 1
    assert sum(text.count(", heads ") for text in logs) == 6 + 1  # only that task began twice

    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*/metrics.json")}
    assert len(before) == 11
    typed.mended.touch()
    _, shown = typed("sweep", "--on", "slurm", *JOBS)
    assert "1 cell in 1 task" in shown
    typed.wait_for_the_end()
    after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*/metrics.json")}
    assert len(after) == 12
    assert before.items() <= after.items()
    _, shown = typed("status")
    assert "12 cells: 12 done" in shown

    assert typed("sweep", runs="here")[0] == 0
    for runs in ("runs", "here"):
        arguments = ("--format", "markdown", "--out", str(tmp_path / f"report-{runs}"))
        status, shown = typed("report", *arguments, runs=runs)
        assert status == 0, shown
    cluster, here = ((tmp_path / f"report-{runs}" / "report.md") for runs in ("runs", "here"))
    assert cluster.read_text() == here.read_text()  # at printed precision
    assert "missing" not in here.read_text()
