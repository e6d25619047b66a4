"""The low-N regime: nested subsets of training subjects, everything else whole."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from pydantic import ValidationError

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.regimes.fold import Fold
from raqa.regimes.low_n import LowN
from raqa.regimes.split import BySubject
from raqa.regimes.task import RegressionTask
from raqa.regimes.within import Within

SPLIT = BySubject(train=0.64, validation=0.16, test=0.2, seed=0)
AGE = RegressionTask("age")


@pytest.fixture
def sided(maker) -> Recordings:
    return SPLIT.apply(Recordings("made", maker(200)))


def _fold(sided: Recordings, size, draw: int = 0, *, equal_updates: bool = False) -> Fold:
    regime = LowN(size=size, subset_seed=draw, equal_updates=equal_updates)
    return regime.folds([sided], AGE).main


def _training(fold: Fold) -> set[str]:
    return set(fold.side("train")["subject_id"])


def test_so_many_training_subjects_stay_with_all_their_recordings(sided: Recordings) -> None:
    train = _fold(sided, 50).side("train")
    assert train["subject_id"].n_unique() == 50
    assert train.height == 100


def test_larger_subsets_of_a_draw_contain_its_smaller_ones(sided: Recordings) -> None:
    sizes = [_training(_fold(sided, size)) for size in (10, 50, 100, "all")]
    assert all(smaller < larger for smaller, larger in pairwise(sizes))


def test_validation_and_test_stay_whole(sided: Recordings) -> None:
    whole = Within().folds([sided], AGE).main
    for side in ("validation", "test"):
        assert _fold(sided, 10).side(side).equals(whole.side(side))


def test_another_draw_has_other_subjects_and_the_same_draw_the_same(sided: Recordings) -> None:
    assert _training(_fold(sided, 50)) == _training(_fold(sided, 50))
    assert _training(_fold(sided, 50)) != _training(_fold(sided, 50, draw=1))


def test_the_order_of_the_label_table_does_not_move_the_draw(sided: Recordings) -> None:
    shuffled = Recordings("made", sided.table.sample(fraction=1.0, shuffle=True, seed=1))
    assert _training(_fold(sided, 50)) == _training(_fold(shuffled, 50))


def test_all_is_the_whole_training_side(sided: Recordings) -> None:
    assert _fold(sided, "all").table.equals(Within().folds([sided], AGE).main.table)


def test_subjects_without_the_label_are_not_drawn(sided: Recordings) -> None:
    regime = LowN(size=50, subset_seed=0, equal_updates=False)
    fold = regime.folds([sided], RegressionTask("bmi")).main
    assert fold.side("train")["subject_id"].n_unique() == 50


def test_equal_updates_count_an_epoch_by_the_whole_training_side(sided: Recordings) -> None:
    whole = Within().folds([sided], AGE).main.side("train").height
    assert _fold(sided, 10).epoch_recordings is None
    assert _fold(sided, 10, equal_updates=True).epoch_recordings == whole


def test_more_subjects_than_there_are_is_refused_with_how_many_there_are(sided) -> None:
    with pytest.raises(UserError, match=r"size=500: made has 12\d training subjects.*size=all"):
        _fold(sided, 500)


@pytest.mark.parametrize("size", [0, -1, "some", 2.5])
def test_other_sizes_are_refused(size: object) -> None:
    with pytest.raises(ValidationError, match="size"):
        LowN(size=size, subset_seed=0, equal_updates=False)


def test_variants_are_told_apart_in_the_folder_name_and_in_results() -> None:
    regime = LowN(size=50, subset_seed=2, equal_updates=True)
    assert regime.slug == "low_n-50-draw_2-equal_updates"
    assert regime.settings() == {"size": 50, "subset_seed": 2, "equal_updates": True}


def test_a_subset_leaves_no_subject_on_two_sides(sided: Recordings) -> None:
    table = _fold(sided, 50).table
    assert table.group_by("subject_id").agg(pl.col("side").n_unique())["side"].max() == 1
