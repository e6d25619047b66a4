"""What a fit shows: one bar where a person looks, each epoch to the loggers, else silence."""

from __future__ import annotations

import io
import logging
import os
import warnings
from pathlib import Path

import polars as pl
import pytest
from pytorch_lightning.loggers import CSVLogger
from rich.console import Console

from raqa.heads.base import Head
from raqa.heads.constant import MedianHead
from raqa.heads.data import FitData
from raqa.heads.mlp import MLPHead
from raqa.training.fit import fit
from raqa.training.settings import TrainerSettings

SETTINGS = TrainerSettings(accelerator="cpu", learning_rate=0.01, max_epochs=3)


def test_loggers_hear_of_every_epoch(data: FitData, tmp_path: Path) -> None:
    logger = CSVLogger(tmp_path, name="curves", version="one")
    fitted = fit(MLPHead(), data, [0, 4], SETTINGS, loggers=[logger])
    logged = pl.read_csv(tmp_path / "curves" / "one" / "metrics.csv")
    means = fitted.history.group_by("epoch").mean().sort("epoch")
    assert logged["epoch"].to_list() == [1, 2, 3]
    names = {"train_loss": "train_loss", "validation_mae": "validation_error"}
    for name, column in names.items():
        assert logged[name].to_list() == pytest.approx(means[column].to_list())
    seed_4 = fitted.history.filter(seed=4)["validation_error"]
    assert logged["validation_mae/seed_4"].to_list() == pytest.approx(seed_4.to_list())
    assert logged["seeds_in_training"].to_list() == [2, 2, 2]


def test_loggers_hear_of_a_head_without_epochs(data: FitData, tmp_path: Path) -> None:
    logger = CSVLogger(tmp_path, name="curves", version="one")
    fitted = fit(MedianHead(), data, [0], SETTINGS, loggers=[logger])
    logger.save()
    logged = pl.read_csv(tmp_path / "curves" / "one" / "metrics.csv")
    error = fitted.history["validation_error"].item()
    assert logged["validation_mae"].item() == pytest.approx(error)


def test_the_error_of_classes_is_logged_under_its_own_name(
    class_data: FitData, tmp_path: Path
) -> None:
    logger = CSVLogger(tmp_path, name="curves", version="one")
    fitted = fit(MLPHead(), class_data, [0], SETTINGS, loggers=[logger])
    logged = pl.read_csv(tmp_path / "curves" / "one" / "metrics.csv")
    assert "validation_mae" not in logged.columns
    assert logged["validation_cross_entropy"].to_list() == pytest.approx(
        fitted.history["validation_error"].to_list()
    )


@pytest.mark.parametrize("head", [MLPHead(), MedianHead()], ids=["linear", "median"])
def test_it_is_silent_without_a_console(
    head: Head,
    data: FitData,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        fit(head, data, [0], SETTINGS)
    assert capfd.readouterr() == ("", "")
    assert caplog.messages == []


def test_a_login_node_where_srun_can_be_called_is_no_reason_to_warn(
    data: FitData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "srun").write_text("#!/bin/sh\n")
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        fit(MLPHead(), data, [0], SETTINGS)
    assert [str(one.message) for one in warned if "srun" in str(one.message)] == []


def test_lightnings_notices_come_back_afterwards(
    data: FitData, caplog: pytest.LogCaptureFixture
) -> None:
    fit(MLPHead(), data, [0], SETTINGS)
    with caplog.at_level(logging.INFO):
        logging.getLogger("pytorch_lightning.utilities.rank_zero").info("still heard")
    assert "still heard" in caplog.messages


def test_the_bar_tells_epochs_error_and_seeds_and_goes_away(data: FitData) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    fitted = fit(MLPHead(), data, [0, 1], SETTINGS, console=console)
    best = fitted.history.group_by("seed").min()["validation_error"].mean()
    last = shown.getvalue().rsplit("training ", maxsplit=2)
    assert "3/3" in shown.getvalue()
    assert f"best validation MAE {best:.3g}, 2 seed(s) in training" in shown.getvalue()
    assert last[-1].rstrip("\n").endswith("\x1b[2K")  # the line is wiped


def test_no_bar_is_written_into_a_file(data: FitData) -> None:
    shown = io.StringIO()
    fit(MLPHead(), data, [0], SETTINGS, console=Console(file=shown))
    assert shown.getvalue() == ""
