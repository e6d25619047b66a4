"""KAUH: facts from workbook and file names, three filters a patient, odd names."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.corpora.kauh import Kauh
from raqa.errors import UserError
from tests.corpora.miniatures import kauh as miniature


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("miniature")
    miniature.write(place)
    return place


def row(recordings: Recordings, name: str) -> dict[str, object]:
    return recordings.table.row(by_predicate=pl.col("recording_id") == name, named=True)


def test_every_patient_of_the_workbook_is_heard_through_three_filters(root: Path) -> None:
    table = Kauh(root=root).read().table
    assert table.height == 3 * len(miniature.PATIENTS)
    assert table["subject_id"].n_unique() == len(miniature.PATIENTS)
    first = table.filter(subject_id="P1").select("recording_id", "filter").rows()
    assert first == [("BP1", "bell"), ("DP1", "diaphragm"), ("EP1", "extended")]


def test_patients_without_audio_are_rows_without_audio(root: Path) -> None:
    table = Kauh(root=root).read().table
    absent = table.filter(~pl.col("audio"))["recording_id"].to_list()
    assert absent == ["EP13", "BP14", "DP14", "EP14"]
    assert table.filter(subject_id="P14")["diagnosis"].to_list() == [["healthy"]] * 3
    assert all(Path(path).is_file() for path in table.filter("audio")["path"])


@pytest.mark.parametrize(
    ("patient", "diagnosis"),
    [(2, ["asthma"]), (3, ["pleural_effusion"]), (4, ["lung_fibrosis", "heart_failure"]),
     (5, ["asthma", "lung_fibrosis"]), (6, ["bronchitis"]), (8, ["healthy"])],
)  # fmt: skip
def test_diagnoses_of_any_case_typo_and_number_are_read(
    root: Path, patient: int, diagnosis: list[str]
) -> None:
    assert row(Kauh(root=root).read(), f"BP{patient}")["diagnosis"] == diagnosis


@pytest.mark.parametrize(
    ("patient", "sounds", "phases"),
    [(1, ["wheeze"], ["inspiration", "expiration"]), (2, ["wheeze"], ["expiration"]),
     (3, ["crackle", "bronchial"], ["inspiration"]), (6, ["crepitation"], None),
     (7, ["bronchial"], None), (8, ["normal"], None)],
)  # fmt: skip
def test_sounds_are_parted_from_the_phases_they_are_heard_in(
    root: Path, patient: int, sounds: list[str], phases: list[str] | None
) -> None:
    found = row(Kauh(root=root).read(), f"DP{patient}")
    assert (found["lung_sounds"], found["breath_phase"]) == (sounds, phases)


def test_the_workbook_wins_where_the_file_name_disagrees_and_it_is_counted(root: Path) -> None:
    recordings = Kauh(root=root).read()
    assert row(recordings, "BP4")["chest_location"] == "posterior_right_lower"
    disputed = recordings.set_aside.filter(stage="disagreement")
    assert disputed["item"].to_list() == ["BP4", "DP4", "EP4"]
    assert disputed.select("field", "value").unique().rows() == [("chest_location", "P L R")]


def test_files_that_are_no_recording_are_set_aside_by_name(root: Path) -> None:
    aside = Kauh(root=root).read().set_aside.filter(stage="layout")
    reasons = dict(aside.select("item", "reason").rows())
    assert set(reasons) == {
        "._BP1_Asthma,I E W,P L L,70,M.wav", "BP99_N,N,P R M,18,F.wav", "recording 1.wav",
        "BP1_Asthma,I E W,P L L,70,M.wav",
    }  # fmt: skip
    assert reasons["BP99_N,N,P R M,18,F.wav"] == "Data annotation.xlsx has no row 100"
    assert "already in BP01_" in reasons["BP1_Asthma,I E W,P L L,70,M.wav"]


def test_the_workbook_alone_gives_every_label(root: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(root / "Data annotation.xlsx", alone)
    recordings = Kauh(root=alone).read()
    assert not recordings.table["audio"].any()
    assert recordings.set_aside.is_empty()
    assert recordings.table["age"].null_count() == 0


def test_another_folder_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"data\.mendeley\.com"):
        Kauh(root=tmp_path).read()


def test_the_real_part_is_read_as_it_is(test_data: Path) -> None:
    recordings = Kauh(root=test_data / "kauh").read()
    table = recordings.table
    assert (table.height, table["subject_id"].n_unique(), table["audio"].sum()) == (336, 112, 93)
    patients = table.filter(filter="bell")
    assert patients["diagnosis"].list.join("+").value_counts(sort=True).rows()[:3] == [
        ("healthy", 35), ("asthma", 32), ("heart_failure", 18)
    ]  # fmt: skip
    assert patients.filter(pl.col("diagnosis").list.len() > 1).height == 4
    complete = ("diagnosis", "lung_sounds", "chest_location", "age", "sex", "filter")
    assert table.select(complete).null_count().sum_horizontal().item() == 0


def test_the_real_file_names_disagree_with_the_workbook_on_places_alone(test_data: Path) -> None:
    aside = Kauh(root=test_data / "kauh").read().set_aside
    assert aside["stage"].unique().to_list() == ["disagreement"]
    assert sorted(aside["item"]) == ["BP4", "BP7", "DP4", "DP7", "EP4", "EP7"]
    assert aside.select("field", "value").unique().rows() == [("chest_location", "P L R")]
