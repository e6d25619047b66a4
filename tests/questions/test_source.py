from dataclasses import replace
from pathlib import Path

import pytest

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.questions.build import build, parse_request
from raqa.questions.source import Source, audit_recordings, open_questions, read_recordings

from .published import write_published

SUBJECTS = "datamodule.corpus.subjects=12"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    build(parse_request(["demo", SUBJECTS]), tmp_path / "questions")
    return open_questions(tmp_path / "questions")


@pytest.fixture
def recordings(source: Source) -> list[Recordings]:
    return read_recordings(source)[0]


def test_a_collection_knows_its_datamodules_and_their_settings(source):
    assert source.title == "questions: questions about demo"
    assert source.datamodules == ("demo",)
    assert SUBJECTS in source.overrides


def test_its_recordings_are_read_as_when_it_was_made(source, recordings):
    assert recordings[0].table.height == 36
    asked = source.questions.collect()["recording_id"]
    assert set(asked) <= set(recordings[0].table["recording_id"])


def test_settings_that_are_given_later_win_and_those_of_one_corpus_stay_with_it(source, tmp_path):
    given = ["demo.corpus.subjects=10", f"paths.data={tmp_path}", f"paths.data={tmp_path / 'x'}"]
    both = replace(source, datamodules=("demo", "coswara"), overrides=("demo.corpus.subjects=99",))
    recordings, notes = read_recordings(both, given)
    assert [one.table.height for one in recordings] == [30]
    assert str(tmp_path / "x") in notes[0]


def test_a_setting_that_can_not_be_used_is_an_error_not_a_note(source):
    with pytest.raises(UserError, match="subjects=8"):
        read_recordings(source, ["demo.corpus.subjects=8"])


def test_a_published_folder_is_read_with_its_faults(tmp_path):
    source = open_questions(write_published(tmp_path))
    assert source.datamodules == ("coswara",)
    assert len(source.faults) == 6
    assert source.questions.collect().height == 6
    assert open_questions(tmp_path, "kauh").datamodules == ("kauh",)


def test_a_folder_of_neither_kind_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"collection\.json .* or metadata\.csv"):
        open_questions(tmp_path)


def test_recordings_that_are_not_here_are_a_note_not_an_error(source, tmp_path):
    elsewhere = replace(source, datamodules=("coswara", "nowhere"), overrides=())
    recordings, notes = read_recordings(elsewhere, [f"paths.data={tmp_path}"])
    assert recordings == []
    assert "recordings of coswara are not at hand" in notes[0]
    assert "there is no datamodule nowhere" in notes[1]


def test_recordings_that_are_asked_about_are_decoded_up_to_the_limit(source, recordings):
    audits, notes = audit_recordings(recordings, source.questions, most=5)
    assert audits["demo"].table.height == 5
    assert notes == ["5 of 36 recordings of demo were decoded, drawn by hash (--decode)"]
    assert set(audit_recordings(recordings, source.questions, most=99)[0]) == {"demo"}
