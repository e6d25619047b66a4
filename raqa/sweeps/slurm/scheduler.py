"""Slurm's own commands: submit, ask what is queued, ask how jobs ended, requeue."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raqa.errors import UserError

PATIENCE_S = 60.0
"""How long a busy controller may take to answer."""

_PENDING = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"})
_ENDED = frozenset(
    {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED",
     "BOOT_FAIL", "DEADLINE", "REVOKED"}
)  # fmt: skip

Place = tuple[str, int]
"""A task: its job's name, and its index in the array."""


@dataclass(frozen=True)
class Queued:
    """A task that Slurm has not ended.

    Attributes:
        job: as `scancel` takes it, `123_4`.
        waits: it does not run now.
        reason: what it waits for, in Slurm's word.
    """

    job: str
    waits: bool
    reason: str


@dataclass(frozen=True)
class Ended:
    """How a task ended: Slurm's word (TIMEOUT) and its exit status (`1:0`)."""

    job: str
    state: str
    status: str

    def __str__(self) -> str:
        words = {
            "TIMEOUT": "stopped by its time limit",
            "OUT_OF_MEMORY": "memory ran out (hydra.launcher.mem_gb=... asks for more)",
            "CANCELLED": "cancelled",
            "NODE_FAIL": "its node failed",
            "PREEMPTED": "preempted and not requeued",
            "COMPLETED": "ended without a result",
            "FAILED": f"ended with status {self.status}",
        }
        return f"Slurm job {self.job}: {words.get(self.state, self.state)}"


def check_here() -> None:
    """Refuse a machine that is no part of a Slurm cluster.

    Raises:
        UserError: naming the commands that are missing.
    """
    missing = [name for name in ("sbatch", "squeue", "scontrol") if shutil.which(name) is None]
    if missing:
        raise UserError(
            f"There is no Slurm here ({', '.join(missing)} not found). Run this on a cluster's "
            "login node; without --on a sweep runs on this machine."
        )


def submit(script: Path) -> str:
    """Hand a batch script to Slurm; the job's id.

    Raises:
        UserError: Slurm refuses it, in its own words.
    """
    done = _run(["sbatch", "--parsable", str(script)])
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"status {done.returncode}"
        raise UserError(
            f"Slurm refused {script}: {said}. conf/site/slurm.yaml, or "
            "hydra.launcher.partition=... and the like, say what this cluster wants."
        )
    return done.stdout.strip().partition(";")[0]


def queued() -> Mapping[Place, Queued]:
    """This user's tasks that have not ended.

    Raises:
        UserError: Slurm does not answer.
    """
    done = _run(["squeue", "--me", "-h", "-r", "-o", "%F|%K|%T|%r|%j"])
    if done.returncode:
        raise UserError(f"Slurm does not answer: {' '.join(done.stderr.split())}. Try again later.")
    tasks: dict[Place, Queued] = {}
    for line in done.stdout.splitlines():
        job, index, state, reason, name = line.split("|", maxsplit=4)
        if index.isdecimal() and state not in _ENDED:
            tasks[name, int(index)] = Queued(f"{job}_{index}", state in _PENDING, reason)
    return tasks


def ended(job: str) -> Mapping[int, Ended]:
    """How the tasks of an array ended, as far as Slurm remembers; by index.

    Accounting remembers for long; where a cluster keeps none, the controller does for minutes.
    """
    found = _accounted(job) or _remembered(job)
    return {index: one for index, one in found.items() if one.state in _ENDED}


def requeue(job: str) -> str:
    """Put a running job back into the queue; empty, or why Slurm would not."""
    done = _run(["scontrol", "requeue", job])
    return " ".join((done.stderr or done.stdout).split()) if done.returncode else ""


def _accounted(job: str) -> dict[int, Ended]:
    if shutil.which("sacct") is None:
        return {}
    done = _run(["sacct", "-n", "-X", "-P", "-j", job, "-o", "JobID,State,ExitCode"])
    found = {}
    for line in done.stdout.splitlines() if done.returncode == 0 else ():
        name, state, status = line.split("|")
        for index in _indices(name.partition("_")[2]):
            found[index] = Ended(f"{job}_{index}", state.split()[0], status)  # CANCELLED by 1000
    return found


def _remembered(job: str) -> dict[int, Ended]:
    done = _run(["scontrol", "-o", "show", "job", job])
    found = {}
    for line in done.stdout.splitlines() if done.returncode == 0 else ():
        facts = dict(re.findall(r"(ArrayTaskId|JobState|ExitCode)=(\S+)", line))
        for index in _indices(facts.get("ArrayTaskId", "")):
            found[index] = Ended(f"{job}_{index}", facts["JobState"], facts["ExitCode"])
    return found


def _indices(text: str) -> Iterator[int]:
    """The tasks that a line is about: one, or many that never began, `[0,4-9%8]`."""
    for part in text.strip("[]").partition("%")[0].split(","):
        first, _, last = part.partition("-")
        if first.isdecimal():
            yield from range(int(first), int(last or first) + 1)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=PATIENCE_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"`{command[0]}` can not be asked: {error}") from error
