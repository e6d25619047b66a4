"""What a run's identity depends on, and what it does not."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from omegaconf import OmegaConf

from raqa.corpora.base import Recordings
from raqa.identity import identify, settled
from raqa.tables import RECORDINGS


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "audio").mkdir()
    for name in ("a.wav", "b.wav"):
        (tmp_path / "audio" / name).write_bytes(name.encode())
    (tmp_path / "labels.csv").write_text("id,age\na,3\n")
    return tmp_path


def _digest(folder: Path, *, seeds=(0, 1), weights: str = "none", **config: object) -> str:
    names = sorted(path.name for path in (folder / "audio").iterdir())
    rows = [
        {**dict.fromkeys(RECORDINGS), "corpus": "corpus", "recording_id": name, "audio": True,
         "path": str(folder / "audio" / name)}
        for name in names
    ]  # fmt: skip
    table = pl.DataFrame(rows, schema=dict(RECORDINGS))
    return identify(
        OmegaConf.create({"head": {"hidden": [3]}, "paths": {"runs": "runs"}, **config}),
        words=["corpus", "age"],
        seeds=seeds,
        recordings=[Recordings("corpus", table, sources=(folder / "labels.csv",))],
        weights=weights,
    ).name


def test_the_name_is_words_and_ten_digits(files: Path) -> None:
    slug, _, digest = _digest(files).rpartition("-")
    assert slug == "corpus-age"
    assert len(digest) == 10
    assert _digest(files) == _digest(files)


def test_labels_files_seeds_weights_and_settings_count(files: Path) -> None:
    before = _digest(files)
    assert _digest(files, seeds=(0, 2)) != before
    assert _digest(files, weights="random") != before
    assert _digest(files, head={"hidden": [4]}) != before
    os.utime(files / "audio" / "a.wav", (1, 1))
    touched = _digest(files)
    assert touched != before
    (files / "labels.csv").write_text("id,age\na,4\n")
    relabelled = _digest(files)
    assert relabelled not in {before, touched}
    (files / "audio" / "c.wav").write_bytes(b"c")
    assert _digest(files) != relabelled


def test_transient_fields_and_the_place_of_the_data_do_not_count(files: Path, tmp_path) -> None:
    before = _digest(files)
    assert _digest(files, paths={"runs": "elsewhere"}, force=True, logger={"x": 1}) == before
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("audio", "labels.csv"):
        (files / name).rename(moved / name)
    assert _digest(moved) == before


def test_settled_leaves_no_transient_field_behind() -> None:
    config = OmegaConf.create({"paths": {"a": 1}, "trainer": {"devices": 1, "patience": 2}})
    assert settled(config) == {"trainer": {"patience": 2}}


def test_the_place_of_a_second_corpus_is_transient_as_well() -> None:
    config = OmegaConf.create(
        {"regime": {"target": {"corpus": {"root": "/here", "name": "crowd"}}}}
    )
    assert settled(config) == {"regime": {"target": {"corpus": {"name": "crowd"}}}}
