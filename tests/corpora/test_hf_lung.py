"""HF Lung: breaths and sounds of recordings, events, sessions that stand for subjects."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.hf_lung import HfLung
from raqa.errors import UserError
from raqa.regimes.split import Official
from tests.corpora.miniatures import hf_lung


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hf_lung")
    hf_lung.write(folder)
    return folder


def row(table: pl.DataFrame, recording_id: str) -> dict[str, object]:
    return table.row(by_predicate=pl.col("recording_id") == recording_id, named=True)


def test_a_recording_has_its_breaths_counted_and_all_sounds_named(root: Path) -> None:
    table = HfLung(root=root).read().table
    both, none = row(table, "steth_20180813_09_37_13"), row(table, "steth_20180810_09_37_10")
    assert (both["inhalations"], both["exhalations"]) == (2, 1)
    assert both["lung_sounds"] == ["discontinuous", "rhonchus", "wheeze"]
    assert (both["crackle"], both["wheeze"]) == ("yes", "yes")
    assert none["lung_sounds"] == ["normal"]
    assert (none["crackle"], none["wheeze"]) == ("no", "no")
    assert table["start_s"].null_count() == table.height == 21


def test_an_event_is_a_row_with_its_phase_or_sound(root: Path) -> None:
    table = HfLung(root=root, rows="events").read().table
    events = table.filter(pl.col("recording_id").str.starts_with("steth_20180813"))
    assert events.select("start_s", "end_s", "breath_phase", "lung_sounds").rows() == [
        (0.612, 1.532, ["inspiration"], None),
        (1.7, 2.9, ["expiration"], None),
        (4.0, 5.25, ["inspiration"], None),
        (4.1, 4.8, None, ["discontinuous"]),
        (6.0, 7.5, None, ["wheeze"]),
        (8.0, 9.0, None, ["rhonchus"]),
    ]
    assert events["recording_id"][3] == "steth_20180813_09_37_13-4"


def test_the_name_says_the_device_and_of_a_multichannel_one_the_place(root: Path) -> None:
    table = HfLung(root=root).read().table
    single, multi = (
        row(table, "steth_20180810_09_37_10"),
        row(table, "trunc_2019-06-01-09-33-45-L7_2"),
    )
    assert (single["device"], single["chest_location"]) == ("Littmann 3200 stethoscope", None)
    assert multi["device"] == "HF-Type-1 multichannel recorder"
    assert multi["chest_location"] == "lateral_left"
    assert row(table, f"{hf_lung.BOTH_SIDES}-Tc_15")["chest_location"] == "trachea"


def test_subjects_are_not_known_but_a_session_is_one_person(root: Path) -> None:
    corpus = HfLung(root=root)
    table = corpus.read().table
    assert not corpus.subject_known
    assert not table["subject_known"].any()
    session = table.filter(pl.col("recording_id").str.starts_with("trunc_2019-06-01"))
    assert session["subject_id"].to_list() == ["trunc_2019-06-01-09-33-45"] * 2
    stethoscope = table.filter(pl.col("recording_id").str.starts_with("steth"))
    assert stethoscope["subject_id"].equals(stethoscope["recording_id"].alias("subject_id"))
    day = table.filter(pl.col("recording_id").str.starts_with("steth_20190815"))
    assert day["upload_group"].to_list() == ["steth_20190815"]


def test_the_sides_are_those_of_the_folders_and_a_torn_session_leaves_training(
    root: Path,
) -> None:
    recordings = HfLung(root=root).read()
    sides = dict(recordings.table["split"].value_counts().rows())
    assert sides == {"train": 16, "test": 5}
    left = Official().apply(recordings).set_aside.filter(pl.col("stage") == "split")
    assert left["item"].to_list() == [f"{hf_lung.BOTH_SIDES}-L1_14"]


def test_what_can_not_be_read_is_set_aside_with_line_and_reason(root: Path) -> None:
    aside = HfLung(root=root).read().set_aside
    assert aside.filter(pl.col("item") == hf_lung.FAULTY).sort("row").select(
        "row", "reason"
    ).rows() == [
        (2, "X is none of I, E, D, Wheeze, Stridor, Rhonchi"),
        (3, "the line is not label, start, end"),
        (4, "ends where it begins or before"),
        (5, "reaches beyond the end of the audio"),
    ]
    why = dict(aside.select("item", "reason").rows())
    assert why[hf_lung.EMPTY] == "nothing is annotated in it"
    assert why[hf_lung.WITHOUT_LABELS] == "there is no _label.txt for it"
    assert why["train 2/steth_20180810_09_37_10.wav"].startswith("a file of that name")
    assert "AppleDouble" in why["__MACOSX/train/._steth_20180810_09_37_10.wav"]


def test_an_empty_label_file_says_nothing_not_no(root: Path) -> None:
    empty = row(HfLung(root=root).read().table, hf_lung.EMPTY)
    heard = ("lung_sounds", "crackle", "wheeze", "inhalations", "exhalations")
    assert [empty[name] for name in heard] == [None] * 5


def test_labels_without_their_wav_are_a_row_without_audio(root: Path) -> None:
    table = HfLung(root=root).read().table
    assert table.filter(~pl.col("audio"))["recording_id"].to_list() == [hf_lung.SILENT]
    assert row(table, hf_lung.SILENT)["path"] == str(root / "train" / f"{hf_lung.SILENT}.wav")


def test_another_folder_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gitlab\.com"):
        HfLung(root=tmp_path).read()
    (tmp_path / "train.7z.001").write_bytes(b"7z")
    with pytest.raises(UserError, match=r"train\.7z\.001 are not unpacked yet"):
        HfLung(root=tmp_path).read()


def test_every_place_of_the_multichannel_device_is_known(tmp_path: Path) -> None:
    places = (*(f"L{number}" for number in range(1, 9)), "Tc", "L10")
    for place in places:
        name = f"trunc_2019-06-03-09-33-45-{place}_1_label.txt"
        (tmp_path / name).write_text("I 0:0:1 0:0:2\n")
    table = HfLung(root=tmp_path).read().table
    found = dict(zip(table["recording_id"].str.slice(26).str.head(-2), table["chest_location"],
                     strict=True))  # fmt: skip
    right, left = ["anterior_right"] * 2 + ["lateral_right"] * 2, ["anterior_left"] * 2
    expected = [*right, *left, "lateral_left", "lateral_left", "trachea", None]
    assert [found[place] for place in places] == expected
    assert table["split"].null_count() == 10
