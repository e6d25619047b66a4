"""What a job runs: `python -m raqa.sweeps.slurm.task FOLDER KIND`, one task of an array."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from raqa.sweeps.slurm.interruption import Interruption

if TYPE_CHECKING:
    from raqa.sweeps.slurm.submission import Kind

WARNING = "RAQA_SLURM_WARNING_S"
REQUEUES = "RAQA_SLURM_REQUEUES"
"""What the batch script tells besides: the task listens before it can read its submission."""


class Task:
    """One task of an array, as Slurm's environment describes it."""

    def __init__(self, folder: Path, kind: Kind) -> None:
        self.folder, self.kind = folder, kind
        self.index = int(os.environ["SLURM_ARRAY_TASK_ID"])
        self.interruption = Interruption(
            float(os.environ[WARNING]) / 2, int(os.environ[REQUEUES]), self._leave, self._failed
        )

    def run(self) -> int:
        """Do the share; the exit status, unless a signal ends the process otherwise."""
        from raqa.sweeps.slurm.share import do, say
        from raqa.sweeps.slurm.submission import read_submission

        submission = read_submission(self.folder)
        job = os.environ["SLURM_ARRAY_JOB_ID"]
        say(f"{submission.recipe}, {self.kind} {self.index}, job {job}_{self.index}")
        status = do(submission, self.kind, self.index, self.interruption.asked)
        if self.interruption.asked():
            self.interruption.end()
        return status

    def _leave(self) -> None:
        from raqa.sweeps.slurm.share import release, share_of
        from raqa.sweeps.slurm.submission import read_submission

        release(share_of(read_submission(self.folder), self.kind, self.index))

    def _failed(self, why: str) -> None:
        from raqa.sweeps.slurm.share import record_unfinished, share_of
        from raqa.sweeps.slurm.submission import read_submission

        record_unfinished(share_of(read_submission(self.folder), self.kind, self.index), why)


if __name__ == "__main__":
    # Listening comes first: the libraries take seconds to load.
    sys.exit(Task(Path(sys.argv[1]), cast("Kind", sys.argv[2])).run())
