"""A cohort: filters over recordings, counted at every step."""

from __future__ import annotations

import polars as pl
import pytest
from pydantic import ValidationError

from raqa.corpora.base import Recordings, Step
from raqa.corpora.cohort import Cohort, audio_present
from raqa.errors import UserError


@pytest.fixture
def recordings() -> Recordings:
    rows = 6
    return Recordings(
        "toy",
        pl.DataFrame(
            {
                "recording_id": [f"r{number}" for number in range(rows)],
                "corpus": ["toy"] * rows,
                "subject_id": ["a", "a", "b", "b", "c", "d"],
                "subject_known": [True] * rows,
                "path": ["x.wav"] * rows,
                "audio": [True, True, False, True, False, True],
                "start_s": [None] * rows,
                "end_s": [None] * rows,
                "modality": ["cough", "breath"] * 3,
                "split": ["train"] * 5 + [None],
                "age": [6.0, 7.0, 87.0, 88.0, None, 30.0],
                "quality": ["0", "1", "2", None, "1", "2"],
                "smoker": ["yes", "no", None, "no", "yes", "no"],
                "diagnosis": [["copd"], ["asthma", "copd"], ["asthma"], None, None, None],
            },
            schema_overrides={"start_s": pl.Float64, "end_s": pl.Float64},
        ),
    )


def kept(recordings: Recordings, **filters: object) -> list[str]:
    return Cohort(filters=filters).apply(recordings).table["recording_id"].to_list()  # type: ignore[arg-type]


def test_without_filters_everybody_takes_part(recordings: Recordings) -> None:
    cohort = Cohort().apply(recordings)
    assert cohort.steps == (Step("in the label tables", 6, 4),)
    assert cohort.table.height == 6


def test_one_of_several_labels_is_enough(recordings: Recordings) -> None:
    assert kept(recordings, diagnosis="copd") == ["r0", "r1"]
    assert kept(recordings, diagnosis=["asthma", "healthy"]) == ["r1", "r2"]
    with pytest.raises(UserError, match="lupus"):
        kept(recordings, diagnosis="lupus")


def test_a_range_includes_its_ends_and_no_missing_value(recordings: Recordings) -> None:
    assert kept(recordings, age={"min": 7, "max": 87}) == ["r1", "r2", "r5"]
    assert kept(recordings, age={"min": 87}) == ["r2", "r3"]
    assert kept(recordings, age={"max": 6}) == ["r0"]


def test_an_ordinal_range_follows_the_order_of_its_labels(recordings: Recordings) -> None:
    assert kept(recordings, quality={"min": 1}) == ["r1", "r2", "r4", "r5"]
    assert kept(recordings, quality={"max": "1"}) == ["r0", "r1", "r4"]


def test_one_value_or_several_may_be_allowed(recordings: Recordings) -> None:
    assert kept(recordings, modality="cough") == ["r0", "r2", "r4"]
    assert kept(recordings, quality=[1, 2]) == ["r1", "r2", "r4", "r5"]
    assert kept(recordings, age=[6, 30]) == ["r0", "r5"]


def test_an_unquoted_yes_in_yaml_is_the_label_yes(recordings: Recordings) -> None:
    assert kept(recordings, smoker=True) == ["r0", "r4"]


def test_null_switches_a_filter_off(recordings: Recordings) -> None:
    assert len(kept(recordings, age=None)) == 6


def test_every_step_says_what_was_asked_and_what_it_left(recordings: Recordings) -> None:
    cohort = Cohort(
        filters={"age": {"min": 7, "max": 87}, "quality": {"min": 1}, "modality": "cough"}
    )  # type: ignore[dict-item]
    steps = audio_present(cohort.apply(recordings)).steps
    assert steps == (
        Step("in the label tables", 6, 4),
        Step("age 7 to 87 year", 3, 3),
        Step("quality at least 1", 3, 3),
        Step("modality cough", 1, 1),
        Step("audio present", 0, 0),
    )


def test_audio_present_keeps_the_recordings_with_a_file(recordings: Recordings) -> None:
    present = audio_present(recordings)
    assert present.table["recording_id"].to_list() == ["r0", "r1", "r3", "r5"]
    assert present.steps == (Step("audio present", 4, 3),)


def test_unknown_columns_and_values_are_refused_together_with_neighbours(
    recordings: Recordings,
) -> None:
    with pytest.raises(UserError) as refusal:
        kept(recordings, agee={"min": 1}, modality="couhg", quality={"min": 7}, smoker={"min": 1})
    text = str(refusal.value)
    assert len(refusal.value.problems) == 4
    assert "Did you mean age?" in text
    assert "Did you mean cough?" in text
    assert "quality has no value '7'" in text
    assert "smoker has no order" in text


def test_a_label_that_nobody_has_is_not_a_misspelling(recordings: Recordings) -> None:
    assert kept(recordings, quality=["0"]) == ["r0"]
    none_left = Cohort(filters={"quality": "0", "age": {"min": 100}}).apply(recordings)  # type: ignore[dict-item]
    assert none_left.table.is_empty()


def test_text_is_no_bound_of_a_number(recordings: Recordings) -> None:
    with pytest.raises(UserError, match="age takes numbers"):
        kept(recordings, age={"min": "seven"})


@pytest.mark.parametrize("rule", [{}, {"min": 9, "max": 1}, {"minimum": 3}])
def test_a_range_needs_sensible_bounds(rule: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        Cohort(filters={"age": rule})  # type: ignore[dict-item]
