"""End a Slurm that `up.py` started: its jobs, then its daemons, by the ids they left in FOLDER."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PATIENCE_S = 15.0
DAEMONS = ("slurmd", "slurmctld", "munged")  # the last one to start is the first to end


def main(arguments: Sequence[str] | None = None) -> None:
    """Cancel all jobs, then end each daemon and wait for it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="as given to up.py")
    folder = parser.parse_args(arguments).folder.absolute()
    _cancel_jobs({**os.environ, "SLURM_CONF": str(folder / "slurm.conf")})
    for daemon in DAEMONS:
        _end(folder / f"{daemon}.pid", daemon)


def _cancel_jobs(environment: dict[str, str]) -> None:
    """Cancel everything and wait until no job's process is left."""
    end = time.monotonic() + PATIENCE_S
    with suppress(subprocess.SubprocessError, OSError):
        for command in (["scancel", "--user=root"], ["scancel", "--user=root", "--full"]):
            subprocess.run(command, env=environment, timeout=PATIENCE_S, check=False)
        while (
            time.monotonic() < end
            and subprocess.run(
                ["squeue", "-h"],
                env=environment,
                capture_output=True,
                timeout=PATIENCE_S,
                check=True,
            ).stdout
        ):
            time.sleep(0.2)


def _end(file: Path, daemon: str) -> None:
    """End the daemon whose id stands in a file, if it is that daemon still."""
    try:
        pid = int(file.read_text())
        name = Path(f"/proc/{pid}/comm").read_text().strip()
    except (OSError, ValueError):
        return
    if name != daemon:  # another process has the number by now
        return
    for sign, patience in ((signal.SIGTERM, PATIENCE_S), (signal.SIGKILL, 1.0)):
        with suppress(ProcessLookupError):
            os.kill(pid, sign)
        end = time.monotonic() + patience
        while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
            time.sleep(0.1)
    file.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
