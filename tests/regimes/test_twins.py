"""Byte-identical audio is never on two sides, whoever's it is said to be."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.embeddings.hashes import HashCache
from raqa.regimes.base import Folds
from raqa.regimes.cross import Cross
from raqa.regimes.split import BySubject
from raqa.regimes.task import RegressionTask
from raqa.regimes.twins import twins_across
from raqa.regimes.within import Within

SPLIT = BySubject(train=0.6, validation=0.2, test=0.2, seed=0)
AGE = RegressionTask("age")


def _on_disk(table: pl.DataFrame, folder: Path, corpus: str) -> Recordings:
    """Write a file of its own for every recording, as bytes that tell who it is."""
    folder.mkdir()
    paths = [folder / f"{name}.wav" for name in table["recording_id"]]
    for path in paths:
        path.write_bytes(f"{corpus} {path.stem}".encode())
    placed = pl.Series([str(path) for path in paths])
    return SPLIT.apply(Recordings(corpus, table.with_columns(corpus=pl.lit(corpus), path=placed)))


@pytest.fixture
def recordings(maker, tmp_path: Path) -> Recordings:
    return _on_disk(maker(40), tmp_path / "audio", "clinic")


def _first(recordings: Recordings, side: str, place: int = 0) -> tuple[str, Path]:
    rows = recordings.table.filter(pl.col("side") == side)
    return rows["recording_id"][place], Path(rows["path"][place])


def _twins(folds: Folds, recordings: list[Recordings], folder: Path) -> dict[str, str]:
    aside = twins_across(folds, recordings, HashCache(folder / "hashes"))
    assert aside["stage"].unique().to_list() in ([], ["split"])
    return dict(zip(aside["item"], aside["reason"], strict=True))


def test_the_training_side_gives_way_to_the_test_side(recordings, tmp_path: Path) -> None:
    (learnt, copy), (asked, original) = _first(recordings, "train"), _first(recordings, "test")
    copy.write_bytes(original.read_bytes())
    folds = Within().folds([recordings], AGE)
    assert _twins(folds, [recordings], tmp_path) == {
        learnt: f"the same audio as {asked} on the test side, so it left the train side"
    }


def test_of_three_sides_only_the_last_keeps_the_audio(recordings, tmp_path: Path) -> None:
    found = {side: _first(recordings, side) for side in ("train", "validation", "test")}
    for _, path in found.values():
        path.write_bytes(b"the same")
    folds = Within().folds([recordings], AGE)
    assert set(_twins(folds, [recordings], tmp_path)) == {found["train"][0], found["validation"][0]}


def test_the_same_audio_on_one_side_may_stay(recordings, tmp_path: Path) -> None:
    for place in (0, 3):
        _first(recordings, "train", place)[1].write_bytes(b"the same")
    assert _twins(Within().folds([recordings], AGE), [recordings], tmp_path) == {}


def test_audio_that_two_corpora_share_is_not_learnt_from_the_one_and_asked_of_the_other(
    maker, tmp_path: Path
) -> None:
    source = _on_disk(maker(40), tmp_path / "clinic", "clinic")
    target = _on_disk(maker(40), tmp_path / "crowd", "crowd")
    learnt, copy = _first(source, "train")
    _first(source, "test")[1].write_bytes(b"asked nowhere")
    copy.write_bytes(_first(target, "test")[1].read_bytes())
    folds = Cross().folds([source, target], AGE)
    assert set(_twins(folds, [source, target], tmp_path)) == {learnt}


def test_files_that_are_not_there_are_nobodys_twin(maker, tmp_path: Path) -> None:
    nowhere = SPLIT.apply(Recordings("made", maker(40)))
    assert _twins(Within().folds([nowhere], AGE), [nowhere], tmp_path) == {}
