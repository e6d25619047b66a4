"""Corpora with segments are trained on as a user does it, and what was left out is in the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from raqa.main import main
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run
from tests.corpora.miniatures import circor, hf_lung, icbhi, sprsound

Write = Callable[[Path], None]


def train(write: Write, folder: Path, corpus: str, *settings: str) -> Run:
    (folder / corpus).mkdir()
    write(folder / corpus)
    main([f"datamodule={corpus}", "encoder=mel_stats", "head=linear", "trainer.max_epochs=2",
          "seeds=1", f"paths.data={folder}", f"paths.runs={folder}/runs", *settings])  # fmt: skip
    (run,) = (folder / "runs").glob(f"{corpus}-*")
    return read_run(run)


def test_icbhi_leaves_overlapping_subjects_out_of_training_and_says_so(tmp_path: Path) -> None:
    run = train(icbhi.write, tmp_path, "icbhi", "task=crackle")
    sides = run.fold.group_by("subject_id").agg(pl.col("side").unique())
    assert sides["side"].list.len().max() == 1
    assert set(run.fold["side"]) == {"train", "validation", "test"}
    tested = run.fold.filter(pl.col("side") == "test")
    assert {"156", "218"} <= set(tested["subject_id"])
    left = run.set_aside.filter(pl.col("reason").str.contains("left the train side"))
    assert left.height == 6
    assert run.fold["recording_id"].str.contains("-").all()  # cycles


@pytest.mark.parametrize(
    ("write", "corpus", "settings"),
    [
        (hf_lung.write, "hf_lung", ["task=breath_phase", "datamodule.corpus.rows=events"]),
        (sprsound.write, "sprsound", ["task=lung_sound_class"]),
        (circor.write, "circor", ["task=heart_phase", "datamodule.corpus.rows=phases"]),
    ],
)
def test_the_others_train_too(
    tmp_path: Path, write: Write, corpus: str, settings: list[str]
) -> None:
    run = train(write, tmp_path, corpus, *settings)
    assert run.predictions.height
    assert run.set_aside.height
