"""A task does its share, refuses what was not submitted, and stops when it is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from raqa.reports.run_tables import METRICS
from raqa.sweeps.failure import record
from raqa.sweeps.slurm import share
from raqa.sweeps.slurm.interruption import CANCELLED
from raqa.sweeps.slurm.share import FAILED, REFUSED, do
from raqa.sweeps.slurm.submission import Submission, read_submission
from tests.sweeps.conftest import Command

from .conftest import PretendedSlurm


@pytest.fixture
def submission(recipe: Path, command: Command, slurm: PretendedSlurm) -> Submission:
    """Two cells in one task, submitted."""
    command("sweep", recipe, "--on", "slurm")
    return read_submission(slurm.scripts[0].parent)


def _finished(tmp_path: Path) -> int:
    return len(list(tmp_path.glob(f"runs/*/{METRICS}")))


def test_other_code_than_was_submitted_is_refused_for_every_cell(
    submission: Submission, command: Command, recipe: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(share, "code_digest", lambda _: "another")
    assert do(submission, "embeddings", 0, lambda: False) == REFUSED
    assert do(submission, "heads", 0, lambda: False) == REFUSED
    assert "have changed since this was submitted" in capsys.readouterr().out
    shown = command("status", recipe)[1]
    assert "2 cells: 2 failed" in shown
    assert "have changed" in shown
    assert _finished(tmp_path) == 0


def test_several_tasks_for_one_share_are_refused(
    submission: Submission, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SLURM_PROCID", "1")
    monkeypatch.setenv("SLURM_NTASKS", "2")
    assert do(submission, "heads", 0, lambda: False) == REFUSED
    assert _finished(tmp_path) == 0


def test_nothing_is_begun_after_the_task_was_told_to_stop(
    submission: Submission, tmp_path: Path
) -> None:
    do(submission, "heads", 0, lambda: True)
    assert list(tmp_path.glob("runs/*demo*")) == []


def test_a_task_that_is_told_to_stop_leaves_a_checkpoint_with_which_it_goes_on(
    submission: Submission, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answers = iter([False, True])
    do(submission, "heads", 0, lambda: next(answers))
    assert len(list(tmp_path.glob("runs/.*.checkpoint/*"))) == 1
    assert _finished(tmp_path) == 0
    assert do(submission, "heads", 0, lambda: False) == 0
    assert list(tmp_path.glob("runs/.*.checkpoint")) == []
    assert caplog.messages == []  # Lightning would say something at every checkpoint
    assert _finished(tmp_path) == 2


def test_a_requeued_task_goes_on_behind_what_failed(submission: Submission, tmp_path: Path) -> None:
    first, _ = submission.packs[0]
    record(first.runs, first.known_as, ("no",))
    assert do(submission, "heads", 0, lambda: False) == FAILED
    assert _finished(tmp_path) == 1


def test_a_cell_that_is_forced_runs_again_once_and_not_with_every_requeue(
    recipe: Path, command: Command, slurm: PretendedSlurm, tmp_path: Path
) -> None:
    command("sweep", recipe, "task=age")
    command("sweep", recipe, "task=age", "--on", "slurm", "--force")
    (metrics,) = tmp_path.glob(f"runs/*/{METRICS}")
    os.utime(metrics, (0, 0))  # finished long before it was submitted
    submission = read_submission(slurm.scripts[0].parent)
    do(submission, "heads", 0, lambda: False)
    forced = metrics.stat().st_mtime_ns
    assert forced > 0
    do(submission, "heads", 0, lambda: False)
    assert metrics.stat().st_mtime_ns == forced


def test_a_cell_that_another_process_drops_is_done_after_all(
    submission: Submission, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from raqa.sweeps.claim import claimed
    from raqa.sweeps.places import claims_folder

    first, _ = submission.packs[0]
    holding = claimed(claims_folder(first.runs), first.known_as)
    holding.__enter__()
    monkeypatch.setattr(share.time, "sleep", lambda _: holding.__exit__(None, None, None))
    assert do(submission, "heads", 0, lambda: False) == 0
    assert _finished(tmp_path) == 2


PROGRAM = """
    import sys, threading, time
    threading.Thread(target=threading.Event().wait, daemon=True).start()  # as libraries have
    from pathlib import Path
    from raqa.sweeps.slurm.interruption import Interruption

    folder = Path(sys.argv[1])
    interruption = Interruption(
        float(sys.argv[2]),
        requeues=2,
        leave=lambda: (folder / "left").touch(),
        failed=lambda why: (folder / "why").write_text(why),
    )
    (folder / "listens").touch()
    while not (interruption.asked() and sys.argv[3] == "obeys"):
        time.sleep(0.01)
    interruption.end()
"""


def _interrupted(
    folder: Path, sign: signal.Signals, obeys: str = "obeys", **environment: str
) -> int:
    """The exit status of a task that was sent a signal, with an `scontrol` that takes notes."""
    program = folder / "scontrol"
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder}/asked\n')
    program.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(folder), "0.3", obeys],
        env={"PATH": f"{folder}:/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path),
             "SLURM_ARRAY_JOB_ID": "17", "SLURM_ARRAY_TASK_ID": "4", "SLURM_JOB_ID": "17",
             **environment},
    )  # fmt: skip
    while not (folder / "listens").exists():
        assert process.poll() is None
    process.send_signal(sign)
    return process.wait(timeout=30)


@pytest.mark.parametrize("obeys", ["obeys", "is busy"])
def test_before_its_time_limit_a_task_is_requeued_once(obeys: str, tmp_path: Path) -> None:
    assert _interrupted(tmp_path, signal.SIGUSR2, obeys) == 0
    assert (tmp_path / "asked").read_text() == "requeue 17_4\n"
    assert (tmp_path / "left").exists()


def test_a_cancelled_task_is_not_requeued(tmp_path: Path) -> None:
    assert _interrupted(tmp_path, signal.SIGTERM) == CANCELLED
    assert not (tmp_path / "asked").exists()
    assert (tmp_path / "left").exists()


def test_a_task_is_not_requeued_for_ever(tmp_path: Path) -> None:
    assert _interrupted(tmp_path, signal.SIGUSR2, SLURM_RESTART_COUNT="2") == 1
    assert not (tmp_path / "asked").exists()
    assert "requeued 2 times already" in (tmp_path / "why").read_text()
