"""covid19-cough: uploads of two kinds, optional fields, coughs by their times."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from pydantic import ValidationError

from raqa.corpora.covid19_cough import Covid19Cough
from raqa.errors import UserError
from tests.corpora.miniatures import covid19_cough as miniature


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("miniature")
    miniature.write(place)
    return place


def test_every_upload_is_a_row_and_nobody_s(root: Path) -> None:
    corpus = Covid19Cough(root=root)
    table = corpus.read().table
    assert table.height == miniature.CALLS + miniature.MESSAGES
    assert not corpus.subject_known
    assert not table["subject_known"].any()
    assert table.filter(~pl.col("audio"))["recording_id"].to_list() == [miniature.name(3)]
    assert table["start_s"].null_count() == table.height


def test_optional_fields_stay_missing_where_they_are_absent(root: Path) -> None:
    table = Covid19Cough(root=root).read().table
    assert table.row(0, named=True)["covid_status"] == "positive"
    facts = ("covid_status", "asymptomatic", "verified", "source")
    assert table.select(facts).row(0) == ("positive", "yes", "yes", "call-center")
    assert table.select(facts).row(1) == ("negative", None, None, "call-center")


def test_fields_that_no_record_has_are_missing(tmp_path: Path) -> None:
    records = [{"filename": "a.mp3", "covid19": True}, {"filename": "b.mp3", "covid19": "maybe?"}]
    (tmp_path / "metadata.json").write_text(json.dumps(records))
    table = Covid19Cough(root=tmp_path).read().table
    assert table["source"].to_list() == [None, None]
    assert table["covid_status"].to_list()[0] == "positive"


def test_files_that_are_no_upload_are_set_aside(root: Path) -> None:
    aside = Covid19Cough(root=root).read().set_aside.filter(stage="layout")
    assert aside.select("item", "reason").rows() == [
        (f"._{miniature.name(0)}.mp3", "an AppleDouble file of macOS, not audio"),
        ("stray.mp3", "not in metadata.json"),
    ]


def test_coughs_are_taken_out_by_their_times(root: Path) -> None:
    recordings = Covid19Cough(root=root, rows="coughs").read()
    assert recordings.table.select("recording_id", "start_s", "end_s").rows() == [
        (miniature.name(4), 0.2, 0.7)
    ]
    untimed = recordings.set_aside.filter(stage="label")
    assert untimed.height == miniature.CALLS + miniature.MESSAGES - 1
    assert untimed.filter(item=miniature.name(5)).select("value", "reason").row(0) == (
        "0.7 to 0.2", "its start_at and end_at are no segment"
    )  # fmt: skip


def test_times_that_are_none_are_told_even_where_files_are_whole(root: Path) -> None:
    aside = Covid19Cough(root=root).read().set_aside.filter(stage="label")
    assert aside["item"].to_list() == [miniature.name(5)]


def test_another_folder_or_choice_is_refused(tmp_path: Path, test_data: Path) -> None:
    with pytest.raises(UserError, match="git clone https://github.com/covid19-cough"):
        Covid19Cough(root=tmp_path).read()
    with pytest.raises(ValidationError):
        Covid19Cough(root=tmp_path, rows="events")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="rows=recordings takes whole files"):
        Covid19Cough(root=test_data / "covid19_cough", rows="coughs").read()


def test_the_real_part_is_read_as_it_is(test_data: Path) -> None:
    recordings = Covid19Cough(root=test_data / "covid19_cough").read()
    table = recordings.table
    assert (table.height, table["audio"].sum()) == (283, 283)
    assert table["covid_status"].value_counts().sort("covid_status").rows() == [
        ("negative", 139), ("positive", 144)
    ]  # fmt: skip
    assert dict(table["asymptomatic"].value_counts().rows()) == {"yes": 74, "no": 68, None: 141}
    assert dict(table["verified"].value_counts().rows()) == {"yes": 86, "no": 152, None: 45}
    assert recordings.set_aside.is_empty()
