from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from raqa.errors import UserError
from raqa.questions.collection import Collection, scan, write
from raqa.questions.records import write_records
from raqa.questions.templates import Templates

from .conftest import collect, made_recordings

SHUFFLED = """
import sys
from pathlib import Path
import polars as pl
from raqa.questions.templates import load_templates
from tests.questions.conftest import collect
from tests.questions.test_collection import people
recordings, turn = people(), int(sys.argv[2])
table = recordings.table.sample(fraction=1, shuffle=True, seed=turn)
object.__setattr__(recordings, "table", table)
print(pl.thread_pool_size(), collect(recordings, Path(sys.argv[1]), load_templates()).content)
"""


def people():
    return made_recordings(
        sex=["female", "male", None] * 20,
        age=[20.0 + place / 7 for place in range(60)],
        copd_severity=[str(place % 5) for place in range(60)],
        lung_sounds=[["wheeze", "crackle"], ["normal"], None] * 20,
    )


@pytest.fixture
def folder(tmp_path: Path, shipped: Templates) -> Path:
    return collect(people(), tmp_path / "questions", shipped).folder


def test_the_same_inputs_give_the_same_bytes(
    folder: Path, tmp_path: Path, shipped: Templates
) -> None:
    again = collect(people(), tmp_path / "again", shipped)
    assert again.content == Collection.open(folder).content
    for name in ("clinic.parquet", "collection.json"):
        assert (again.folder / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("threads", ["1", "2"])
def test_neither_the_order_of_rows_nor_threads_change_a_byte(
    folder: Path, tmp_path: Path, threads: str
) -> None:
    counts = {"POLARS_MAX_THREADS": threads, "OMP_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
    done = subprocess.run(
        [sys.executable, "-c", SHUFFLED, str(tmp_path / "other"), threads],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
        env={**os.environ, **counts, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.stdout.split() == [threads, Collection.open(folder).content]


def test_other_answers_give_another_content_hash(
    folder: Path, tmp_path: Path, shipped: Templates
) -> None:
    recordings = people()
    older = replace(recordings, table=recordings.table.with_columns(pl.col("age") + 1))
    assert collect(older, tmp_path / "older", shipped).content != Collection.open(folder).content


def test_text_is_dictionary_encoded_and_plain_for_any_reader(folder: Path) -> None:
    file = pq.ParquetFile(folder / "clinic.parquet")
    for place, column in enumerate(file.schema_arrow.names):
        chunk = file.metadata.row_group(0).column(place)
        encoded = "RLE_DICTIONARY" in chunk.encodings
        assert encoded == (column not in {"qa_id", "value"}), column
    assert str(file.schema_arrow.field("question").type) == "string"


def test_what_is_in_the_collection_is_counted(folder: Path) -> None:
    facts, questions = Collection.open(folder).facts, scan(folder).collect()
    about = facts["corpora"]["clinic"]
    assert facts["rows"] == about["rows"] == questions.height
    assert about["known"] == {"age": 60, "sex": 40, "copd_severity": 60, "lung_sounds": 40}
    for one in about["questions"]:
        rows = questions.filter(
            (pl.col("attribute") == one["attribute"])
            & (pl.col("question_type") == one["question_type"])
        )
        sides = {side: one[side] for side in ("train", "validation", "test") if one[side]}
        assert dict(rows.group_by("split").len().iter_rows()) == sides
    written = pl.read_csv(folder / "dropped.csv")["rows"].sum()
    assert written == sum(row["rows"] for row in facts["dropped"]) > 0


def test_a_missing_a_shortened_and_a_changed_file_are_named(folder: Path) -> None:
    file = folder / "clinic.parquet"
    whole = file.read_bytes()
    flipped = whole[:500] + bytes([whole[500] ^ 1]) + whole[501:]
    for content in (flipped, whole[:-10]):
        file.write_bytes(content)
        with pytest.raises(UserError, match="is damaged"):
            scan(folder)
    file.unlink()
    with pytest.raises(UserError, match="is missing"):
        scan(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 99}', "3"])
def test_damaged_facts_are_a_message(folder: Path, text: str) -> None:
    (folder / "collection.json").write_text(text)
    with pytest.raises(UserError, match=r"collection\.json is damaged"):
        scan(folder)


def test_a_folder_without_questions_says_how_to_make_some(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="raqa qa build"):
        scan(tmp_path)


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path, shipped: Templates) -> None:
    (tmp_path / "thesis.txt").write_text("")
    with pytest.raises(UserError, match=r"thesis\.txt"):
        collect(people(), tmp_path, shipped)


def test_an_old_collection_is_replaced_whole(folder: Path, shipped: Templates) -> None:
    write_records(Collection.open(folder))
    other = made_recordings("hospital", age=[30.0])
    assert list(collect(other, folder, shipped).facts["corpora"]) == ["hospital"]
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["collection.json", "hospital.parquet", "recordings.parquet"]


def test_a_collection_of_nothing_is_empty(tmp_path: Path) -> None:
    write(tmp_path / "none", [], {}, "")
    assert scan(tmp_path / "none").collect().is_empty()


def test_the_content_hash_is_of_the_files(folder: Path) -> None:
    digest = hashlib.sha256((folder / "clinic.parquet").read_bytes()).hexdigest()
    content = hashlib.sha256(json.dumps({"clinic": digest}).encode()).hexdigest()
    assert Collection.open(folder).content == content


def test_the_datasets_library_loads_it(folder: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    files = str(folder / "clinic.parquet")
    loaded = datasets.load_dataset(
        "parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded.to_polars().equals(scan(folder).collect())


@pytest.mark.parametrize("name", ["../../thesis", "a/b", "..", ".hidden"])
def test_no_file_outside_the_folder_is_written_read_or_removed(
    folder: Path, tmp_path: Path, shipped: Templates, name: str
) -> None:
    with pytest.raises(UserError, match="can not be a file's name"):
        collect(made_recordings(name, age=[30.0]), tmp_path / "other", shipped)
    facts = json.loads((folder / "collection.json").read_text())
    facts["corpora"] = {name: facts["corpora"]["clinic"]}
    (folder / "collection.json").write_text(json.dumps(facts))
    outside = (folder / f"{name}.parquet").resolve()
    outside.parent.mkdir(parents=True, exist_ok=True)
    outside.write_bytes(b"mine")
    with pytest.raises(UserError, match="is damaged"):
        scan(folder)
    collect(people(), folder, shipped)
    assert outside.read_bytes() == b"mine"
