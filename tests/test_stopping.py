"""Signals: the run stops after the epoch, leaves a checkpoint, and the same command goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raqa.main import STOPPED, main
from raqa.reports.results import find_runs
from raqa.reports.run_tables import HISTORY, METRICS, PREDICTED
from raqa.training.checkpoint import Stopping

CHECKOUT = Path(__file__).parents[1]
SMALL = ("datamodule.corpus.subjects=40", "seeds=2")
BRIEF = (*SMALL, "trainer.max_epochs=5")
CROSS = (
    "regime=cross", "datamodule=demo_crowd_a", "datamodule@regime.target=demo_clinic",
    "regime.target.corpus.subjects=40",
)  # fmt: skip
Signalled = Callable[[int, signal.Signals], None]


@pytest.fixture
def signalled(monkeypatch: pytest.MonkeyPatch) -> Signalled:
    """Let a signal arrive once, while the epoch of this number (counting all fits) is trained."""

    def arrange(epoch: int, number: signal.Signals) -> None:
        epochs = iter(range(1, 1000))

        def hook(*_: Any) -> None:  # before the first batch
            if next(epochs) == epoch:
                os.kill(os.getpid(), number)

        monkeypatch.setattr(Stopping, "on_train_epoch_start", hook)

    return arrange


def _train(runs: Path, *overrides: str) -> int:
    """Run the training command; its exit status."""
    try:
        main([*overrides, f"paths.runs={runs}"])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def _content(runs: Path) -> dict[str, tuple[bytes, bytes, object]]:
    """Of every run its predictions, its history and its scores."""
    return {
        run.name: (
            (run / PREDICTED).read_bytes(),
            (run / HISTORY).read_bytes(),
            json.loads((run / METRICS).read_text())["scores"],
        )
        for run in runs.glob("demo*")
    }


def _checkpoints(runs: Path) -> list[str]:
    return sorted(path.name for path in runs.glob(".*.checkpoint/*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR2])
def test_a_signal_stops_it_after_the_epoch_and_the_same_command_goes_on(
    number: signal.Signals, signalled: Signalled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(number)
    signalled(3, number)
    assert _train(tmp_path / "runs", *BRIEF) == STOPPED
    said = capsys.readouterr()
    assert said.out == "Stopped after epoch 3. The same command goes on from there.\n"
    assert said.err == ""
    assert signal.getsignal(number) == before
    assert _checkpoints(tmp_path / "runs") == ["main.safetensors"]
    assert find_runs([tmp_path / "runs"]).finished == ()
    assert _train(tmp_path / "runs", *BRIEF) == 0
    assert "begins anew" not in capsys.readouterr().out
    assert list((tmp_path / "runs").glob(".*")) == []
    assert _train(tmp_path / "whole", *BRIEF) == 0
    assert _content(tmp_path / "runs") == _content(tmp_path / "whole") != {}


@pytest.mark.slow
@pytest.mark.parametrize(("epoch", "left"), [(5, ["main"]), (7, ["own"])])
def test_a_transferred_run_goes_on_with_the_head_it_was_stopped_in(
    epoch: int, left: list[str], signalled: Signalled, tmp_path: Path
) -> None:
    signalled(epoch, signal.SIGTERM)
    assert _train(tmp_path / "runs", *BRIEF, *CROSS) == STOPPED
    assert _checkpoints(tmp_path / "runs") == [f"{name}.safetensors" for name in left]
    assert _train(tmp_path / "runs", *BRIEF, *CROSS) == 0
    assert _train(tmp_path / "whole", *BRIEF, *CROSS) == 0
    assert _content(tmp_path / "runs") == _content(tmp_path / "whole") != {}


def test_before_training_it_stops_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def embed(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        pytest.fail("it went on")

    monkeypatch.setattr("raqa.run.embed_folds", embed)
    assert _train(tmp_path, *BRIEF) == STOPPED
    assert capsys.readouterr().out.startswith("Stopped before a first epoch was complete.")


def test_of_several_combinations_no_other_is_begun(signalled: Signalled, tmp_path: Path) -> None:
    signalled(2, signal.SIGTERM)
    assert _train(tmp_path, "-m", *BRIEF, "head=linear,mlp_small") == STOPPED
    assert _checkpoints(tmp_path) == ["main.safetensors"]
    assert list(tmp_path.glob("demo-*")) == []


LONG = (*SMALL, "trainer.max_epochs=1000", "trainer.patience=1000")
WRITING_ALWAYS = """
import sys
from raqa.training import checkpoint
checkpoint.EVERY_S, checkpoint.LARGEST_SHARE = 0.0, 1e9
from raqa.main import main
main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, STOPPED), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_real_process_is_stopped_or_killed_twice_and_ends_the_same(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    assert _train(tmp_path / "whole", *LONG) == 0
    runs, sizes = tmp_path / "runs", []
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITING_ALWAYS, *LONG, f"paths.runs={runs}"], cwd=CHECKOUT,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        _wait_for_another_checkpoint(runs, process)
        process.send_signal(number)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == status, said
        assert "begins anew" not in said
        sizes += [path.stat().st_size for path in runs.glob(".*.checkpoint/main.safetensors")]
    assert sizes == sorted(set(sizes))  # the history in it grows: each went on with the last
    subprocess.run(
        [sys.executable, "train.py", *LONG, f"paths.runs={runs}"], cwd=CHECKOUT, check=True,
        capture_output=True,
    )  # fmt: skip
    assert _content(runs) == _content(tmp_path / "whole") != {}
    assert list(runs.glob(".*")) == []


def _wait_for_another_checkpoint(runs: Path, process: subprocess.Popen[str]) -> None:
    """Wait until this process has written one, and a little longer."""
    begun = time.time()
    while process.poll() is None and time.time() < begun + 120:
        written = [path.stat().st_mtime for path in runs.glob(".*.checkpoint/main.safetensors")]
        if written and max(written) > begun:
            time.sleep(0.1)
            return
        time.sleep(0.01)
