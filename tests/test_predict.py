"""`raqa predict`: numbers with an interval from held-back subjects, as a table and a file."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile

from raqa.main import USER_MISTAKE
from raqa.reports.calibration import CALIBRATION
from raqa.reports.run_folder import read_run

Command = Callable[..., str]
SMALL = (
    "datamodule.corpus.subjects=100", "datamodule.corpus.clips_per_subject=1",
    "trainer.max_epochs=2", "seeds=2", "head=linear",
    "split=by_subject", "split.train=0.3", "split.validation=0.5", "split.test=0.2",
)  # fmt: skip


@pytest.fixture
def train(raqa: Command, tmp_path: Path) -> Callable[..., Path]:
    """Train a small run and name its folder."""

    def call(name: str, *overrides: str) -> Path:
        raqa("train", *SMALL, *overrides, f"paths.runs={tmp_path / name}")
        (folder,) = (tmp_path / name).glob("demo-*")
        return folder

    return call


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.wav"
    soundfile.write(path, np.random.default_rng(0).normal(0, 0.1, 16_000), 16_000)
    return path


def test_numbers_have_an_interval_from_the_subjects_held_back(raqa, train, sound, tmp_path):
    folder, table = train("held", "trainer.calibration=0.5"), tmp_path / "out.csv"
    shown = raqa(
        "predict", str(folder), str(sound), str(tmp_path / "none.wav"), "--csv", str(table)
    )
    held_back = pl.read_parquet(folder / CALIBRATION)
    count = held_back["subject_id"].n_unique()
    assert count >= 20
    assert f"from {count} held-back subjects of demo. It covered" in shown
    assert "It is void for recordings of any other corpus than demo." in shown
    rows = pl.read_csv(table)
    assert rows["file"].to_list() == [str(sound), str(tmp_path / "none.wav")]
    assert rows["reason"].to_list() == [None, "there is no audio file"]
    (low, prediction, high) = rows.select("low", "prediction", "high").row(0)
    assert prediction - low == pytest.approx(high - prediction)
    errors = held_back.group_by("recording_id").agg(
        error=(pl.col("prediction").mean() - pl.col("truth").first()).abs()
    )
    rank = math.ceil((count + 1) * 0.9)
    assert high - prediction == pytest.approx(errors["error"].sort()[rank - 1])


def test_held_back_subjects_change_the_selection_and_are_on_no_other_side(train):
    folder = train("held", "trainer.calibration=0.5")
    run, held_back = read_run(folder), pl.read_parquet(folder / CALIBRATION)
    validation = run.fold.filter(pl.col("side") == "validation")
    assert set(held_back["recording_id"]) < set(validation["recording_id"])
    assert read_run(train("plain")).path.name != folder.name
    other = pl.read_csv(train("plain") / "history.csv")
    assert not pl.read_csv(folder / "history.csv").equals(other)


def test_a_run_that_held_nothing_back_says_why_there_is_no_interval(raqa, train, sound, tmp_path):
    folder, table = train("plain"), tmp_path / "out.csv"
    shown = raqa("predict", str(folder), str(sound), "--csv", str(table))
    assert "No 90 % interval: this run held no validation subjects back" in shown
    assert pl.read_csv(table)["low"].to_list() == [None]


def test_too_few_held_back_subjects_are_refused(raqa, train, sound):
    shown = raqa("predict", str(train("few", "trainer.calibration=0.2")), str(sound))
    assert "No 90 % interval: 9 subject(s) were held back; at least 20 are needed." in shown


def test_classes_hold_nothing_back_and_have_a_probability(raqa, train, sound, tmp_path):
    folder, table = train("sex", "task=sex", "trainer.calibration=0.5"), tmp_path / "out.csv"
    raqa("predict", str(folder), str(sound), "--csv", str(table))
    assert not (folder / CALIBRATION).exists()
    assert pl.read_csv(table).columns == [
        "file", "prediction", "probability", "sd_over_seeds", "reason"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("option", "said"),
    [(("--level", "90"), "a share between 0 and 1"), (("--csv", "/no/such/out.csv"), "no folder")],
)
def test_what_can_not_be_done_is_said_before_anything_is(raqa, tmp_path, option, said):
    assert said in raqa("predict", str(tmp_path), "a.wav", *option, status=USER_MISTAKE)
