"""A run is one process on one device; two that were started for it by mistake are noticed."""

from __future__ import annotations

import os
from collections.abc import Mapping

from raqa.errors import UserError


def check_single(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse to be one of several tasks that Slurm started for the same run.

    Each would train the whole run, and into the same folder. An interactive allocation of several
    tasks is no harm as long as `srun` does not start them: only tasks have a SLURM_PROCID.

    Raises:
        UserError: how many were started, and how one is.
    """
    if "SLURM_PROCID" not in environment:
        return
    names = ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
    started = {name: environment[name] for name in names if environment.get(name, "1") != "1"}
    if started:
        name, count = next(iter(started.items()))
        raise UserError(
            f"{name}={count}: Slurm has started {count} tasks for one run, and a run is one "
            "process on one device; each would train all of it into the same folder. Ask for one: "
            "#SBATCH --ntasks=1, srun --ntasks=1, hydra.launcher.tasks_per_node=1."
        )
