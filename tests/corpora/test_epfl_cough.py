"""EPFL's multimodal cough corpus, on a miniature of its published layout."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from miniatures import epfl_cough as miniature

from raqa.corpora.epfl_cough import EpflCough
from raqa.errors import UserError

QUIET = "14287/trial_1/mov_sit/background_noise_nothing"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three subjects."""
    miniature.write(tmp_path)
    return tmp_path


def row(table: pl.DataFrame, recording_id: str) -> dict[str, object]:
    return table.row(by_predicate=pl.col("recording_id") == recording_id, named=True)


def test_every_take_is_a_recording_of_each_microphone(root: Path) -> None:
    table = EpflCough(root=root).read().table
    assert table.height == 2 * (3 * 4 + 2)
    body = row(table, f"{QUIET}/cough/body")
    assert (body["subject_id"], body["modality"], body["microphone"]) == ("14287", "cough", "body")
    assert (body["noise"], body["movement"]) == ("none", "sitting")
    assert (body["sex"], body["bmi"]) == ("male", 22.5)
    assert body["path"] == str(root / "public_dataset" / QUIET / "cough/body_facing_mic.wav")
    assert not row(table, f"{QUIET}/laugh/outward")["audio"]


def test_coughs_are_counted_and_timed_whatever_their_order(root: Path) -> None:
    coughs = row(EpflCough(root=root).read().table, f"{QUIET}/cough/outward")
    assert coughs["cough_count"] == 3
    assert coughs["cough_duration"] == pytest.approx((0.3 + 0.3 + 0.2) / 3)
    assert coughs["cough_interval"] == pytest.approx((1.3 - 0.1) / 2)


def test_another_sound_has_no_cough_even_if_a_bystander_coughs(root: Path) -> None:
    table = EpflCough(root=root).read().table
    laughs = table.filter(pl.col("modality") == "laugh")
    assert set(laughs["noise"]) == {"none", "someone_else_coughing"}
    assert set(laughs["cough_count"]) == {0.0}
    assert laughs["cough_duration"].null_count() == laughs["cough_interval"].null_count() == 12


def test_coughs_whose_events_are_not_known_are_missing_not_zero(root: Path) -> None:
    recordings = EpflCough(root=root).read()
    unknown = recordings.table.filter(pl.col("noise").is_in(["music", "traffic"]))
    assert unknown["cough_count"].to_list() == [None] * 4
    reasons = dict(recordings.set_aside.select("item", "reason").iter_rows())
    folder = "14287/trial_1/mov_sit"
    assert reasons[f"{folder}/background_noise_traffic/cough"].startswith("no ground_truth.json")
    assert reasons[f"{folder}/background_noise_music/cough"] == (
        "ground_truth.json has 2 start_times and 1 end_times"
    )


def test_what_is_no_recording_is_set_aside_by_name(root: Path) -> None:
    aside = EpflCough(root=root).read().set_aside.filter(pl.col("stage") == "layout")
    assert set(aside["item"]) == {f"{QUIET}/cough/._body_facing_mic.wav", f"{QUIET}/humming"}


def test_a_subject_of_whom_nothing_is_told_takes_part(root: Path) -> None:
    (root / "public_dataset" / "14289" / "biodata.json").unlink()
    recordings = EpflCough(root=root).read()
    told = dict(recordings.table.select("subject_id", "sex").unique().iter_rows())
    assert told == {"14287": "male", "14288": None, "14289": None}
    assert "14289/biodata.json" in recordings.set_aside["item"].to_list()


def test_every_cough_can_be_a_segment_of_its_own(root: Path) -> None:
    table = EpflCough(root=root, rows="coughs").read().table
    first = row(table, f"{QUIET}/cough/body/1")
    assert (first["start_s"], first["end_s"]) == (0.1, 0.4)
    assert first["cough_duration"] == pytest.approx(0.3)
    assert set(table["modality"]) == {"cough"}
    assert table.height == 2 * 2 * (3 + 2 + 3)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "no readable"),
        ("{", "no readable"),
        ('{"start_times": [1], "end_times": ["x"]}', "no readable"),
        ('{"start_times": [1], "end_times": [0.5]}', "ends before it starts"),
    ],
)
def test_a_faulty_annotation_is_set_aside_with_what_is_wrong(
    root: Path, text: str, reason: str
) -> None:
    (root / "public_dataset" / QUIET / "cough" / "ground_truth.json").write_text(text)
    recordings = EpflCough(root=root).read()
    assert row(recordings.table, f"{QUIET}/cough/body")["cough_count"] is None
    problems = recordings.set_aside.filter(pl.col("item") == f"{QUIET}/cough")["reason"]
    assert reason in problems[0]


def test_another_folder_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="zenodo.org/records/7562332"):
        EpflCough(root=tmp_path).read()
