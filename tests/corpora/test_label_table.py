"""Label files as they are found, read as one table of text."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.label_table import ROW, read_label_table, require_columns
from raqa.errors import UserError


def written(folder: Path, data: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
def test_text_is_read_in_any_usual_encoding(tmp_path: Path, encoding: str) -> None:
    table = read_label_table(written(tmp_path, "id,ort\n1,Zürich\n".encode(encoding)))
    assert table.columns == ["id", "ort", ROW]
    assert table["ort"].to_list() == ["Zürich"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_taken_from_the_header(tmp_path: Path, delimiter: str) -> None:
    text = "\r\n".join(delimiter.join(row) for row in (["id", "age"], ["a", '"35,5"'])) + "\r\n"
    assert read_label_table(written(tmp_path, text)).row(0) == ("a", "35,5", 2)


def test_column_names_lose_their_outer_spaces(tmp_path: Path) -> None:
    assert read_label_table(written(tmp_path, "id, QUALITY \na,1\n")).columns[:2] == [
        "id",
        "QUALITY",
    ]


def test_blank_rows_are_left_out_and_still_counted(tmp_path: Path) -> None:
    table = read_label_table(written(tmp_path, "id,age\na,1\n\nb,2\n"))
    assert table.rows() == [("a", "1", 2), ("b", "2", 4)]


@pytest.mark.parametrize("text", [
    "id,height\na,5'11\"\nb,\n\nc,6'\n", "id,height\na,5'11\"\nb\n\nc,6'\n",
])  # fmt: skip
def test_a_quotation_mark_within_a_cell_is_part_of_it(tmp_path: Path, text: str) -> None:
    table = read_label_table(written(tmp_path, text))
    assert table.rows() == [("a", "5'11\"", 2), ("b", None, 3), ("c", "6'", 5)]


def test_a_quotation_mark_that_is_never_closed_is_named_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a quotation mark has no other one: lines 3"):
        read_label_table(written(tmp_path, 'id,note\na,x\nb,"left open\nc,y\nd,z\n'))


def test_numbers_keep_their_leading_zeros(tmp_path: Path) -> None:
    assert read_label_table(written(tmp_path, "id\n007\n"))["id"].to_list() == ["007"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_every_kind_of_file_gives_the_same_table(tmp_path: Path, suffix: str) -> None:
    source = pl.DataFrame({"id": ["a", "b"], "age": [30.5, None]})
    path = tmp_path / f"t.{suffix}"
    if suffix == "json":
        path.write_text(json.dumps(source.to_dicts()))
    elif suffix == "jsonl":
        source.write_ndjson(path)
    elif suffix == "parquet":
        source.write_parquet(path)
    else:
        source.write_csv(path, separator="\t" if suffix == "tsv" else ",")
    assert read_label_table(path).rows() == [("a", "30.5", 2), ("b", None, 3)]


def test_a_workbook_is_read_with_its_blank_rows_counted(test_data: Path) -> None:
    table = read_label_table(test_data / "kauh" / "Data annotation.xlsx")
    assert {"Age", "Gender", "Diagnosis"} <= set(table.columns)
    assert table.row(0, named=True)["Age"] == "70"
    assert table[ROW].max() > table.height + 1


def test_json_keeps_truth_values_and_nulls_apart(tmp_path: Path) -> None:
    table = read_label_table(written(tmp_path, '[{"a": true}, {"a": null, "b": 1}]', "t.json"))
    assert table.rows() == [("true", None, 2), (None, "1", 3)][:2]


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        ("", "t.csv", "it is empty"),
        ("a,a \n1,2\n", "t.csv", "more than one column is named 'a'"),
        ("id,age\nx,1\ny,35,5\n", "t.csv", "row 3 has 3"),
        ('{"a": 1}', "t.json", "not a list of records"),
        ("{", "t.json", "can not be read"),
        (b"PK\x03\x04", "t.xlsx", "can not be read"),
        (b"PAR1", "t.parquet", "can not be read"),
        ("x", "t.doc", "a table's name ends with .csv"),
    ],
)
def test_what_is_no_table_is_refused_by_name(
    tmp_path: Path, data: bytes | str, name: str, reason: str
) -> None:
    with pytest.raises(UserError) as refusal:
        read_label_table(written(tmp_path, data, name))
    assert name in str(refusal.value)
    assert reason in str(refusal.value)


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no table"):
        read_label_table(tmp_path / "none.csv")


def test_a_missing_column_is_answered_with_its_neighbours(tmp_path: Path) -> None:
    path = written(tmp_path, "Subject,age\na,1\n")
    problems = require_columns(read_label_table(path), ["subject", "age"], path)
    assert len(problems) == 1
    assert "Did you mean Subject?" in problems[0]
    assert ROW not in problems[0]
