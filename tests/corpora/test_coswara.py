"""Coswara: the official layout, its oddities, and the benchmark's cohort."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.cohort import Cohort
from raqa.corpora.coswara import MODALITIES, Coswara
from raqa.errors import UserError

PAPER = {"modality": "cough-shallow", "quality": {"min": 1}, "age": {"min": 7, "max": 87}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tiny Coswara: `ab` is the beginning of `abc`, and `twice` contradicts itself."""
    (tmp_path / "combined_data.csv").write_text(
        "id,a,covid_status,record_date,g,smoker\n"
        "ab,35,healthy,2020-04-23,male,y\n"
        "abc,0,positive_mild,2020-04-24,female,False\n"
        "twice,20,healthy,2020-04-25,male,\n"
        "twice,40,healthy,2020-04-25,male,\n"
    )
    (tmp_path / "annotations").mkdir()
    for modality in MODALITIES:
        (tmp_path / "annotations" / f"{modality}_labels.csv").write_text(
            f"FILENAME, QUALITY\nab_{modality},2\nabc_{modality},7\n"
        )
    with (tmp_path / "annotations" / "vowel-a_labels.csv").open("a") as file:
        file.write("nobody_vowel-a,1\n")
    for name in ("ab/vowel-a.wav", "ab/._vowel-e.wav", "ab/humming.wav", "abd/vowel-a.wav"):
        path = tmp_path / "Extracted_data" / "20200501" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(100))
    return tmp_path


def test_every_participant_has_nine_recordings_with_audio_or_without(root: Path) -> None:
    table = Coswara(root=root).read().table
    assert sorted(table["recording_id"]) == sorted(
        f"{subject}_{modality}" for subject in ("ab", "abc") for modality in MODALITIES
    )
    assert table.filter("audio")["recording_id"].to_list() == ["ab_vowel-a"]


def test_a_recording_is_found_under_whatever_date_it_lies(root: Path) -> None:
    paths = dict(Coswara(root=root).read().table.select("recording_id", "path").rows())
    assert paths["ab_vowel-a"] == str(root / "Extracted_data/20200501/ab/vowel-a.wav")
    assert paths["abc_vowel-a"] == str(root / "Extracted_data/20200424/abc/vowel-a.wav")


def test_labels_are_canonical(root: Path) -> None:
    row = Coswara(root=root).read().table.row(0, named=True)
    assert (row["age"], row["sex"], row["smoker"], row["quality"]) == (35, "male", "yes", "2")


def test_what_is_wrong_is_set_aside_with_file_row_and_reason(root: Path) -> None:
    aside = Coswara(root=root).read().set_aside
    files = aside.filter(pl.col("stage") == "layout", pl.col("field").is_null())
    assert files.select("item", "reason").rows() == [
        (
            "nobody_vowel-a",
            "vowel-a_labels.csv annotates a recording of nobody in combined_data.csv",
        ),
        ("Extracted_data/20200501/ab/._vowel-e.wav", "an AppleDouble file of macOS, not audio"),
        ("Extracted_data/20200501/ab/humming.wav", "not one of the nine recordings"),
        ("Extracted_data/20200501/abd", "nobody of that id is in combined_data.csv"),
    ]
    label = aside.filter(pl.col("stage") == "label")
    assert label.filter(pl.col("item") == "twice")["row"].to_list() == [4, 5]
    assert ("abc", 3, "age of 0 is outside 0.001-120 year") in label.select(
        "item", "row", "reason"
    ).rows()
    assert label.filter(pl.col("field") == "QUALITY").height == len(MODALITIES)


def test_packed_parts_of_the_download_are_pointed_out(root: Path) -> None:
    assert Coswara(root=root).notes() == ()
    (root / "20200413").mkdir()
    (root / "20200413" / "20200413.tar.gz.aa").write_bytes(b"")
    assert "1 parts of the download are not extracted (20200413)" in Coswara(root=root).notes()[0]


def test_missing_annotations_leave_the_quality_missing_and_are_reported(root: Path) -> None:
    (root / "annotations" / "vowel-o_labels.csv").unlink()
    recordings = Coswara(root=root).read()
    vowel = recordings.table.filter(pl.col("modality") == "vowel-o")
    assert vowel["quality"].null_count() == vowel.height
    assert "vowel-o_labels.csv" in recordings.set_aside["item"].to_list()


def test_another_folder_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="github.com/iiscleap/Coswara-Data"):
        Coswara(root=tmp_path).read()


def test_a_label_table_without_its_columns_is_refused(root: Path) -> None:
    (root / "combined_data.csv").write_text("id,age\nx,1\n")
    with pytest.raises(UserError, match="no column 'g'"):
        Coswara(root=root).read()


def test_the_paper_s_cohort_comes_out_of_the_real_label_tables(test_data: Path) -> None:
    cohort = Cohort(filters=PAPER).apply(Coswara(root=test_data / "coswara").read())  # type: ignore[arg-type]
    age = cohort.table["age"]
    assert [step.recordings for step in cohort.steps] == [24714, 2746, 2564, 2561]
    assert (age.min(), age.max()) == (7, 87)
    assert age.mean() == pytest.approx(35.08, abs=0.005)
    assert age.std() == pytest.approx(13.94, abs=0.005)
    assert (age - age.mean()).abs().mean() == pytest.approx(11.311, abs=0.0005)


def test_every_real_file_is_a_recording_or_set_aside(test_data: Path) -> None:
    root = test_data / "coswara"
    recordings = Coswara(root=root).read()
    on_disk = {str(path) for path in (root / "Extracted_data").rglob("*.wav")}
    used = set(recordings.table.filter("audio")["path"])
    layout = recordings.set_aside.filter(pl.col("stage") == "layout")
    aside = {str(root / item) for item in layout["item"]}
    assert used | aside == on_disk
    assert not used & aside
    assert set(recordings.table["smoker"].drop_nulls()) == {"yes", "no"}
