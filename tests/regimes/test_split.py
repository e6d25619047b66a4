"""Splits: by subject, as published, from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from raqa.errors import UserError
from raqa.regimes.split import Auto, BySubject, FromFile, Official, write_split

SPLIT = BySubject(train=0.64, validation=0.16, test=0.2, seed=0)


def _sides(table: pl.DataFrame) -> dict[str, str]:
    return dict(table.select("recording_id", "side").iter_rows())


def test_no_subject_is_on_two_sides_and_everyone_is_on_one(table: pl.DataFrame) -> None:
    sided = SPLIT.assign(table)
    assert sided["side"].null_count() == 0
    assert sided.group_by("subject_id").agg(pl.col("side").n_unique())["side"].max() == 1


@pytest.mark.parametrize("subjects", [25, 100, 1049, 2560])
def test_sides_have_the_fractions_asked_for(maker, subjects: int) -> None:
    counts = SPLIT.assign(maker(subjects, 1))["side"].value_counts()
    for side, count in counts.iter_rows():
        wanted = {"train": 0.64, "validation": 0.16, "test": 0.2}[side] * subjects
        assert abs(count - wanted) <= 1


def test_every_age_quintile_has_the_same_share_of_each_side(maker) -> None:
    sided = SPLIT.assign(maker(1000, 1))
    quintile = ((pl.col("age").rank() - 1) * 5 // pl.len()).alias("quintile")
    shares = (
        sided.with_columns(quintile).group_by("quintile").agg((pl.col("side") == "test").mean())
    )
    assert shares["side"].to_numpy() == pytest.approx(np.full(5, 0.2), abs=0.02)


def test_row_order_and_training_seeds_do_not_move_the_split(table: pl.DataFrame) -> None:
    np.random.seed(7)  # noqa: NPY002 - the point is that the global generator is not used
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=3)
    assert _sides(SPLIT.assign(table)) == _sides(SPLIT.assign(shuffled))


def test_absent_audio_does_not_move_the_split(table: pl.DataFrame) -> None:
    absent = table.with_columns(audio=pl.col("subject_id") < "s0010")
    assert _sides(SPLIT.assign(table)) == _sides(SPLIT.assign(absent))


def test_another_split_seed_is_another_split(table: pl.DataFrame) -> None:
    other = BySubject(train=0.64, validation=0.16, test=0.2, seed=1)
    assert _sides(SPLIT.assign(table)) != _sides(other.assign(table))


def test_subjects_without_age_are_spread_over_all_sides(maker) -> None:
    table = maker(300, 1).with_columns(
        age=pl.when(pl.col("subject_id") < "s0100").then(None).otherwise("age")
    )
    without = SPLIT.assign(table).filter(pl.col("age").is_null())["side"].value_counts()
    assert dict(without.iter_rows()) == pytest.approx(
        {"train": 64, "validation": 16, "test": 20}, abs=1
    )


def test_a_corpus_without_any_age_can_be_split(table: pl.DataFrame) -> None:
    assert SPLIT.assign(table.drop("age"))["side"].null_count() == 0


def test_groups_stay_together(table: pl.DataFrame) -> None:
    grouped = table.with_columns(
        subject_id=pl.col("recording_id"), upload_group=pl.col("subject_id")
    )
    split = BySubject(train=0.64, validation=0.16, test=0.2, seed=0, group_column="upload_group")
    sided = split.assign(grouped)
    assert sided.group_by("upload_group").agg(pl.col("side").n_unique())["side"].max() == 1


def test_a_group_column_that_the_corpus_lacks_is_named(table: pl.DataFrame) -> None:
    split = BySubject(train=0.64, validation=0.16, test=0.2, seed=0, group_column="upload_group")
    with pytest.raises(UserError, match="made has no column 'upload_group'"):
        split.assign(table)


def test_fractions_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValidationError, match=r"add up to 0\.9, not 1"):
        BySubject(train=0.5, validation=0.2, test=0.2, seed=0)


def test_official_takes_the_corpus_split_and_auto_prefers_it(table: pl.DataFrame) -> None:
    published = table.with_columns(split=pl.lit("test"))
    assert set(Official().assign(published)["side"]) == {"test"}
    assert set(Auto(otherwise=SPLIT).assign(published)["side"]) == {"test"}
    assert _sides(Auto(otherwise=SPLIT).assign(table)) == _sides(SPLIT.assign(table))


def test_official_without_an_official_split_says_what_to_use(table: pl.DataFrame) -> None:
    with pytest.raises(UserError, match="made states no split.*split=by_subject"):
        Official().assign(table)


def test_a_written_split_reads_back_the_same(table: pl.DataFrame, tmp_path: Path) -> None:
    sided = SPLIT.assign(table)
    path = write_split(sided, tmp_path)
    assert write_split(sided, tmp_path) == path
    assert _sides(FromFile(file=path).assign(table)) == _sides(sided)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpus,subject\nmade,s0001\n", "has no column subject_id, side"),
        ("corpus,subject_id,side\nmade,s0001,trian\n", "'trian'.*Did you mean train"),
        ("corpus,subject_id,side\nmade,s1,train\nmade,s1,test\n", "subject s1 stands on two sides"),
    ],
)
def test_a_wrong_split_file_is_refused(table, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "split.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        FromFile(file=path).assign(table)


def test_a_split_file_that_is_not_there_or_not_given_is_named(table, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"split\.file=PATH"):
        FromFile(file=None).assign(table)
    with pytest.raises(UserError, match="there is no file"):
        FromFile(file=tmp_path / "none.csv").assign(table)
