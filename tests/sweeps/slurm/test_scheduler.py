"""What Slurm's commands print, with and without accounting, is read as it is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raqa.errors import UserError
from raqa.sweeps.slurm import scheduler
from raqa.sweeps.slurm.scheduler import Queued

Say = Callable[..., None]


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Make a command of Slurm print something."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def say(command: str, out: str = "", error: str = "", status: int = 0) -> None:
        (tmp_path / f"{command}.out").write_text(out)
        (tmp_path / f"{command}.err").write_text(error)
        path = tmp_path / command
        path.write_text(f"#!/bin/sh\ncat {path}.out\ncat {path}.err >&2\nexit {status}\n")
        path.chmod(0o755)

    return say


def test_the_queue_names_tasks_by_job_name_and_index(says: Say) -> None:
    says("squeue", "7|0|RUNNING|None|a-heads\n7|1|PENDING|Dependency|a-heads\n"
                   "8|N/A|RUNNING|None|other\n7|2|COMPLETED|None|a-heads\n")  # fmt: skip
    assert scheduler.queued() == {
        ("a-heads", 0): Queued("7_0", False, "None"),
        ("a-heads", 1): Queued("7_1", True, "Dependency"),
    }


def test_a_controller_that_is_away_is_an_error_and_not_an_empty_queue(says: Say) -> None:
    says("squeue", error="slurm_load_jobs error: Unable to contact slurm controller", status=1)
    with pytest.raises(UserError, match="Unable to contact"):
        scheduler.queued()


def test_accounting_says_how_tasks_ended(says: Say) -> None:
    says("sacct", "7_0|COMPLETED|0:0\n7_1|CANCELLED by 1000|0:15\n7_2|OUT_OF_MEMORY|0:125\n"
                  "7_3|RUNNING|0:0\n7_[4-9]|PENDING|0:0\n"
                  "7_[10,12-13%8]|CANCELLED by 0|0:0\n")  # fmt: skip
    ended = scheduler.ended("7")
    assert sorted(ended) == [0, 1, 2, 10, 12, 13]
    assert str(ended[13]) == "Slurm job 7_13: cancelled"
    assert str(ended[1]) == "Slurm job 7_1: cancelled"
    assert "memory ran out" in str(ended[2])


def test_without_accounting_the_controller_says_it(says: Say) -> None:
    says("sacct", error="Slurm accounting storage is disabled", status=1)
    says("scontrol", "JobId=9 ArrayJobId=7 ArrayTaskId=0 JobState=TIMEOUT ExitCode=0:0\n"
                     "JobId=7 ArrayTaskId=1-3%4 JobState=PENDING ExitCode=0:0\n")  # fmt: skip
    ended = scheduler.ended("7")
    assert list(ended) == [0]
    assert str(ended[0]) == "Slurm job 7_0: stopped by its time limit"


def test_what_slurm_says_against_a_script_is_passed_on(says: Say, tmp_path: Path) -> None:
    says("sbatch", error="sbatch: error: invalid partition specified: cats", status=1)
    with pytest.raises(UserError, match=r"invalid partition specified: cats.*conf/site/slurm.yaml"):
        scheduler.submit(tmp_path / "heads.sh")


def test_a_job_id_is_read_with_its_cluster(says: Say, tmp_path: Path) -> None:
    says("sbatch", "123;north\n")
    assert scheduler.submit(tmp_path / "heads.sh") == "123"
