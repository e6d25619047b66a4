"""CirCor: children under two ids, murmurs here and anywhere, and heart phases."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.circor import CirCor
from raqa.corpora.circor_children import one_id_per_child
from raqa.errors import UserError
from raqa.regimes.split import BySubject
from tests.corpora.miniatures import circor


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("circor")
    circor.write(folder)
    return folder


def row(table: pl.DataFrame, recording_id: str) -> dict[str, object]:
    return table.row(by_predicate=pl.col("recording_id") == recording_id, named=True)


def test_every_recording_that_the_table_lists_is_a_row(root: Path) -> None:
    table = CirCor(root=root).read().table
    assert table.height == 32
    assert set(table.filter(pl.col("recording_id").str.starts_with("5002"))["recording_id"]) == {
        "5002_AV", "5002_MV_1", "5002_MV_2", "5002_Phc"
    }  # fmt: skip
    assert table.filter(~pl.col("audio"))["recording_id"].to_list() == [circor.SILENT]
    assert row(table, circor.SILENT)["path"] == str(root / "training_data" / "5003_MV.wav")


def test_a_murmur_is_the_patient_s_and_said_of_this_place(root: Path) -> None:
    table = CirCor(root=root).read().table
    av, mv, unknown = row(table, "5001_AV"), row(table, "5001_MV"), row(table, "5004_AV")
    assert (av["murmur"], mv["murmur"], unknown["murmur"]) == ("present", "present", "unknown")
    assert (av["murmur_here"], mv["murmur_here"], unknown["murmur_here"]) == ("no", "yes", None)
    assert row(table, "5002_AV")["murmur_here"] == "no"  # no murmur anywhere
    assert mv["murmur_locations"] == ["MV"]
    assert (mv["murmur_loudest"], mv["heart_location"]) == ("MV", "MV")


def test_murmurs_are_described_and_nan_is_missing(root: Path) -> None:
    table = CirCor(root=root).read().table
    first, both = row(table, "5001_MV"), row(table, "5007_MV")
    names = ("timing", "shape", "grade", "pitch", "quality")
    assert [first[f"systolic_{name}"] for name in names] == [
        "early_systolic", "plateau", "III/VI", "low", "harsh"
    ]  # fmt: skip
    assert [both[f"diastolic_{name}"] for name in names] == [
        "early_diastolic", "decrescendo", "I/IV", "high", "blowing"
    ]  # fmt: skip
    assert first["diastolic_timing"] is None
    assert (first["age_group"], first["height"], first["weight"]) == ("infant", 99, 16.9)
    mother = row(table, "7000_AV")
    assert (mother["age_group"], mother["height"], mother["pregnancy"]) == (None, None, "yes")


def test_a_child_under_two_ids_is_one_subject_and_never_on_two_sides(root: Path) -> None:
    recordings = CirCor(root=root).read()
    pair = recordings.table.filter(pl.col("recording_id").str.contains("5000_|6000_"))
    assert pair.height == 4
    assert set(pair["subject_id"]) == {"5000"}
    assert recordings.table["subject_id"].n_unique() == 14
    for seed in range(8):
        split = BySubject(train=0.4, validation=0.3, test=0.3, seed=seed).apply(recordings)
        sides = split.table.filter(pl.col("subject_id") == "5000")["side"]
        assert sides.n_unique() == 1


def test_labels_that_differ_between_the_ids_of_a_child_are_kept_and_said(root: Path) -> None:
    recordings = CirCor(root=root).read()
    said = recordings.set_aside.filter(pl.col("field") == "Murmur")
    assert said.select("item", "row", "value").rows() == [
        ("5000", 2, "Absent under 5000 and Present under 6000")
    ]
    assert row(recordings.table, "5000_MV")["murmur"] == "absent"
    assert row(recordings.table, "6000_MV")["murmur"] == "present"


def test_ids_are_linked_in_chains_from_either_end_and_by_number() -> None:
    people = pl.DataFrame({"id": ["900", "1000", "1100", "7", "8"],
                           "other": ["1000", "nan", "1000.0", None, "gone"]})  # fmt: skip
    assert one_id_per_child(people, "id", "other").to_list() == ["900", "900", "900", "7", "8"]


def test_a_phase_is_a_row_and_stretches_without_annotation_are_counted(root: Path) -> None:
    recordings = CirCor(root=root, rows="phases").read()
    one = recordings.table.filter(pl.col("recording_id").str.starts_with("5001_AV"))
    assert one.select("recording_id", "start_s", "end_s", "heart_phase").rows() == [
        ("5001_AV-2", 0.5, 0.62, "s1"),
        ("5001_AV-3", 0.62, 0.9, "systole"),
        ("5001_AV-4", 0.9, 1.0, "s2"),
        ("5001_AV-5", 1.0, 1.5, "diastole"),
    ]
    assert one["murmur"].to_list() == ["present"] * 4
    aside = recordings.set_aside
    assert ("5001_AV", "3.0 s", "stretches of it are not annotated (phase 0)") in (
        aside.select("item", "value", "reason").rows()
    )
    faults = aside.filter(pl.col("item") == "5000_AV", pl.col("row") > 6).sort("row")
    assert faults["reason"].to_list() == [
        "begins after the end of the audio",
        "heart_phase of 7 is none of s1, systole, s2, diastole",
    ]


def test_what_does_not_fit_together_is_set_aside_by_name(root: Path) -> None:
    why = dict(CirCor(root=root, rows="phases").read().set_aside.select("item", "reason").rows())
    assert why[f"{circor.UNLISTED}.wav"].startswith("training_data.csv lists no recording")
    assert why[circor.WITHOUT_PHASES] == "there is no tsv of heart phases for it"
    assert "AppleDouble" in why["__MACOSX/training_data/._5000_AV.wav"]


def test_the_table_alone_is_enough_for_recordings_and_not_for_phases(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "training_data.csv").write_bytes((root / "training_data.csv").read_bytes())
    table = CirCor(root=tmp_path).read().table
    assert table.height == 32
    assert not table["audio"].any()
    with pytest.raises(UserError, match="rows=recordings works without them"):
        CirCor(root=tmp_path, rows="phases").read()


def test_another_folder_or_table_is_refused(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"physionet\.org"):
        CirCor(root=tmp_path).read()
    (tmp_path / "training_data.csv").write_text("Patient ID,Recording locations:\n1,AV\n")
    with pytest.raises(UserError) as refusal:
        CirCor(root=tmp_path).read()
    assert len(refusal.value.problems) == 20


def test_the_real_table_is_3163_recordings_of_872_people(test_data: Path) -> None:
    recordings = CirCor(root=test_data / "circor").read()
    table = recordings.table
    assert (table.height, table["subject_id"].n_unique()) == (3163, 872)
    assert table["audio"].sum() == 64
    assert dict(table["murmur_here"].value_counts().rows()) == {"no": 2508, "yes": 499, None: 156}
    differing = dict(recordings.set_aside["field"].value_counts().rows())
    assert differing == {"Murmur": 15, "Outcome": 13}


def test_the_real_phases_lie_within_their_recordings(test_data: Path) -> None:
    recordings = CirCor(root=test_data / "circor", rows="phases").read()
    assert dict(recordings.table["heart_phase"].value_counts().rows()) == {
        "s1": 1074, "systole": 1058, "s2": 1059, "diastole": 1078
    }  # fmt: skip
    gaps = recordings.set_aside.filter(pl.col("field") == "heart_phase")
    assert gaps.height == 62
    assert recordings.set_aside.filter(pl.col("field") == "segment").is_empty()
