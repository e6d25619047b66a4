"""RespiratoryDatabase@TR: twelve channels a patient, severities from workbook or CSV."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.resp_tr import CHANNELS, RespTr
from raqa.errors import UserError
from tests.corpora.miniatures import resp_tr as miniature


def test_every_patient_has_twelve_channels(tmp_path: Path) -> None:
    miniature.write(tmp_path, audio=False)
    table = RespTr(root=tmp_path).read().table
    assert table.height == 12 * len(miniature.PATIENTS)
    assert table.filter(subject_id="H002")["channel"].to_list() == list(CHANNELS)
    assert table["recording_id"][0] == "H002_L1"
    assert table["copd_severity"].value_counts().sort("copd_severity").rows() == [
        (label, 36) for label in "01234"
    ]
    assert not table["audio"].any()


def test_files_are_found_below_the_folder_and_others_set_aside(tmp_path: Path) -> None:
    miniature.write(tmp_path)
    twin = tmp_path / "__MACOSX" / "RespiratoryDatabase@TR" / "._H003_L1.wav"
    twin.parent.mkdir(parents=True)
    twin.write_bytes(b"\x00\x05\x16\x07")
    recordings = RespTr(root=tmp_path).read()
    table = recordings.table
    assert table["audio"].sum() == 12 * (len(miniature.PATIENTS) - 1)
    assert all(Path(path).is_file() for path in table.filter("audio")["path"])
    assert table.filter(~pl.col("audio"))["subject_id"].unique().to_list() == ["H016"]
    apple = recordings.set_aside.filter(pl.col("reason").str.contains("AppleDouble"))
    assert apple.height == 2
    assert sorted(recordings.set_aside["item"]) == [
        "RespiratoryDatabase@TR/._H002_L1.wav", "RespiratoryDatabase@TR/H002_X1.wav",
        "RespiratoryDatabase@TR/H017_L1.wav", "__MACOSX/RespiratoryDatabase@TR/._H003_L1.wav",
    ]  # fmt: skip


def test_a_severity_of_no_stage_is_set_aside_and_a_repeated_patient_too(tmp_path: Path) -> None:
    (tmp_path / "Labels.csv").write_text(
        "Patient ID,Diagnosis\nH1,COPD9\nH2,copd1\nH3,COPD1\nH3,COPD2\nH4,\n"
    )
    recordings = RespTr(root=tmp_path).read()
    severity = recordings.table.filter(channel="L1").select("subject_id", "copd_severity").rows()
    assert severity == [("H1", None), ("H2", "1"), ("H4", None)]
    assert recordings.set_aside["item"].to_list() == ["H3", "H3", "H1"]


def test_another_folder_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"data\.mendeley\.com"):
        RespTr(root=tmp_path).read()
    (tmp_path / "Labels.csv").write_text("Patient,Severity\nH1,COPD1\n")
    with pytest.raises(UserError, match="no column 'Patient ID'"):
        RespTr(root=tmp_path).read()


@pytest.mark.parametrize("name", ["Labels.xlsx", "Labels.csv"])
def test_the_real_labels_are_the_same_from_workbook_and_csv(
    test_data: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes((test_data / "resp_tr" / name).read_bytes())
    recordings = RespTr(root=tmp_path).read()
    patients = recordings.table.filter(channel="R6")
    assert recordings.table.height == 504
    assert patients["copd_severity"].value_counts().sort("copd_severity").rows() == [
        ("0", 6), ("1", 5), ("2", 7), ("3", 7), ("4", 17)
    ]  # fmt: skip
    assert recordings.set_aside.is_empty()
