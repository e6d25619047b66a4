"""CoughVID: uploads, experts, the published split, and the benchmark's cohort."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from raqa.corpora.cohort import Cohort
from raqa.corpora.coughvid import CoughVid
from raqa.corpora.uploads import upload_groups
from raqa.errors import UserError

PAPER = {"age": {"min": 5}, "split": ["train", "validation", "test"]}
HEADER = (
    "uuid,datetime,cough_detected,age,gender,respiratory_condition,fever_muscle_pain,status,"
    "quality_1,cough_type_1,diagnosis_1,quality_2,diagnosis_2,cough_type_2\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Five uploads; `a` is the beginning of `ab`; c and d are one person's within two minutes."""
    folder = tmp_path / "public_dataset"
    folder.mkdir()
    (folder / "metadata_compiled.csv").write_text(
        HEADER + "a,2020-04-13T21:30:00+00:00,0.9,30,male,False,True,healthy,good,dry,"
        "healthy_cough,good,healthy_cough,unknown\n"
        "ab,2020-04-13T21:31:00.25+00:00,1.5,31,female,True,False,COVID-19,ok,wet,COVID-19,"
        "poor,COVID-19,dry\n"
        "c,2020-04-14T10:00:00+00:00,0.1,5,male,False,False,symptomatic,,,,,,\n"
        "d,2020-04-14T10:02:00+00:00,0.1,5,male,False,False,symptomatic,,,,,,\n"
        "e,2020-04-14T10:02:00+00:00,0.1,,,,,,,,,,,\n"
    )
    for name in ("a.webm", "a.wav", "ab.ogg", "zz.webm", "._c.webm", "a.json"):
        (folder / name).write_bytes(b"x")
    return tmp_path


def write_split(root: Path, **sides: list[str]) -> Path:
    folder = root / "opera_split"
    folder.mkdir(exist_ok=True)
    names = {
        "train": "coughvid__train",
        "validation": "coughvid__val",
        "test": "coughvid_gender_test",
    }
    for side, name in names.items():
        np.save(folder / f"{name}_uuids.npy", np.array(sides.get(side, []), dtype=object))
    return folder


def test_every_upload_is_a_recording_with_audio_or_without(root: Path) -> None:
    table = CoughVid(root=root).read().table
    assert table["recording_id"].to_list() == ["a", "ab", "c", "d", "e"]
    assert table["subject_id"].to_list() == table["recording_id"].to_list()
    assert not table["subject_known"].any()
    assert not CoughVid(root=root).subject_known
    folder = root / "public_dataset"
    assert table.filter("audio")["path"].to_list() == [
        str(folder / "a.webm"),
        str(folder / "ab.ogg"),
    ]


def test_labels_are_canonical_and_odd_ones_set_aside(root: Path) -> None:
    recordings = CoughVid(root=root).read()
    first = recordings.table.row(0, named=True)
    assert (first["age"], first["sex"], first["covid_status"]) == (30, "male", "healthy")
    assert (first["respiratory_condition"], first["fever_muscle_pain"]) == ("no", "yes")
    assert recordings.table["cough_detected"].to_list() == [0.9, None, 0.1, 0.1, 0.1]
    assert ("ab", 3, "cough_detected of 1.5 is outside 0-1 probability") in (
        recordings.set_aside.select("item", "row", "reason").rows()
    )


def test_every_label_of_an_expert_is_read(root: Path) -> None:
    kinds = ("dyspnea", "wheezing", "stridor", "choking", "congestion", "nothing")
    table = pl.read_csv(root / "public_dataset" / "metadata_compiled.csv", infer_schema=False)
    said = {f"{kind}_1": ["True", "False", None, None, None] for kind in kinds}
    said |= {"severity_1": ["severe", "unknown", None, None, None]}
    table.with_columns(**{name: pl.Series(values) for name, values in said.items()}).write_csv(
        root / "public_dataset" / "metadata_compiled.csv"
    )
    recordings = CoughVid(root=root).read().table
    for kind in kinds:
        assert recordings[f"expert_{kind}"].to_list() == ["yes", "no", None, None, None]
    assert recordings["expert_severity"].to_list() == ["severe", None, None, None, None]


def test_experts_count_where_those_who_spoke_agree(root: Path) -> None:
    recordings = CoughVid(root=root).read()
    assert recordings.table["expert_quality"].to_list() == ["good", *[None] * 4]
    assert recordings.table["expert_cough_type"].to_list() == ["dry", *[None] * 4]
    assert recordings.table["expert_diagnosis"].to_list() == [
        "healthy_cough",
        "COVID-19",
        *[None] * 3,
    ]
    disputed = recordings.set_aside.filter(pl.col("reason").str.contains("disagree"))
    assert disputed.select("item", "row", "field", "value").rows() == [
        ("ab", 3, "expert_quality", "ok / poor"),
        ("ab", 3, "expert_cough_type", "dry / wet"),
    ]


def test_files_that_are_no_upload_are_set_aside(root: Path) -> None:
    aside = CoughVid(root=root).read().set_aside.filter(pl.col("stage") == "layout")
    assert aside.select("item", "reason").rows() == [
        ("._c.webm", "an AppleDouble file of macOS, not audio"),
        ("zz.webm", "no upload of that id is in metadata_compiled.csv"),
        ("a.wav", ".webm of the same upload is used"),
    ]


def test_the_split_is_found_beside_the_download(root: Path) -> None:
    write_split(root, train=["a", "gone"], validation=["ab"], test=["c"])
    recordings = CoughVid(root=root).read()
    assert recordings.table["split"].to_list() == ["train", "validation", "test", None, None]
    assert len(recordings.sources) == 4
    assert ("gone", "stands in the split and not in metadata_compiled.csv") in (
        recordings.set_aside.filter(pl.col("stage") == "split").select("item", "reason").rows()
    )


def test_a_csv_says_the_same_as_the_arrays(root: Path, tmp_path: Path) -> None:
    split = tmp_path / "s.csv"
    split.write_text("uuid,split\na,train\nab,val\nc,TEST\n")
    table = CoughVid(root=root, split_file=split).read().table
    assert table["split"].to_list() == ["train", "validation", "test", None, None]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("uuid,split\na,train\na,test\n", "1 uploads stand on two sides, first a"),
     ("uuid,split\na,left\n", r"the split 'left' \(row 2; 1 such rows\)"),
     ("id,split\na,train\n", "no column 'uuid'")],
)  # fmt: skip
def test_a_split_that_contradicts_itself_is_refused(root: Path, text: str, reason: str) -> None:
    (root / "s.csv").write_text(text)
    with pytest.raises(UserError, match=reason):
        CoughVid(root=root, split_file=root / "s.csv").read()


def test_a_split_that_is_not_there_is_refused_when_asked_for(root: Path) -> None:
    with pytest.raises(UserError, match="github.com/evelyn0414/OPERA"):
        CoughVid(root=root, split_file=root / "none").read()
    with pytest.raises(UserError) as refusal:
        Cohort(filters=PAPER).apply(CoughVid(root=root).read())  # type: ignore[arg-type]
    assert "github.com/evelyn0414/OPERA" in str(refusal.value)
    assert "filters.split=null switches the filter off" in str(refusal.value)


def test_uploads_of_one_person_within_minutes_are_one_group(root: Path) -> None:
    assert CoughVid(root=root).read().table["upload_group"].to_list() == ["a", "ab", "c", "c", "e"]
    apart = CoughVid(root=root, upload_group_minutes=1).read().table
    assert apart["upload_group"].to_list() == ["a", "ab", "c", "d", "e"]


def test_groups_chain_over_time_and_never_over_facts() -> None:
    minutes, ages = [0, 2, 4, 9, 9, 0], [30, 30, 30, 30, 31, None]
    table = pl.DataFrame({
        "recording_id": list("abcdef"),
        "uploaded": pl.Series(minutes) * 60_000_000,
        "age": ages,
    }).with_columns(pl.col("uploaded").cast(pl.Datetime("us")))  # fmt: skip
    groups = dict(upload_groups(table, minutes=3, same=("age",)).rows())
    assert groups == {"a": "a", "b": "a", "c": "a", "d": "d", "e": "e", "f": "f"}


def test_another_folder_is_refused_with_the_way_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"zenodo\.org"):
        CoughVid(root=tmp_path).read()
    with pytest.raises(ValidationError):
        CoughVid(root=tmp_path, upload_group_minutes=-1)


def test_the_paper_s_cohort_comes_out_of_the_real_label_tables(test_data: Path) -> None:
    cohort = Cohort(filters=PAPER).apply(CoughVid(root=test_data / "coughvid").read())  # type: ignore[arg-type]
    age = cohort.table["age"]
    sides = dict(cohort.table["split"].value_counts().rows())
    assert sides == {"train": 3050, "validation": 1019, "test": 2789}
    assert (len(age), age.min(), age.max()) == (6858, 5, 97)
    assert round(age.mean(), 2) == 34.51
    assert round(age.std(), 2) == 12.72
    assert round((age - age.mean()).abs().mean(), 3) == 10.294


def test_the_real_uploads_hold_over_a_thousand_near_pairs(test_data: Path) -> None:
    cohort = Cohort(filters=PAPER).apply(CoughVid(root=test_data / "coughvid").read())  # type: ignore[arg-type]
    pairs = cohort.table.select("upload_group", "split").join(
        cohort.table.select("upload_group", "split"), on="upload_group"
    )
    straddling = pairs.filter(pl.col("split") != pl.col("split_right")).height
    assert (pairs.height - cohort.table.height) / 2 > 1000
    assert straddling > (pairs.height - cohort.table.height) / 2


def test_the_one_real_recording_is_found(test_data: Path) -> None:
    table = CoughVid(root=test_data / "coughvid").read().table
    assert table.height == 20072
    assert table.filter("audio")["recording_id"].to_list() == [
        "939a9bf3-e49b-415e-a24f-ca554d5decdc"
    ]


def test_the_experts_of_the_real_table_are_read(test_data: Path) -> None:
    table = CoughVid(root=test_data / "coughvid").read().table
    experts = [name for name in table.columns if name.startswith("expert_")]
    assert len(experts) == 10
    heard = table.filter(pl.any_horizontal(pl.col(experts).is_not_null()))
    assert heard.height == 2200
    assert table["expert_dyspnea"].value_counts().drop_nulls().height == 2
