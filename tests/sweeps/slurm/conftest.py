"""A Slurm that is only pretended: it keeps what it is given, and works when it is told to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from raqa.errors import UserError
from raqa.sweeps.slurm import scheduler
from raqa.sweeps.slurm.scheduler import Ended, Place, Queued
from raqa.sweeps.slurm.share import do
from raqa.sweeps.slurm.submission import KINDS, read_submission


class PretendedSlurm:
    """Takes scripts, and runs their tasks in this process."""

    def __init__(self) -> None:
        self.scripts: list[Path] = []
        self.queue: dict[Place, Queued] = {}
        self.ends: dict[str, dict[int, Ended]] = {}
        self.refusal = ""

    def submit(self, script: Path) -> str:
        if self.refusal:
            raise UserError(self.refusal)
        self.scripts.append(script)
        job, text = str(len(self.scripts)), script.read_text()
        name, last = (re.findall(pattern, text)[0] for pattern in (r"name=(\S+)", r"array=0-(\d+)"))
        for index in range(int(last) + 1):
            self.queue[name, index] = Queued(f"{job}_{index}", True, "Priority")
        return job

    def queued(self) -> Mapping[Place, Queued]:
        return dict(self.queue)

    def ended(self, job: str) -> Mapping[int, Ended]:
        return self.ends.get(job, {})

    def work(self) -> list[int]:
        """Run everything that is queued; the tasks' exit statuses, embeddings first."""
        statuses = []
        for script in self.scripts:
            submission = read_submission(script.parent)
            for kind in KINDS:
                for index in range(1000):
                    if self.queue.pop((submission.job_name(kind), index), None):
                        statuses.append(do(submission, kind, index, lambda: False))
        return statuses

    def lose(self, index: int, state: str) -> None:
        """End a task of the last array without a result."""
        job = str(len(self.scripts))
        name = re.findall(r"name=(\S+)", self.scripts[-1].read_text())[0]
        del self.queue[name, index]
        self.ends.setdefault(job, {})[index] = Ended(f"{job}_{index}", state, "0:0")


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PretendedSlurm:
    """A machine with the pretended Slurm."""
    pretended = PretendedSlurm()
    monkeypatch.setattr(scheduler, "check_here", lambda: None)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    for name in ("submit", "queued", "ended"):
        monkeypatch.setattr(scheduler, name, getattr(pretended, name))
    monkeypatch.chdir(tmp_path)
    return pretended
