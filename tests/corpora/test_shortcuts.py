"""Labels that follow the file format are found; those that do not, are not."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from raqa.corpora.shortcuts import ALIKE, CRAMERS_V, RANK_ETA, SHORTCUTS, find_shortcuts, notable


def recordings(count: int = 120, subjects: int | None = None, **columns: object) -> pl.DataFrame:
    """As many usable files of one format, of a subject each unless said otherwise."""
    people = [f"s{place % (subjects or count)}" for place in range(count)]
    given: dict[str, object] = {
        "subject_id": people, "subject_known": [True] * count,
        "content": [f"c{place}" for place in range(count)], "rate": [8000] * count,
        "channels": [1] * count, "codec": ["WAV PCM_16"] * count,
        "bytes_per_second": [16000.0] * count, "seconds": [2.0] * count,
    }  # fmt: skip
    return pl.DataFrame({**given, **columns})


def found(table: pl.DataFrame, attribute: str, title: str) -> dict[str, object]:
    rows = find_shortcuts(table)
    assert rows.columns == list(SHORTCUTS)
    test = (pl.col("attribute") == attribute) & pl.col("property").str.contains(title)
    return rows.row(by_predicate=test, named=True)


def test_a_label_that_is_the_format_has_full_strength() -> None:
    calls = [place % 2 == 0 for place in range(120)]
    one = found(
        recordings(
            rate=[8000 if call else 48000 for call in calls],
            covid_status=["positive" if call else "negative" for call in calls],
        ),
        "covid_status",
        "sample rate",
    )
    assert one["measure"] == CRAMERS_V
    assert one["strength"] == pytest.approx(1, abs=0.01)
    assert (one["by_format"], one["by_constant"], one["score"]) == (1, 0.5, "accuracy")
    assert one["counts"] == "8,000 Hz: positive 60; 48,000 Hz: negative 60"


def test_a_label_that_ignores_the_format_is_not_notable() -> None:
    draw = np.random.default_rng(1)
    table = recordings(
        rate=draw.choice([8000, 48000], 120), sex=draw.choice(["female", "male"], 120),
        seconds=draw.uniform(1, 9, 120), age=draw.uniform(20, 80, 120),
    )  # fmt: skip
    rows = find_shortcuts(table)
    assert rows["p_value"].is_not_nan().sum() == 4
    assert notable(rows).is_empty()


def test_many_labels_over_many_formats_are_no_strength_by_themselves() -> None:
    draw = np.random.default_rng(3)
    strengths = [
        found(
            recordings(
                60,
                codec=draw.choice(list("abcdefgh"), 60),
                country=draw.choice(list("stuvwxyz"), 60),
            ),
            "country",
            "codec",
        )["strength"]
        for _ in range(5)
    ]
    assert np.mean(strengths) < 0.1  # without the correction for bias it is over 0.3


def test_a_number_is_compared_by_its_ranks_and_its_median() -> None:
    seconds = [1.0 + place % 40 for place in range(120)]
    one = found(
        recordings(seconds=seconds, age=[20 + second for second in seconds]), "age", "duration"
    )
    assert one["measure"] == RANK_ETA
    assert one["strength"] == pytest.approx(0.97, abs=0.02)
    assert one["score"] == "MAE in year"
    assert one["by_format"] == pytest.approx(2.5, abs=0.2)  # of ten years in each quarter
    assert one["by_constant"] == pytest.approx(10)
    assert str(one["counts"]).startswith("up to 11 s: median 26 of 33; 11 to 21 s: median 36.5")


def test_many_recordings_of_few_subjects_count_as_few() -> None:
    table = recordings(
        subjects=8, rate=[8000 if place % 8 < 2 else 48000 for place in range(120)],
        sex=["male" if place % 8 < 2 else "female" for place in range(120)],
    )  # fmt: skip
    one = found(table, "sex", "sample rate")
    assert (one["recordings"], one["subjects"]) == (120, 8)
    assert float(str(one["p_value"])) > 0.02  # 1 of the 28 ways to choose two of eight
    each = found(table.with_columns(subject_id="content"), "sex", "sample rate")
    assert float(str(each["p_value"])) < 1e-10


def test_equal_files_count_once_where_subjects_are_unknown() -> None:
    table = recordings(rate=[8000, 48000] * 60, sex=["male", "female"] * 60)
    anonymous = table.with_columns(
        subject_known=False, content=pl.Series([f"c{place % 10}" for place in range(120)])
    )
    assert found(anonymous, "sex", "sample rate")["subjects"] == 10


def test_properties_that_part_the_recordings_alike_are_one_test() -> None:
    table = recordings(
        rate=[8000, 48000] * 60, channels=[2, 1] * 60, sex=["male"] * 59 + ["female"] * 61
    )
    titles = find_shortcuts(table)["property"].to_list()
    assert sorted(titles) == ["codec + bytes per second + duration", "sample rate + channels"]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [({"sex": ["male", "female"] * 60}, ALIKE),
     ({"sex": ["male"] * 120, "rate": [8000, 48000] * 60}, "everybody has the same label"),
     ({"sex": ["male", "female", None] * 2 + [None] * 114, "rate": [8000, 48000] * 60},
      "only 4 subjects have both; 8 are needed"),
     ({"age": [20.0 + place for place in range(120)], "codec": [f"k{n}" for n in range(120)]},
      "no two subjects have it in common")],
)  # fmt: skip
def test_what_can_not_be_told_has_a_reason(columns: dict[str, object], reason: str) -> None:
    rows = find_shortcuts(recordings(**columns)).filter(reason=reason)
    assert rows.height > 0
    assert rows["strength"].is_nan().all()
    assert notable(rows).is_empty()


def test_labels_come_before_the_recording_s_own_context() -> None:
    calls = [place % 2 == 0 for place in range(120)]
    table = recordings(
        rate=[8000 if call else 48000 for call in calls],
        source=["call" if call else "message" for call in calls],
        sex=["male" if call or place % 10 == 1 else "female" for place, call in enumerate(calls)],
    )
    assert notable(find_shortcuts(table))["attribute"].to_list() == ["sex", "source"]


def test_several_labels_are_taken_together() -> None:
    labels = [["asthma"], ["asthma", "copd"]] * 60
    one = found(recordings(rate=[8000, 48000] * 60, diagnosis=labels), "diagnosis", "sample rate")
    assert one["counts"] == "8,000 Hz: asthma 60; 48,000 Hz: asthma + copd 60"


def test_nothing_is_found_in_no_recordings() -> None:
    assert find_shortcuts(recordings().clear()).is_empty()


def test_correction_never_makes_a_test_more_certain() -> None:
    draw = np.random.default_rng(2)
    table = recordings(
        rate=[8000, 48000] * 60, sex=["male", "female"] * 60, age=draw.uniform(20, 80, 120),
        smoker=draw.choice(["yes", "no"], 120),
    )  # fmt: skip
    rows = find_shortcuts(table).filter(~pl.col("p_value").is_nan())
    assert (rows["p_corrected"] >= rows["p_value"]).all()
    assert not any(math.isnan(value) for value in rows["p_corrected"])
