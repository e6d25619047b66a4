"""The UK COVID-19 Vocal Audio Dataset, on a miniature of its published layout."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl
import pytest
from miniatures import uk_covid19 as miniature

from raqa.corpora.uk_covid19 import UkCovid19
from raqa.errors import UserError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Twelve participants with audio."""
    miniature.write(tmp_path)
    return tmp_path


def edit(path: Path, before: str, after: str) -> None:
    path.write_text(path.read_text().replace(before, after))


def test_a_participant_has_a_recording_of_each_modality_that_was_recorded(root: Path) -> None:
    table = UkCovid19(root=root).read().table
    assert table.height == 12 * 3 - 2
    assert table["audio"].all()
    assert table.filter(pl.col("subject_id") == "1000")["modality"].to_list() == [
        "cough", "exhalation",
    ]  # fmt: skip
    assert table["recording_id"][0] == "1000_cough"
    assert table["path"][0] == str(root / "audio" / "1000_cough.wav")


def test_labels_are_canonical(root: Path) -> None:
    rows = UkCovid19(root=root).read().table.unique("subject_id").sort("subject_id")
    negative, positive = rows.row(0, named=True), rows.row(1, named=True)
    assert (negative["covid_test"], positive["covid_test"]) == ("negative", "positive")
    assert (negative["age_band"], positive["age_band"]) == ("18-44", "45-64")
    assert (positive["sex"], positive["covid_test_type"], positive["fever"]) == (
        "male", "pcr", "yes",
    )  # fmt: skip
    assert (negative["asymptomatic"], positive["asymptomatic"]) == ("yes", "no")
    assert (positive["viral_load"], positive["symptom_onset"]) == (17.5, 1)
    assert rows["smoking_status"].to_list()[:4] == ["never", "former", "current", None]
    assert rows["smoker"].to_list()[:4] == ["no", "no", "yes", None]
    assert rows["covid_test"][4] is None  # void


def test_the_signal_to_noise_ratio_is_the_recording_s_not_the_participant_s(root: Path) -> None:
    table = UkCovid19(root=root).read().table
    ratios = dict(table.select("recording_id", "signal_to_noise").iter_rows())
    assert (ratios["1005_cough"], ratios["1005_exhalation"]) == (15.5, 16)


def test_what_is_no_recording_is_set_aside_by_name(root: Path) -> None:
    aside = UkCovid19(root=root).read().set_aside
    assert set(aside.select("item", "reason").iter_rows()) == {
        ("three_cough", "1 participants have no such recording"),
        ("1001_exhalation", "a wav header without samples"),
        ("._1000_cough.wav", "an AppleDouble file of macOS, not audio"),
        ("9999_cough.wav", "audio_metadata.csv does not name this file"),
    }


def sides(root: Path, official: str) -> dict[str, str | None]:
    table = UkCovid19(root=root, official=official).read().table  # type: ignore[arg-type]
    return dict(table.select("subject_id", "split").unique().iter_rows())


def test_the_official_split_is_the_standard_one(root: Path) -> None:
    split = sides(root, "standard")
    assert [split[name] for name in ("1000", "1001", "1002", "1003", "1006")] == [
        "train", "train", None, "test", "validation",
    ]  # fmt: skip


def test_the_other_published_test_sets_keep_the_standard_training_side(root: Path) -> None:
    standard = sides(root, "standard")
    tested = {"matched": {"1003", "1011"}, "longitudinal": {"1002"},
              "matched_longitudinal": {"1002"}}  # fmt: skip
    for official, expected in tested.items():
        split = sides(root, official)
        assert {name for name, side in split.items() if side == "test"} == expected
        assert {n for n, s in split.items() if s == "train"} == {
            n for n, s in standard.items() if s == "train"
        }
    assert sides(root, "randomised")["1003"] == "train"


def test_a_split_whose_column_is_not_there_is_refused_by_name(root: Path) -> None:
    edit(root / "train_test_splits.csv", "in_matched_rebalanced_test", "something_else")
    assert sides(root, "standard")["1003"] == "test"
    with pytest.raises(UserError, match="official=matched needs a column"):
        sides(root, "matched")


def test_a_copy_without_the_table_of_splits_has_no_official_split(root: Path) -> None:
    (root / "train_test_splits.csv").unlink()
    recordings = UkCovid19(root=root).read()
    assert recordings.table["split"].null_count() == recordings.table.height
    assert "train_test_splits.csv" in recordings.set_aside["item"].to_list()


def test_columns_that_a_copy_lacks_are_reported_not_fatal(root: Path) -> None:
    edit(root / "participant_metadata.csv", "symptom_headache", "symptom_head")
    edit(root / "audio_metadata.csv", "exhalation_", "breath_")
    recordings = UkCovid19(root=root).read()
    assert recordings.table["headache"].null_count() == recordings.table.height
    reasons = recordings.set_aside["reason"].to_list()
    assert "no column 'symptom_headache': headache is missing" in reasons
    assert "no column 'exhalation_file_name': no such recordings" in reasons


def test_ages_in_years_are_read_where_a_copy_has_them(root: Path) -> None:
    for band, age in (("18-44", "30"), ("45-64", "50"), ("65+", "70")):
        edit(root / "participant_metadata.csv", band, age)
    table = UkCovid19(root=root).read().table
    assert table["age"].unique().sort().to_list() == [30, 50, 70]


@pytest.mark.parametrize("file", ["participant_metadata.csv", "audio_metadata.csv"])
def test_a_folder_without_a_table_is_refused_with_the_way_to_get_it(root: Path, file: str) -> None:
    (root / file).unlink()
    with pytest.raises(UserError, match=rf"{file} is not there.*zenodo.org/records/10043978"):
        UkCovid19(root=root).read()


def test_tables_without_their_key_columns_are_refused(root: Path) -> None:
    edit(root / "audio_metadata.csv", "_file_name", "_name")
    with pytest.raises(UserError, match="no column 'cough_file_name'"):
        UkCovid19(root=root).read()
    edit(root / "participant_metadata.csv", "participant_identifier", "who")
    with pytest.raises(UserError, match="no column 'participant_identifier'"):
        UkCovid19(root=root).read()


def test_tables_without_audio_work(tmp_path: Path) -> None:
    miniature.write(tmp_path, audio=False)
    table = UkCovid19(root=tmp_path).read().table
    assert (table.height, table["audio"].sum()) == (34, 0)


def test_twenty_thousand_participants_take_no_time(tmp_path: Path) -> None:
    miniature.write(tmp_path, participants=20_000, audio=False)
    began = time.perf_counter()
    table = UkCovid19(root=tmp_path).read().table
    assert table.height == 59_998
    assert time.perf_counter() - began < 10  # measured: 0.3 s
