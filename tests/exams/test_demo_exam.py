"""The synthetic exam: every type, the same bytes everywhere, the right answers not given away."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import soundfile

from raqa.errors import UserError
from raqa.exams.demo import SUBJECTS, write_demo
from raqa.exams.demo_sounds import RATE
from raqa.exams.read import read_exam
from raqa.tables import EXAM_FORMS
from tests.conftest import Command


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo(tmp_path_factory.mktemp("made") / "exam")


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.*")):
        digest.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()


def test_it_is_sound_and_has_every_type_of_both_papers(demo: Path) -> None:
    exam = read_exam(demo)
    assert exam.cautions == ()
    assert set(exam.questions["question_type"]) == {
        *EXAM_FORMS["medmosaic"], *EXAM_FORMS["carecos"]}  # fmt: skip
    assert set(exam.questions["difficulty"].drop_nulls()) == {"easy", "medium", "hard"}
    assert set(exam.questions["audio_source"].drop_nulls()) == {"real", "synthetic"}
    for name in exam.questions["audio"].unique():
        assert soundfile.info(demo.parent / name).samplerate == RATE


def test_every_recording_of_carecos_has_two_questions_of_each_kind(demo: Path) -> None:
    asked = read_exam(demo).questions.filter(benchmark="carecos")
    counts = asked.group_by("recording_id", "question_type").len()["len"]
    assert counts.to_list() == [2] * (2 * 3 * SUBJECTS)


def test_the_same_bytes_are_made_again(demo: Path, tmp_path: Path) -> None:
    assert _digest(write_demo(tmp_path / "again").parent) == _digest(demo.parent)


def test_the_place_of_the_right_option_gives_nothing_away(demo: Path) -> None:
    choices = read_exam(demo).questions.filter(form="choice")
    places = [options.index(right) for options, right in choices.select("options", "answer").rows()]
    assert len(set(places)) == 10
    assert max(places.count(place) for place in range(10)) < 0.25 * len(places)


def test_a_folder_that_holds_something_is_left_alone(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UserError, match="is there already"):
        write_demo(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


def test_the_command_says_how_to_go_on(tmp_path: Path, raqa: Command) -> None:
    told = raqa("exam", "demo", "--out", str(tmp_path / "exam"))
    assert f"datamodule.corpus.file={tmp_path / 'exam' / 'demo_exam.jsonl'}" in told
    assert "seeds=1" in told
    assert "all 288 72 48" in told


def test_the_help_names_the_file_that_the_demo_writes(demo: Path, raqa: Command) -> None:
    assert f"raqa exam show exam/{demo.name}" in raqa("exam", "--help")
