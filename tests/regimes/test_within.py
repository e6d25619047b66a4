"""The within regime, and the fold that it hands on."""

from __future__ import annotations

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.regimes.fold import Fold
from raqa.regimes.split import BySubject
from raqa.regimes.task import RegressionTask
from raqa.regimes.within import Within

SPLIT = BySubject(train=0.64, validation=0.16, test=0.2, seed=0)


def _fold(table: pl.DataFrame, target: str = "age") -> Fold:
    sided = Recordings("made", SPLIT.assign(table))
    return Within().folds([sided], RegressionTask(target)).main


def test_all_targets_share_one_split(table: pl.DataFrame) -> None:
    age, bmi = _fold(table), _fold(table, "bmi")
    sides = dict(age.table.select("recording_id", "side").iter_rows())
    assert 0 < bmi.table.height < age.table.height
    assert all(sides[key] == side for key, side in bmi.table.select("recording_id", "side").rows())


def test_recordings_without_the_label_are_in_no_side(table: pl.DataFrame) -> None:
    assert _fold(table, "bmi").table.height == table["bmi"].count()


def test_recordings_without_audio_are_in_no_side(table: pl.DataFrame) -> None:
    half = table.with_columns(audio=pl.col("recording_id").str.ends_with("_0"))
    assert _fold(half).table.height == table.height // 2


def test_too_little_audio_is_refused_with_counts(table: pl.DataFrame) -> None:
    one = table.with_columns(audio=pl.col("recording_id") == "s0001_0")
    with pytest.raises(UserError, match="1 of 200 recordings present"):
        _fold(one)


def test_unknown_subjects_are_said_to_allow_leakage(maker) -> None:
    assert _fold(maker(known=True)).leakage is None
    assert "leakage is possible" in str(_fold(maker(known=False)).leakage)


def test_a_subject_on_two_sides_is_refused_by_name(table: pl.DataFrame) -> None:
    fold = _fold(table).table
    torn = fold.with_columns(
        side=pl.when(pl.col("recording_id") == "s0003_1").then(pl.lit("test"))
        .when(pl.col("recording_id") == "s0003_0").then(pl.lit("train"))
        .otherwise("side")
    )  # fmt: skip
    with pytest.raises(UserError, match=r"1 subject\(s\).*s0003 of made \(test and train\)"):
        Fold("within", "age", torn)


def test_a_fold_without_some_recordings_keeps_the_others(table: pl.DataFrame) -> None:
    fold = _fold(table)
    smaller = fold.without({"made": ["s0003_0"], "another": ["s0003_1"]})
    assert smaller.table.height == fold.table.height - 1
    assert "s0003_0" not in smaller.table["recording_id"]


def test_a_task_must_be_a_numeric_attribute() -> None:
    with pytest.raises(ValueError, match="'agee' is no numeric attribute. Did you mean age"):
        RegressionTask("agee")
    with pytest.raises(ValueError, match="'sex' is no numeric attribute"):
        RegressionTask("sex")
