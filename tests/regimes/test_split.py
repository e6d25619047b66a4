"""Splits: by subject, as published, from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.regimes.split import Auto, BySubject, FromFile, Official, OfficialAsIs, write_split

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


def test_labels_are_spread_over_the_sides_like_ages(maker) -> None:
    label = pl.when(pl.col("subject_id") < "s0030").then(pl.lit("yes")).otherwise(pl.lit("no"))
    table = maker(300, 1).with_columns(asthma=label)
    split = BySubject(train=0.7, validation=0.15, test=0.15, seed=0, stratify=("asthma", "age"))
    rare = split.assign(table).filter(pl.col("asthma") == "yes")["side"].value_counts()
    assert dict(rare.iter_rows()) == pytest.approx(
        {"train": 21, "validation": 4.5, "test": 4.5}, abs=1
    )


def test_a_subject_counts_by_its_most_frequent_label_several_labels_as_one(maker) -> None:
    often = (
        pl.when(pl.col("recording_id").str.ends_with("_0"))
        .then(["copd"])
        .otherwise(
            pl.when(pl.col("subject_id") < "s0050").then(["asthma", "copd"]).otherwise(["asthma"])
        )
    )
    table = maker(100, 3).with_columns(diagnosis=often)
    split = BySubject(train=0.7, validation=0.15, test=0.15, seed=0, stratify=("diagnosis",))
    sided = split.assign(table).filter(pl.col("subject_id") < "s0050").unique("subject_id")
    assert dict(sided["side"].value_counts().iter_rows()) == pytest.approx(
        {"train": 35, "validation": 7.5, "test": 7.5}, abs=1
    )


def test_attributes_that_the_corpus_lacks_are_passed_over_unknown_ones_refused(
    table: pl.DataFrame,
) -> None:
    split = BySubject(train=0.6, validation=0.2, test=0.2, seed=0, stratify=("murmur", "age"))
    only = BySubject(train=0.6, validation=0.2, test=0.2, seed=0, stratify=("age",))
    assert _sides(split.assign(table)) == _sides(only.assign(table))
    with pytest.raises(ValidationError, match="'murmurs'"):
        BySubject(train=0.6, validation=0.2, test=0.2, seed=0, stratify=("murmurs",))


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


def test_a_validation_side_comes_out_of_training_subjects_where_none_is_published(
    table: pl.DataFrame,
) -> None:
    test = pl.col("subject_id") < "s0020"
    side = pl.when(test).then(pl.lit("test")).otherwise(pl.lit("train"))
    published = Recordings("made", table.with_columns(split=side))
    for split in (Official(validation=0.25), OfficialAsIs(validation=0.25),
                  Auto(otherwise=SPLIT, official=Official(validation=0.25))):  # fmt: skip
        subjects = split.apply(published).table.group_by("subject_id").agg(pl.col("side").unique())
        assert subjects["side"].list.len().max() == 1
        counts = dict(subjects["side"].list.first().value_counts().rows())
        assert counts == {"test": 20, "train": 60, "validation": 20}
    other = Official(validation=0.25, seed=1).apply(published).table
    assert _sides(other) != _sides(Official(validation=0.25).apply(published).table)


def test_a_published_validation_side_is_left_alone(table: pl.DataFrame) -> None:
    sided = Official().apply(_published(table)).table
    assert set(sided.filter(pl.col("side") == "validation")["split"]) == {"validation"}


def test_official_without_an_official_split_says_what_to_use(table: pl.DataFrame) -> None:
    with pytest.raises(UserError, match="made states no split of its own.*split=by_subject"):
        Official().assign(table)


def _published(table: pl.DataFrame) -> Recordings:
    """A published split that puts three subjects on two sides and one on all of them."""
    first = pl.col("recording_id").str.ends_with("_0")
    side = (
        pl.when(pl.col("subject_id").is_in(["s0001", "s0002"]))
        .then(pl.when(first).then(pl.lit("train")).otherwise(pl.lit("test")))
        .when(pl.col("subject_id") == "s0003")
        .then(pl.when(first).then(pl.lit("validation")).otherwise(pl.lit("train")))
        .when(pl.col("subject_id") < "s0020")
        .then(pl.lit("test"))
        .when(pl.col("subject_id") < "s0030")
        .then(pl.lit("validation"))
        .otherwise(pl.lit("train"))
    )
    return Recordings("made", table.with_columns(split=side))


def test_subjects_on_two_sides_of_an_official_split_leave_training(table: pl.DataFrame) -> None:
    sided = Official().apply(_published(table))
    sides = _sides(sided.table)
    assert sides["s0001_0"] is None
    assert sides["s0001_1"] == "test"
    assert (sides["s0003_0"], sides["s0003_1"]) == ("validation", None)
    known = sided.table.drop_nulls("side")
    assert known.group_by("subject_id").agg(pl.col("side").n_unique())["side"].max() == 1


def test_recordings_that_leave_training_are_counted_with_the_reason(table: pl.DataFrame) -> None:
    aside = Official().apply(_published(table)).set_aside
    assert aside["item"].sort().to_list() == ["s0001_0", "s0002_0", "s0003_1"]
    assert set(aside["stage"]) == {"split"}
    assert aside.filter(item="s0001_0")["reason"].item() == (
        "its subject is on the test side too, so it left the train side"
    )


def test_a_subject_on_all_three_sides_stays_on_the_test_side_only(maker) -> None:
    table = maker(10, 3).with_columns(
        split=pl.col("recording_id").str.tail(1).replace_strict(
            {"0": "train", "1": "validation", "2": "test"}
        )
    )  # fmt: skip
    sided = Official().apply(Recordings("made", table))
    assert set(sided.table.drop_nulls("side")["side"]) == {"test"}
    assert sided.set_aside.height == 20


def test_equal_ids_of_two_corpora_are_two_subjects(maker) -> None:
    one = maker(10, 1).with_columns(split=pl.lit("train"))
    other = one.with_columns(
        corpus=pl.lit("another"),
        split=pl.lit("test"),
        recording_id="another" + pl.col("recording_id"),
    )
    assert Official().apply(Recordings("both", pl.concat([one, other]))).set_aside.is_empty()


def test_a_split_kept_as_published_moves_nobody_and_says_that_it_leaks(table) -> None:
    published = _published(table)
    sided = OfficialAsIs().apply(published)
    assert sided.table["side"].equals(published.table["split"])
    assert sided.set_aside.is_empty()
    assert OfficialAsIs.leaking
    assert not Official.leaking


def test_a_split_without_overlap_sets_nothing_aside(table: pl.DataFrame) -> None:
    sided = SPLIT.apply(Recordings("made", table))
    assert sided.table.equals(SPLIT.assign(table))
    assert sided.set_aside.is_empty()


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
        ("", "can not be read as a CSV"),
        ("corpus,subject_id,side\nmade,s1,train,and,more\n", "can not be read as a CSV"),
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
