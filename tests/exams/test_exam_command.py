"""`raqa exam ...`, and the documented schema."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from raqa.exams.convert import exam_of_collection, questions_of
from raqa.exams.read import read_exam
from raqa.exams.row import FIELDS, NEEDED, ExamRow
from raqa.questions.build import build, parse_request
from raqa.questions.collection import scan
from raqa.tables import EXAM, EXAM_FORMS, QUESTIONS
from tests.conftest import Command
from tests.exams.made_exams import choice, inferred, write_lines

PAGE = Path(__file__).parents[2] / "docs" / "exams.md"


def test_the_documented_fields_are_those_that_are_read() -> None:
    found = re.findall(r"^\| `(\w+)` \| [\w ]+ \| (.+?) \| (.+?) \|$", PAGE.read_text(), re.M)
    assert [name for name, _, _ in found] == list(FIELDS)
    assert tuple(name for name, where, _ in found if where == "always") == NEEDED
    told = {name: field.description for name, field in ExamRow.model_fields.items()}
    assert {name: what for name, _, what in found} == told
    assert [*FIELDS, "form"] == [*(name for name in EXAM if name != "form"), "form"]


def test_every_type_is_documented() -> None:
    for types in EXAM_FORMS.values():
        for name in types:
            assert f"`{name}`" in PAGE.read_text()


def test_the_documented_examples_are_sound(tmp_path: Path) -> None:
    found = re.search(r"```json\n(.*?)```", PAGE.read_text(), re.S)
    assert found
    (tmp_path / "e.jsonl").write_text(found[1])
    assert read_exam(tmp_path / "e.jsonl").questions.height == 8


def test_check_says_everything_and_writes_it_down(tmp_path: Path, raqa: Command) -> None:
    file = write_lines(tmp_path / "e.jsonl", [choice(answer="=HYPERLINK(1)"), choice(turn=9)])
    told = raqa("exam", "check", str(file), "--out", str(tmp_path / "faults.csv"), status=2)
    assert "4 faults" in told
    table = pl.read_csv(tmp_path / "faults.csv")
    assert table["line"].to_list() == [1, 1, 2, 2]
    assert table["field"].to_list() == ["answer", "qa_id", "qa_id", "turn"]


def test_check_looks_for_the_audio(tmp_path: Path, raqa: Command) -> None:
    rows = [choice(), inferred()]
    file = write_lines(tmp_path / "e.jsonl", rows)
    (tmp_path / "clinic").mkdir()
    (tmp_path / "clinic" / "r1.wav").touch()
    told = raqa("exam", "check", str(file), "--audio", str(tmp_path), status=2)
    assert "1 of 2 files of audio are not in" in told
    assert "kauh/k1.wav; 1 questions are about them" in told
    assert f"{file} is sound" in raqa("exam", "check", str(file))


def test_show_counts_by_everything_that_is_said(tmp_path: Path, raqa: Command) -> None:
    rows = [choice(), choice("m2", difficulty="hard", subject_id=None, recording_id="r2"),
            inferred(question="[bold]\x1b[31mWhat?")]  # fmt: skip
    file = write_lines(tmp_path / "e.jsonl", rows)
    told = raqa("exam", "show", str(file))
    for part in ("all 3 3 2 and unknown ones", "medmosaic 2 2", "inferred 1 1 1", "easy 1 1 1",
                 "not said 1 1 1", "do not say who is heard"):  # fmt: skip
        assert part in told
    one = raqa("exam", "show", str(file), "i")
    assert "[bold] [31mWhat?" in one or "[bold][31mWhat?" in one
    assert "A. no coughs B. two coughs" in raqa("exam", "show", str(file), "m1")
    assert "2 questions begin so" in raqa("exam", "show", str(file), "m", status=2)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions about a small demo."""
    folder = tmp_path_factory.mktemp("made") / "collection"
    build(parse_request(["demo", "demo.corpus.subjects=20"]), folder)
    return folder


def test_a_collection_becomes_an_exam_and_is_read_back_equal(
    collection: Path, tmp_path: Path, raqa: Command
) -> None:
    lines, table = tmp_path / "e.jsonl", tmp_path / "e.parquet"
    told = raqa("exam", "convert", str(collection), str(lines))
    raqa("exam", "convert", str(lines), str(table))
    exported = exam_of_collection(collection)
    assert f"its audio is below {exported.audio}" in told
    assert_frame_equal(read_exam(lines).questions, exported.questions)
    assert_frame_equal(read_exam(table).questions, exported.questions)
    asked = scan(collection).collect().sort("qa_id").with_columns(split=pl.lit("test"))
    again = questions_of(read_exam(table).questions).select(*QUESTIONS)
    assert_frame_equal(again, asked.select(*QUESTIONS))
    for name in read_exam(lines).questions["audio"].unique():
        assert (exported.audio / name).is_file()


def test_one_side_of_a_collection_can_be_taken(
    collection: Path, tmp_path: Path, raqa: Command
) -> None:
    tested = scan(collection).filter(pl.col("split") == "test").collect()
    assert set(exam_of_collection(collection, "test").questions["qa_id"]) == set(tested["qa_id"])
    told = raqa("exam", "convert", str(collection), str(tmp_path / "e.jsonl"), "--audio",
                str(tmp_path / "elsewhere"), status=2)  # fmt: skip
    assert "are not below" in told


def test_the_file_that_the_help_names_is_written_by_the_demo(tmp_path: Path, raqa: Command) -> None:
    named = re.search(r"raqa exam show\s+(\S+)\.\s", raqa("exam", "--help"))
    assert named
    raqa("exam", "demo", "--out", str(tmp_path / "exam"))
    assert (tmp_path / named[1]).is_file()
