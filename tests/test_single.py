"""Several tasks for one run are noticed."""

from __future__ import annotations

import pytest

from raqa.errors import UserError
from raqa.single import check_single


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"SLURM_PROCID": "0", "SLURM_NTASKS": "1", "SLURM_STEP_NUM_TASKS": "1"},
        {"SLURM_NTASKS": "4"},  # a shell in an allocation
    ],
)
def test_one_task_may_run(environment: dict[str, str]) -> None:
    check_single(environment)


@pytest.mark.parametrize("name", ["SLURM_NTASKS", "SLURM_STEP_NUM_TASKS"])
def test_one_of_two_tasks_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=f"{name}=2.*--ntasks=1"):
        check_single({"SLURM_PROCID": "1", name: "2"})
