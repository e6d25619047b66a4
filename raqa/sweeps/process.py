"""Whether a process of this machine still lives, told from another one with its number."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_START_FIELD = 19  # of /proc/PID/stat behind the name: ticks since boot (proc(5), field 22)


def birth(pid: int) -> str | None:
    """When a process began, in whatever form the system says it; None: there is no such process.

    A process that has ended and waits for its parent to notice counts as gone.
    """
    if Path("/proc/self/stat").exists():
        return _birth_in_proc(pid)
    done = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    state, _, began = done.stdout.strip().partition(" ")
    return None if not state or state.startswith("Z") else began.strip()


def own_birth() -> str:
    """When this process began."""
    return birth(os.getpid()) or ""


def _birth_in_proc(pid: int) -> str | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    facts = text.rpartition(")")[2].split()  # the name, in brackets, may hold anything
    return None if facts[0] in {"Z", "X"} else facts[_START_FIELD]
