"""Validation subjects that are held back neither select nor depend on anything but their names."""

from __future__ import annotations

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.regimes.calibration import held_back, selecting
from raqa.regimes.fold import Fold
from raqa.regimes.split import BySubject
from raqa.regimes.task import RegressionTask
from raqa.regimes.within import Within

SPLIT = BySubject(train=0.5, validation=0.3, test=0.2, seed=0)


@pytest.fixture
def fold(table: pl.DataFrame) -> Fold:
    sided = Recordings("made", SPLIT.assign(table))
    return Within().folds([sided], RegressionTask("age")).main


def test_half_of_the_validation_subjects_are_held_back_whole(fold: Fold) -> None:
    away, left = held_back(fold, 0.5), selecting(fold, 0.5)
    subjects = fold.side("validation")["subject_id"].n_unique()
    assert away["subject_id"].n_unique() == subjects // 2
    assert set(away["subject_id"]).isdisjoint(left["subject_id"])
    both = pl.concat([away, left]).sort("recording_id")
    assert both.equals(fold.side("validation").sort("recording_id"))


def test_nothing_is_held_back_unless_it_is_asked_for(fold: Fold) -> None:
    assert held_back(fold, 0.0).is_empty()
    assert selecting(fold, 0.0).equals(fold.side("validation"))


def test_a_smaller_share_holds_back_some_of_the_same_subjects(fold: Fold) -> None:
    few, many = (set(held_back(fold, share)["subject_id"]) for share in (0.2, 0.5))
    assert few < many


def test_the_order_of_recordings_does_not_matter(fold: Fold) -> None:
    turned = Fold("within", "age", fold.table.reverse())
    assert set(held_back(turned, 0.4)["recording_id"]) == set(held_back(fold, 0.4)["recording_id"])
