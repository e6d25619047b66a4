"""Which questions a run asks: of its fold's recordings, on its fold's sides, whoever made them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.questions.task import QuestionTask
from raqa.questions.templates import Templates

from .conftest import collect, made_recordings

ASTHMA = ["yes", "no"] * 12


def _fold(recordings: Recordings) -> pl.DataFrame:
    """Sides that are not the collection's, without the last four recordings."""
    side = pl.when(pl.col("recording_id") < "r012").then(pl.lit("test")).otherwise(pl.lit("train"))
    rows = recordings.table.sort("recording_id").head(20)
    return rows.select("corpus", "recording_id", side=side)


@pytest.fixture(params=["collected", "made on the spot"])
def task(request: pytest.FixtureRequest, tmp_path: Path, shipped: Templates) -> QuestionTask:
    if request.param == "made on the spot":
        return QuestionTask()
    collect(made_recordings(asthma=ASTHMA), tmp_path / "qa", shipped)
    return QuestionTask(collection=tmp_path / "qa")


def test_a_question_is_on_the_side_that_its_recording_has_in_this_run(task: QuestionTask) -> None:
    recordings = made_recordings(asthma=ASTHMA)
    fold = _fold(recordings)
    questions = task.questions(recordings.table, fold)
    sides = dict(fold.select("recording_id", "side").iter_rows())
    assert set(questions["recording_id"]) <= set(sides)
    asked = questions.select("recording_id", "split").iter_rows()
    assert all(sides[recording] == split for recording, split in asked)
    assert set(questions["split"]) == {"train", "test"}


def test_only_recordings_that_can_be_asked_about_are_marked(task: QuestionTask) -> None:
    known = made_recordings(asthma=[*ASTHMA[:-1], None])
    marked = task.apply(known).table.select("recording_id", label=task.label)
    lacking = marked.filter(pl.col("label").is_null())["recording_id"].to_list()
    assert lacking == ([] if task.collection else ["r023"])


def test_a_side_without_a_question_is_refused(task: QuestionTask) -> None:
    recordings = made_recordings(asthma=ASTHMA)
    fold = pl.concat([
        _fold(recordings),
        pl.DataFrame({"corpus": ["clinic"], "recording_id": ["gone"], "side": ["validation"]}),
    ])  # fmt: skip
    with pytest.raises(UserError, match="of the validation side"):
        task.questions(recordings.table, fold)


def test_a_collection_about_other_recordings_is_refused(tmp_path: Path, shipped: Templates) -> None:
    collect(made_recordings(asthma=ASTHMA), tmp_path / "qa", shipped)
    other = made_recordings("hospital", asthma=ASTHMA)
    with pytest.raises(UserError, match="It is about clinic"):
        QuestionTask(collection=tmp_path / "qa").apply(other)


def test_a_damaged_collection_is_noticed_before_its_questions_are_used(
    tmp_path: Path, shipped: Templates
) -> None:
    collect(made_recordings(asthma=ASTHMA), tmp_path / "qa", shipped)
    file = tmp_path / "qa" / "clinic.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    recordings = made_recordings(asthma=ASTHMA)
    with pytest.raises(UserError, match="damaged"):
        QuestionTask(collection=tmp_path / "qa").questions(recordings.table, _fold(recordings))
