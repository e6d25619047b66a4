"""Where sweeps keep what they know besides results: claims and failures, beside the runs."""

from __future__ import annotations

from pathlib import Path


def claims_folder(runs: Path) -> Path:
    """One file for each cell, and each sweep, that a process works on."""
    return runs / "sweeps" / "claims"


def failures_folder(runs: Path) -> Path:
    """For each cell that failed last time, why; and the traceback of an unexpected error."""
    return runs / "sweeps" / "failed"


def submissions_folder(runs: Path) -> Path:
    """For each submission to a cluster what was submitted, and the logs of its jobs."""
    return runs / "sweeps" / "slurm"
