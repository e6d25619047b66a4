from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from raqa.questions.published import read_published
from raqa.questions.records import RECORD, write_records
from raqa.questions.templates import Templates

from .conftest import collect, made_recordings


@pytest.fixture
def files(tmp_path: Path, shipped: Templates) -> dict[str, Path]:
    recordings = made_recordings(asthma=["yes", "no"] * 6, age=[30.0] * 12)
    half = pl.col("subject_id").str.slice(1).cast(pl.Int64) // 4  # three subjects of four
    table = recordings.table.with_columns(subject_id=pl.format("p{}", half), side=pl.lit("test"))
    object.__setattr__(recordings, "table", table)
    collection = collect(recordings, tmp_path / "questions", shipped, wordings="all", balance=False)
    suffixes = {"clinic": dict.fromkeys(table["recording_id"], ".flac")}
    return {path.stem: path for path in write_records(collection, suffixes)}


def test_a_record_is_a_subject_and_a_question_with_lists_in_parallel(
    files: dict[str, Path],
) -> None:
    records = json.loads(files["asthma"].read_text())
    assert all(tuple(record) == RECORD for record in records)
    verify = [one for one in records if one["question"] == "Does this person have asthma?"]
    assert [one["patient_id"] for one in verify] == ["p0", "p1", "p2"]
    assert verify[0]["audio_filename_list"] == [f"r00{place}.flac" for place in range(4)]
    assert [answer[:3] for answer in verify[0]["answers_list"]] == ["Yes", "No,", "Yes", "No,"]
    assert {one["question_type"] for one in records} == {
        "open-ended", "multiple-choice", "single-verify"}  # fmt: skip
    assert [one["id"] for one in records] == list(range(len(records)))
    for one in records:
        assert one["audio_filename_list"] == sorted(one["audio_filename_list"])


def test_the_datasets_library_loads_the_records(files: dict[str, Path], tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(
        "json", data_files=str(files["age"]), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded.num_rows == len(json.loads(files["age"].read_text()))
    assert loaded[0]["answers_list"] == ["The person in this recording is 30 years old."] * 4


def test_records_are_read_again_as_the_questions_they_were_made_of(files: dict[str, Path]) -> None:
    folder = files["age"].parents[1]
    lines = [f"p{place // 4},test,r{place:03d}.flac" for place in range(12)]
    (folder / "metadata.csv").write_text("\n".join(["Patient ID,Split,Audio File", *lines]))
    published = read_published(folder, "clinic")
    asked = published.questions.filter(pl.col("attribute") == "age")
    assert asked["value"].to_list() == [30.0] * asked.height
    assert asked.height == 12 * 3
    assert published.set_aside.is_empty()
