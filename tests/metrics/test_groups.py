import polars as pl
import pytest

from raqa.metrics.groups import errors_by_group


def test_errors_are_averaged_within_age_groups_of_the_label_itself(predictions, fold):
    child, young, adult = errors_by_group(predictions, fold, "age")
    assert (child.attribute, child.group, young.group) == ("age", "under 18", "18–29")
    assert adult.group == "30–44"
    assert child.mae.value == pytest.approx(1.5)  # recording r5: errors 1 and 2
    assert child.bias.value == pytest.approx(-0.5)  # 11 - 10 and 8 - 10
    assert child.median_mae.value == pytest.approx(10.0)
    assert (child.recordings, child.subjects) == (1, 1)
    assert child.interval.low.reason == "1 subject(s) have no interval"


def test_age_and_sex_columns_group_other_targets_and_unknown_is_a_group(predictions, fold):
    fold = fold.with_columns(
        age=pl.Series([None] * 4 + [18.0, 18.0, None], dtype=pl.Float64),
        sex=pl.Series([None] * 4 + ["female", "female", "male"]),
    )
    groups = errors_by_group(predictions, fold, "bmi")
    assert [(group.attribute, group.group, group.recordings) for group in groups] == [
        ("age", "18–29", 2),
        ("age", "unknown", 1),
        ("sex", "female", 2),
        ("sex", "male", 1),
    ]


def test_a_group_of_one_subject_keeps_its_recordings_together(predictions, fold):
    fold = fold.with_columns(sex=pl.lit("female"))
    (group,) = errors_by_group(predictions, fold, "bmi")
    assert (group.recordings, group.subjects) == (3, 2)
    assert group.interval.low.value == pytest.approx(2.25)
    assert group.interval.high.value == pytest.approx(4.5)


def test_nothing_known_is_no_group(predictions, fold):
    assert errors_by_group(predictions, fold, "bmi") == ()
