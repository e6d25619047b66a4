"""A run that a signal stopped is one run in Weights & Biases, with every epoch once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from raqa.main import STOPPED, main
from raqa.training.callbacks import SeedSelection

from .wandb_log import read_offline


def test_curves_go_on_under_the_same_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = SeedSelection.on_validation_end

    def hook(selection: SeedSelection, trainer, module) -> None:
        real(selection, trainer, module)
        if trainer.current_epoch == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    command = [
        "datamodule.corpus.subjects=40", "trainer.max_epochs=5", "seeds=2", "logger=wandb_offline",
        f"paths.runs={tmp_path}",
    ]  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(SeedSelection, "on_validation_end", hook)
        with pytest.raises(SystemExit) as stopped:
            main(command)
    assert stopped.value.code == STOPPED
    time.sleep(1.1)  # offline folders are named by the second; a quick machine would use one twice
    main(command)
    first, second = (
        read_offline(folder) for folder in sorted((tmp_path / "wandb").glob("offline-run-*"))
    )
    assert first["id"] == second["id"]
    assert (first["exit"], second["exit"]) == (1, 0)
    epochs = [
        [row["epoch"] for row in part["history"] if "validation_mae" in row]
        for part in (first, second)
    ]
    assert epochs == [[], [1, 2, 3, 4, 5]]  # offline the attempt that ends has them all
