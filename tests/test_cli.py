"""The raqa command, as it is typed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile

from raqa.configuration.folder import group_choices
from raqa.main import USER_MISTAKE

Command = Callable[..., str]
PUBLISHED = [
    name
    for name in group_choices("datamodule")
    if not name.startswith(("demo", "manifest", "questions", "exam"))
]
SMALL = ("datamodule.corpus.subjects=40", "trainer.max_epochs=3", "seeds=2")


@pytest.fixture
def run_folder(raqa: Command, tmp_path: Path) -> Path:
    raqa("train", *SMALL, f"paths.runs={tmp_path / 'runs'}")
    (folder,) = (tmp_path / "runs").glob("demo-age-*")
    return folder


def test_every_corpus_is_listed_with_its_licence(raqa: Command) -> None:
    shown = raqa("corpora", "list")
    assert all(name in shown for name in group_choices("datamodule"))
    assert "CC BY 4.0" in shown


def test_a_misspelt_corpus_names_the_near_one(raqa: Command) -> None:
    shown = raqa("corpora", "check", "coswra", status=USER_MISTAKE)
    assert "Did you mean coswara?" in shown


def test_a_check_counts_the_demo(raqa: Command) -> None:
    shown = raqa("corpora", "check", "demo", "datamodule.corpus.subjects=40")
    assert "audio present: 120 of 120" in shown
    assert "SYNTHETIC" in shown


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_check_of_what_is_not_there_says_how_to_get_it(
    raqa: Command, tmp_path: Path, name: str
) -> None:
    shown = raqa("corpora", "check", name, f"paths.data={tmp_path}", status=USER_MISTAKE)
    assert str(tmp_path / name) in shown  # where it was looked for
    assert "How to get it: " in shown


def test_a_check_without_a_name_says_of_every_corpus_what_is_there(
    raqa: Command, tmp_path: Path
) -> None:
    shown = raqa("corpora", "check", f"paths.data={tmp_path}")
    assert all(f"{name} missing" in shown for name in PUBLISHED)
    assert "demo synthetic" in shown
    assert "https://zenodo.org/records/10043978" in shown


def test_the_published_coswara_cohort_comes_out(raqa: Command, test_data: Path) -> None:
    shown = raqa("corpora", "check", "coswara", f"paths.data={test_data}")
    assert "age 7 to 87 year 2,561" in shown
    assert "35.08 13.94 11.31 year" in shown


def test_an_audit_decodes_everything_and_writes_a_list(raqa: Command, tmp_path: Path) -> None:
    out = tmp_path / "audit.csv"
    shown = raqa("corpora", "audit", "demo", "datamodule.corpus.subjects=20", "--out", str(out))
    assert "the whole list" in shown
    assert pl.read_csv(out).height == 60


def test_an_audit_of_real_recordings_names_silent_and_identical_files(
    raqa: Command, test_data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "audit.csv"
    shown = raqa("corpora", "audit", "coswara", f"paths.data={test_data}", "--out", str(out))
    assert "every sample is zero" in shown
    assert "htQzROl26OWQpIYFDzv11F79PLR2_cough-shallow" in shown


def test_training_help_is_the_same_as_train_py(raqa: Command) -> None:
    assert "raqa train datamodule=coswara" in raqa("train", "--help")


def test_a_report_names_its_files(raqa: Command, run_folder: Path, tmp_path: Path) -> None:
    shown = raqa("report", str(run_folder), "--out", str(tmp_path / "report"), "--format", "csv")
    assert "results.csv" in shown
    assert (tmp_path / "report" / "results.csv").is_file()
    assert "no folder" in raqa("report", str(tmp_path / "none"), status=USER_MISTAKE)


def test_a_folder_that_can_not_be_written_is_a_message(
    raqa: Command, run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "r")

    monkeypatch.setattr("raqa.reports.report.write_report", refuse)
    shown = raqa("report", str(run_folder), status=USER_MISTAKE)
    assert "r: read-only file system" in shown
    monkeypatch.setattr("raqa.run.run", refuse)
    assert "r: read-only file system" in raqa("train", status=USER_MISTAKE)


def test_a_run_answers_about_new_files_and_names_those_it_can_not(
    raqa: Command, run_folder: Path, tmp_path: Path
) -> None:
    sound, silent = tmp_path / "sound.wav", tmp_path / "silent.wav"
    soundfile.write(sound, np.random.default_rng(0).normal(0, 0.1, 16_000), 16_000)
    soundfile.write(silent, np.zeros(16_000), 16_000)
    shown = raqa("predict", str(run_folder), str(sound), str(silent), str(tmp_path / "none.wav"))
    assert "sound.wav" in shown
    assert "no answer: " + str(silent) + ": every sample is zero" in shown
    assert "none.wav: there is no audio file" in shown
    assert "Trained on synthetic recordings: these numbers mean nothing." in shown


def test_a_run_predicts_its_own_test_recordings_as_it_did(
    raqa: Command, run_folder: Path, tmp_path: Path
) -> None:
    from raqa.corpora.demo import Demo
    from raqa.predict import predict_files
    from raqa.reports.run_folder import read_run

    run = read_run(run_folder)
    demo = Demo(root=Path(run.config["datamodule"]["corpus"]["root"]), subjects=40).place
    wanted = run.predictions.group_by("recording_id").agg(pl.col("prediction").mean())
    files = [demo / f"{name}.wav" for name in wanted["recording_id"]]
    answers = predict_files(run_folder, files, tmp_path / "cache").answers
    assert answers["prediction"].to_numpy() == pytest.approx(
        wanted["prediction"].to_numpy(), abs=1e-4
    )


def test_a_run_that_predicts_classes_names_the_class_and_how_probable_it_is(
    raqa: Command, tmp_path: Path
) -> None:
    from raqa.corpora.demo import Demo
    from raqa.predict import predict_files
    from raqa.reports.run_folder import read_run

    raqa("train", *SMALL, "task=sex", "head=linear", f"paths.runs={tmp_path / 'runs'}")
    (folder,) = (tmp_path / "runs").glob("demo-sex-*")
    run = read_run(folder)
    demo = Demo(root=Path(run.config["datamodule"]["corpus"]["root"]), subjects=40).place
    wanted = (
        run.predictions.explode("probabilities")
        .with_columns(number=pl.int_range(pl.len()) % 2)
        .group_by("recording_id", "number")
        .agg(pl.col("probabilities").mean())
        .sort("probabilities")
        .group_by("recording_id")
        .last()
    )
    files = [demo / f"{name}.wav" for name in wanted["recording_id"]]
    answers = predict_files(folder, files, tmp_path / "cache").answers
    names = [run.provenance.classes[number] for number in wanted["number"]]
    assert answers["prediction"].to_list() == names
    assert answers["probability"].to_numpy() == pytest.approx(
        wanted["probabilities"].to_numpy(), abs=1e-4
    )
    shown = raqa("predict", str(folder), str(files[0]))
    assert names[0] in shown
    assert f"{answers['probability'][0]:.3f}" in shown
    assert "the run's test AUROC was" in shown


def test_the_cache_is_listed_and_emptied(raqa: Command, run_folder: Path) -> None:
    assert "MelStats" in raqa("cache", "ls")
    assert "would be removed" in raqa("cache", "prune", "--all", "--dry-run")
    assert "MelStats" in raqa("cache", "ls")
    raqa("cache", "prune", "--all")
    assert "nothing is kept" in raqa("cache", "ls")


def test_published_weights_are_listed_with_their_terms(raqa: Command) -> None:
    shown = raqa("weights", "list")
    assert all(name in shown for name in ("opera_ct", "opera_ce", "opera_gt", "hear", "m2d_resp"))
    assert "raqa weights fetch hear" in shown


def test_what_is_no_checkpoint_is_refused(raqa: Command, tmp_path: Path) -> None:
    (tmp_path / "page.ckpt").write_text("<html>not found</html>")
    shown = raqa("weights", "check", str(tmp_path / "page.ckpt"), status=USER_MISTAKE)
    assert "neither a safetensors nor a torch file" in shown
    shown = raqa("weights", "fetch", "opera_gtt", status=USER_MISTAKE)
    assert "Did you mean opera_gt" in shown


def test_embedding_only_fills_the_store_and_exports(raqa: Command, tmp_path: Path) -> None:
    out = tmp_path / "vectors.parquet"
    arguments = ("embed", "datamodule.corpus.subjects=20", "--export", str(out))
    assert "60 embeddings" in raqa(*arguments)
    assert "60 from the store, 0 computed now" in raqa(*arguments)
    table = pl.read_parquet(out)
    assert table.columns == ["recording_id", "vector"]
    assert table["vector"].to_numpy().shape == (60, 450)
    assert "must end with .parquet" in raqa("embed", "--export", "x.csv", status=USER_MISTAKE)
