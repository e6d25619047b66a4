"""Where a result comes from: versions, commit, machine; written into every run folder."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# The libraries whose version can move a number.
LIBRARIES = (
    "raqa",
    "torch",
    "torchaudio",
    "pytorch-lightning",
    "numpy",
    "scipy",
    "scikit-learn",
    "polars",
    "soundfile",
    "soxr",
    "av",
)


def provenance() -> dict[str, Any]:
    """Facts about the software and the machine, as plain JSON values."""
    import torch

    return {
        "versions": {name: _version(name) for name in LIBRARIES},
        "python": platform.python_version(),
        "commit": commit(),
        "machine": platform.machine(),
        "system": platform.system(),
        "threads": torch.get_num_threads(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "slurm_job": os.environ.get("SLURM_JOB_ID"),
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def commit() -> str | None:
    """The checkout's commit, with ``+changes`` where files differ from it; None when installed."""
    folder = Path(__file__).resolve().parents[1]
    if not (folder / ".git").exists():
        return None
    try:
        sha = _git(folder, "rev-parse", "HEAD")
        return sha + ("+changes" if _git(folder, "status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
