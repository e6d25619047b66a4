"""A collection as a corpus: its recordings, where they are on this machine."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.questions.build import make_part
from raqa.questions.collection import write
from raqa.questions.corpus import QuestionCorpus
from raqa.questions.generate import Generator, QuestionSettings
from raqa.questions.templates import Templates

from .conftest import made_recordings


def _collection(folder: Path, data: Path, templates: Templates) -> Path:
    """A collection that was built where corpora lay in `data`; one recording lies elsewhere."""
    made = made_recordings("clinic", asthma=["yes", "no"] * 6)
    paths = [str(data / "clinic" / f"{name}.wav") for name in made.table["recording_id"]]
    table = made.table.with_columns(path=pl.Series([*paths[:-1], "/elsewhere/last.wav"]))
    recordings = Recordings("clinic", table)
    part = make_part(Generator(table, templates, QuestionSettings()), recordings)
    write(folder, [part], {"data": str(data)}, templates.hash)
    return folder


def test_recordings_keep_their_corpus_their_side_and_their_labels(
    tmp_path: Path, shipped: Templates
) -> None:
    folder = _collection(tmp_path / "qa", tmp_path / "there", shipped)
    read = QuestionCorpus(folder=folder).read()
    assert read.corpus == "questions"
    assert set(read.table["corpus"]) == {"clinic"}
    assert set(read.table["split"]) == {"train", "validation", "test"}
    assert read.table["asthma"].to_list() == ["yes", "no"] * 6
    assert read.set_aside.height == 12  # no file is there, and each is told


def test_recordings_are_looked_for_where_corpora_are_now(
    tmp_path: Path, shipped: Templates
) -> None:
    folder = _collection(tmp_path / "qa", tmp_path / "there", shipped)
    (tmp_path / "here" / "clinic").mkdir(parents=True)
    (tmp_path / "here" / "clinic" / "r000.wav").touch()
    table = QuestionCorpus(folder=folder, data=tmp_path / "here").read().table
    first, last = table.sort("recording_id").rows(named=True)[:: table.height - 1]
    assert (first["path"], first["audio"]) == (str(tmp_path / "here/clinic/r000.wav"), True)
    assert (last["path"], last["audio"]) == ("/elsewhere/last.wav", False)


@pytest.mark.parametrize("folder", [None, Path("/nowhere")])
def test_without_a_collection_it_says_how_to_get_one(folder: Path | None) -> None:
    with pytest.raises(UserError, match="raqa qa build"):
        QuestionCorpus(folder=folder).read()
