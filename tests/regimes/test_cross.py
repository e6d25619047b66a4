"""The cross regime: nothing of the target but its test side is seen."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.corpora.cohort import Cohort
from raqa.corpora.demo import Demo
from raqa.errors import UserError
from raqa.regimes.base import Folds
from raqa.regimes.cross import Cross
from raqa.regimes.split import BySubject
from raqa.regimes.task import RegressionTask

SPLIT = BySubject(train=0.64, validation=0.16, test=0.2, seed=0)
AGE = RegressionTask("age")


def _sided(table: pl.DataFrame, corpus: str) -> Recordings:
    return SPLIT.apply(Recordings(corpus, table.with_columns(corpus=pl.lit(corpus))))


@pytest.fixture
def folds(maker) -> Folds:
    # The same subject_ids and recording_ids in both corpora, as two hospitals number theirs.
    return Cross().folds([_sided(maker(60), "clinic"), _sided(maker(100), "crowd")], AGE)


def _cross(root: Path, name: str) -> Cross:
    return Cross(target={"corpus": Demo(root, name=name), "cohort": Cohort()})


def test_training_and_validation_are_of_the_source_and_the_test_side_of_the_target(folds) -> None:
    corpora = folds.main.table.group_by("side").agg(pl.col("corpus").unique())
    assert dict(corpora.rows()) == {
        "train": ["clinic"], "validation": ["clinic"], "test": ["crowd"],
    }  # fmt: skip
    assert folds.main.name == "clinic to crowd"


def test_the_own_fold_is_of_the_target_alone_with_the_same_test_side(folds) -> None:
    assert set(folds.own.table["corpus"]) == {"crowd"}
    assert folds.own.side("test").equals(folds.main.side("test"))
    assert folds.own.side("train").height > 0


def test_equal_ids_of_two_corpora_are_different_subjects(folds) -> None:
    shared = set(folds.main.side("train")["subject_id"]) & set(
        folds.main.side("test")["subject_id"]
    )
    assert shared  # and yet nobody stands on two sides
    assert folds.main.torn.is_empty()


def test_unusable_audio_of_one_corpus_takes_nothing_from_the_other(folds) -> None:
    recording_id = folds.main.side("test")["recording_id"][0]
    smaller = folds.without({"crowd": [recording_id], "clinic": []})
    assert smaller.main.table.height == folds.main.table.height - 1
    assert smaller.own.table.height == folds.own.table.height - 1
    assert smaller.main.side("train").equals(folds.main.side("train"))


def test_a_source_without_a_test_side_will_do_a_target_without_one_will_not(maker) -> None:
    clinic, crowd = _sided(maker(60), "clinic"), _sided(maker(100), "crowd")
    without = {
        corpus.corpus: Recordings(corpus.corpus, corpus.table.filter(pl.col("side") != "test"))
        for corpus in (clinic, crowd)
    }
    assert Cross().folds([without["clinic"], crowd], AGE).main.side("test").height
    with pytest.raises(UserError, match="crowd: .* usable are train .* test 0"):
        Cross().folds([clinic, without["crowd"]], AGE)


def test_unknown_subjects_in_either_corpus_are_said_to_allow_leakage(maker) -> None:
    known, unknown = maker(60), maker(60, known=False)
    for source, target in ((known, unknown), (unknown, known)):
        main = Cross().folds([_sided(source, "clinic"), _sided(target, "crowd")], AGE).main
        assert "leakage is possible" in str(main.leakage)


def test_a_target_that_was_not_chosen_is_asked_for(tmp_path: Path) -> None:
    (problem,) = Cross().problems(Demo(tmp_path), AGE)
    assert "datamodule@regime.target=NAME" in problem


def test_a_corpus_is_not_its_own_target(tmp_path: Path) -> None:
    (problem,) = _cross(tmp_path, "demo").problems(Demo(tmp_path), AGE)
    assert "demo would be trained and tested on" in problem
    assert "regime=within" in problem


def test_a_label_that_only_one_corpus_has_is_refused_with_those_that_both_have(tmp_path) -> None:
    class Clinic(Demo):
        attributes = ("age", "bmi", "tb_probability")

    (problem,) = _cross(tmp_path, "crowd").problems(
        Clinic(tmp_path), RegressionTask("tb_probability")
    )
    assert "task=tb_probability: crowd has no such label" in problem
    assert "Labels that both have: age, bmi" in problem


def test_variants_are_told_apart_by_the_target(tmp_path: Path) -> None:
    assert _cross(tmp_path, "crowd").slug == "cross-to-crowd"
