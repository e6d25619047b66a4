"""A user's own table: the mapping, what is refused together, what is set aside."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from pydantic import ValidationError

from raqa.corpora.manifest import Manifest
from raqa.errors import UserError

COLUMNS = {"path": "file", "subject": "who", "split": "set"}
AGE = {"age": {"column": "age", "unit": "year"}}


def corpus(folder: Path, text: str | bytes, **settings: object) -> Manifest:
    path = folder / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Manifest(name="mine", table=path, **{"attributes": AGE, **settings})  # type: ignore[arg-type]


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"RIFF")


def aside(manifest: Manifest) -> list[tuple[int, str]]:
    return manifest.read().set_aside.select("row", "reason").rows()


def test_a_table_becomes_recordings(tmp_path: Path) -> None:
    touch(tmp_path, "a.wav", "sub/b.wav")
    text = "file,who,set,age\na.wav,s1,train,30\nsub/b.wav,s2,dev,31\n"
    recordings = corpus(tmp_path, text, columns=COLUMNS).read()
    table = recordings.table
    assert table["recording_id"].to_list() == ["a.wav", "sub/b.wav"]
    assert table["path"].to_list() == [str(tmp_path / "a.wav"), str(tmp_path / "sub/b.wav")]
    assert table["split"].to_list() == ["train", "validation"]
    assert table["age"].to_list() == [30, 31]
    assert table["audio"].all()
    assert table["subject_known"].all()
    assert recordings.sources == (tmp_path / "table.csv",)
    assert recordings.set_aside.is_empty()


def test_without_a_subject_column_every_recording_is_its_own(tmp_path: Path) -> None:
    manifest = corpus(tmp_path, "path,age\na.wav,30\nb.wav,31\n")
    assert not manifest.subject_known
    table = manifest.read().table
    assert table["subject_id"].to_list() == ["a.wav", "b.wav"]
    assert not table["subject_known"].any()


@pytest.mark.parametrize(
    ("written", "side"),
    [("TRAIN", "train"), ("training", "train"), ("val", "validation"), ("valid", "validation"),
     ("dev", "validation"), ("eval", "test"), (" Test ", "test"), ("", None), ("NA", None)],
)  # fmt: skip
def test_usual_words_for_a_split_are_understood(
    tmp_path: Path, written: str, side: str | None
) -> None:
    text = f"path,age,set\na.wav,30,{written}\n"
    assert corpus(tmp_path, text, columns={"split": "set"}).read().table["split"][0] == side


def test_everything_that_refuses_a_table_is_said_at_once_with_rows(tmp_path: Path) -> None:
    text = (
        "file,who,set,age,id\n"
        "a.wav,s1,train,-1,one\nb.wav,s1,test,999,two\nc.wav,s2,holdout,NA,one\n"
        "d.wav,s3,train,45-50,four\n"
    )
    manifest = corpus(
        tmp_path, text, columns={**COLUMNS, "recording_id": "id"},
        attributes={**AGE, "bmi": {"column": "age", "unit": "stone"}, "aeg": {"column": "age"}},
    )  # fmt: skip
    with pytest.raises(UserError) as refusal:
        manifest.read()
    said = str(refusal.value)
    assert "bmi can not be read in the unit 'stone'. Choices: kg/m2, lb/in2" in said
    assert "There is no attribute 'aeg'. Did you mean age?" in said
    assert "the recording id 'one' stands in rows 2, 4" in said
    assert "the split 'holdout' (rows 4) is none of" in said
    assert "the subject 's1' stands in the splits test and train (rows 2, 3)" in said
    assert "row 2: age of -1 is outside 0.001-120 year" in said
    assert "row 3: age of 999 is outside" in said
    assert "row 5: age of 45-50 is a range" in said
    assert f"row 5: there is no file {tmp_path / 'd.wav'}" in said


def test_missing_columns_are_named_with_neighbours(tmp_path: Path) -> None:
    manifest = corpus(tmp_path, "File,whom,age\na,b,1\n", columns=COLUMNS)
    with pytest.raises(UserError) as refusal:
        manifest.read()
    assert len(refusal.value.problems) == 3
    assert "no column 'file'. Did you mean File?" in str(refusal.value)
    assert "no column 'who'. Did you mean whom?" in str(refusal.value)


def test_without_a_table_it_says_what_to_set() -> None:
    with pytest.raises(UserError, match=r"datamodule\.corpus\.table=/path/to/table\.csv"):
        Manifest(name="manifest").read()


def test_a_table_that_is_not_there_is_answered_with_the_way_to_get_it(tmp_path: Path) -> None:
    manifest = Manifest(name="m", table=tmp_path / "no.csv", how_to_get="ask the clinic")
    with pytest.raises(UserError, match=r"no table .*no\.csv.*ask the clinic"):
        manifest.read()


def test_odd_labels_are_read_or_set_aside_with_their_rows(tmp_path: Path) -> None:
    ages = ["35,5", "NA", "", "0", "-1", "999", "45-50", "nan", "40"]
    touch(tmp_path, *(f"{number}.wav" for number in range(len(ages))))
    text = "path,age\n" + "".join(f'{number}.wav,"{age}"\n' for number, age in enumerate(ages))
    manifest = corpus(tmp_path, text)
    assert manifest.read().table["age"].to_list() == [35.5, *[None] * 7, 40]
    assert [row for row, _ in aside(manifest)] == [5, 6, 7, 8]


def test_a_missing_file_keeps_its_row_and_is_named(tmp_path: Path) -> None:
    touch(tmp_path, "a.wav")
    manifest = corpus(tmp_path, "path,age\na.wav,30\nb.wav,31\n")
    assert manifest.read().table["audio"].to_list() == [True, False]
    assert aside(manifest) == [(3, f"there is no file {tmp_path / 'b.wav'}")]


def test_rows_that_are_no_recording_are_set_aside(tmp_path: Path) -> None:
    touch(tmp_path, "a.wav", "d/._b.wav")
    manifest = corpus(
        tmp_path, "file,who,set,age\na.wav,s,,30\nd/._b.wav,s,,30\n,s,,31\nc.wav,NA,,32\n",
        columns=COLUMNS,
    )  # fmt: skip
    assert manifest.read().table["recording_id"].to_list() == ["a.wav"]
    assert aside(manifest) == [
        (3, "an AppleDouble file of macOS, not audio"),
        (4, "no path is given"),
        (5, "who is empty, so that it may be anybody"),
    ]


def test_ids_are_compared_whole(tmp_path: Path) -> None:
    text = "file,who,set,age\na,p1,train,30\nab,p11,test,31\nabc,p111,train,32\n"
    table = corpus(tmp_path, text, columns=COLUMNS).read().table
    assert table["subject_id"].to_list() == ["p1", "p11", "p111"]


def test_segments_of_one_file_are_recordings_of_their_own(tmp_path: Path) -> None:
    touch(tmp_path, "a.wav")
    rows = ["0,1.5", '"1,5",3', ",", "2,1", "x,3", "-1,2"]
    text = "path,from,to,age\n" + "".join(f"a.wav,{row},30\n" for row in rows)
    manifest = corpus(tmp_path, text, columns={"start_s": "from", "end_s": "to"})
    table = manifest.read().table
    assert table.select("recording_id", "start_s", "end_s").rows() == [
        ("a.wav@0-1.5", 0, 1.5),
        ("a.wav@1,5-3", 1.5, 3),
        ("a.wav", None, None),
    ]
    assert [row for row, _ in aside(manifest)] == [5, 6, 7]


def test_paths_with_spaces_commas_and_accents_are_found(tmp_path: Path) -> None:
    names = ["BP9_Asthma,E W,P R L ,59,M.wav", "Zürich Süd.wav", "a;b.wav"]
    touch(tmp_path, *names)
    text = "path,age\n" + "".join(f'"{name}",30\n' for name in names)
    for encoding in ("utf-8", "latin-1"):
        assert corpus(tmp_path, text.encode(encoding)).read().table["audio"].all()


def test_a_name_that_was_written_on_another_system_is_found(tmp_path: Path) -> None:
    touch(tmp_path, unicodedata.normalize("NFD", "é.wav"), "sub/b.wav")
    text = "path,age\né.wav,30\nsub\\b.wav,31\n c.wav,32\n"
    assert corpus(tmp_path, text).read().table["audio"].to_list() == [True, True, False]


def test_paths_may_be_absolute_or_below_another_folder(tmp_path: Path) -> None:
    audio = tmp_path / "audio"
    touch(audio, "a.wav")
    text = f"path,age\na.wav,30\n{audio / 'a.wav'},31\n"
    table = corpus(tmp_path, text, audio_root=audio).read().table
    assert table["path"].unique().to_list() == [str(audio / "a.wav")]


def test_column_names_with_spaces_and_words_of_their_own_work(tmp_path: Path) -> None:
    manifest = corpus(
        tmp_path, " path , Alter \na.wav,30\n", columns={"path": "path "},
        attributes={"age": {"column": " Alter "}},
    )  # fmt: skip
    assert manifest.read().table["age"].to_list() == [30]


def test_an_unknown_setting_names_its_field(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="colums"):
        Manifest(name="m", colums={})  # type: ignore[call-arg]
    with pytest.raises(ValidationError, match=r"attributes\.age\.units"):
        Manifest(name="m", attributes={"age": {"column": "a", "units": "year"}})  # type: ignore[dict-item]


def test_the_call_centre_coughs_are_read_through_their_json(test_data: Path) -> None:
    folder = test_data / "covid19_cough"
    words = {True: "positive", False: "negative"}
    corpus = Manifest(
        name="covid19_cough", table=folder / "metadata.json", audio_root=folder / "raw",
        columns={"path": "filename"},  # type: ignore[arg-type]
        attributes={"covid_status": {"column": "covid19", "values": words}},  # type: ignore[dict-item]
    )  # fmt: skip
    recordings = corpus.read()
    assert recordings.table.height == len(json.loads((folder / "metadata.json").read_text()))
    assert set(recordings.table["covid_status"].drop_nulls()) == {"positive", "negative"}
    assert recordings.table["audio"].all()
    assert not recordings.table["subject_known"].any()


def test_file_names_of_the_stethoscope_corpus_are_all_found(
    test_data: Path, tmp_path: Path
) -> None:
    names = sorted(path.name for path in (test_data / "kauh" / "Audio Files").glob("*.wav"))
    people = [name[2:].split("_")[0] for name in names]
    ages = [name.rsplit(",", 2)[1] for name in names]
    pl.DataFrame({"path": names, "who": people, "age": ages}).write_csv(tmp_path / "k.csv")
    table = Manifest(
        name="kauh", table=tmp_path / "k.csv", audio_root=test_data / "kauh" / "Audio Files",
        columns={"path": "path", "subject": "who"}, attributes=AGE,  # type: ignore[arg-type]
    ).read().table  # fmt: skip
    assert table["audio"].all()
    assert table["age"].null_count() == 0
    assert table["subject_id"].n_unique() == 32
