"""From the command to the run folder: same command, same run; honest counts; checks first."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from raqa.main import USER_MISTAKE, main
from raqa.reports.run_folder import Run, read_run

CHECKOUT = Path(__file__).parents[1]
SMALL = ("datamodule.corpus.subjects=40", "trainer.max_epochs=3", "seeds=2")
Train = Callable[..., Run]


@pytest.fixture
def train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Train:
    """Run the training command on a small demo; the one run folder that it leaves or shows."""

    def call(*overrides: str, small: bool = True) -> Run:
        runs = tmp_path / "runs"
        main([*(SMALL if small else ()), f"paths.runs={runs}", *overrides])
        shown = capsys.readouterr().out.replace("\n", "")
        (found,) = [p for p in runs.iterdir() if p.name != "splits" and p.name in shown]
        return read_run(found)

    return call


def test_a_run_leaves_everything_that_its_numbers_come_from(train: Train) -> None:
    run = train()
    files = {path.name for path in run.path.iterdir()}
    assert files == {
        "config.yaml", "provenance.json", "fold.parquet", "predictions.parquet",
        "set_aside.csv", "steps.csv", "history.csv", "heads.safetensors", "metrics.json",
    }  # fmt: skip
    assert run.path.name.startswith("demo-age-mel_stats-mlp_small-within-")
    assert run.provenance.synthetic
    assert run.provenance.weights == "none"
    assert run.scores.seeds == (0, 1)
    assert run.predictions.height == 2 * run.scores.recordings["test"]


def test_the_cohort_is_counted_down_to_what_was_used(train: Train) -> None:
    run = train()
    names = [step.name for step in run.steps]
    assert names == ["in the label tables", "audio present", "age known, on a side", "audio usable"]
    assert run.steps[0].recordings == 120
    assert run.steps[2].recordings < 120  # the demo lacks a few ages
    assert run.steps[3].recordings == run.fold.height == sum(run.scores.recordings.values())


def test_the_same_command_again_shows_the_result_and_trains_nothing(train: Train) -> None:
    first = train()
    written = (first.path / "metrics.json").stat().st_mtime_ns
    again = train()
    assert again.path == first.path
    assert (again.path / "metrics.json").stat().st_mtime_ns == written


def test_force_trains_again_and_gives_the_same_predictions(train: Train) -> None:
    first = train()
    written = (first.path / "metrics.json").stat().st_mtime_ns
    again = train("force=true")
    assert (again.path / "metrics.json").stat().st_mtime_ns > written
    assert again.predictions.equals(first.predictions)


def test_transient_settings_do_not_make_another_run(train: Train) -> None:
    first = train()
    assert train("embed.batch_s=4", "embed.workers=1", "trainer.accelerator=cpu").path == first.path


@pytest.mark.parametrize(
    "override", ["trainer.learning_rate=1e-3", "clip.length_s=1.5", "head.dropout=0.1", "seeds=3",
                 "split.otherwise.seed=1", "encoder.bands=32"],
)  # fmt: skip
def test_a_setting_that_changes_numbers_makes_another_run(train: Train, override: str) -> None:
    first = train()
    other = train(override)
    assert other.path != first.path
    assert not other.predictions.equals(first.predictions)


def test_a_corrupted_run_is_noticed_and_force_mends_it(train: Train, capsys) -> None:
    first = train()
    (first.path / "predictions.parquet").write_bytes(b"garbage")
    with pytest.raises(SystemExit) as stopped:
        train()
    assert stopped.value.code == USER_MISTAKE
    assert "predictions.parquet was changed or damaged" in capsys.readouterr().err
    assert train("force=true").predictions.equals(first.predictions)


def test_all_tasks_share_one_split_and_it_is_written_down(train: Train, tmp_path: Path) -> None:
    age, bmi = train(), train("task=bmi")
    (written,) = (tmp_path / "runs" / "splits").glob("*.csv")
    sides = dict(pl.read_csv(written).select("subject_id", "side").rows())
    for run in (age, bmi):
        assert all(sides[s] == side for s, side in run.fold.select("subject_id", "side").rows())
    from_file = train("split=from_file", f"split.file={written}")
    assert from_file.fold.equals(age.fold)
    assert from_file.predictions.equals(age.predictions)


def test_the_median_head_scores_exactly_the_baseline(train: Train) -> None:
    scores = train("head=median").scores
    assert scores.mae.mean.value == pytest.approx(scores.median_mae.value)
    assert scores.against_baseline == "undecided"


def test_unusable_audio_is_set_aside_by_name_and_not_in_the_fold(train: Train, tmp_path) -> None:
    folder = tmp_path / "own"
    _write_manifest(folder)
    run = train(
        "datamodule=manifest", f"datamodule.corpus.table={folder / 'table.csv'}",
        "datamodule.corpus.columns.subject=who",
        "+datamodule.corpus.attributes.age={column: age, unit: year}", "trainer.max_epochs=3",
        small=False,
    )  # fmt: skip
    assert run.set_aside.filter(pl.col("stage") == "audio").height == 1
    assert run.set_aside["item"].str.contains("silent").any()
    assert run.fold.height == 39
    assert "silent" not in "".join(run.fold["recording_id"])


def test_two_fresh_processes_give_identical_predictions(tmp_path: Path) -> None:
    tables = []
    for name in ("first", "second"):
        runs = tmp_path / name
        subprocess.run(
            [sys.executable, "train.py", *SMALL, f"paths.runs={runs}"],
            cwd=CHECKOUT, check=True, capture_output=True,
        )  # fmt: skip
        (folder,) = runs.glob("demo-*")
        tables.append(read_run(folder).predictions)
    assert tables[0].equals(tables[1])


def test_no_absolute_path_decides_the_identity(train: Train, tmp_path: Path) -> None:
    here = train()
    moved = train(f"datamodule.corpus.root={tmp_path / 'elsewhere'}")
    assert moved.path == here.path


def test_provenance_names_versions_and_commit(train: Train) -> None:
    facts = json.loads((train().path / "provenance.json").read_text())
    assert facts["versions"]["torch"]
    assert facts["seeds"] == [0, 1]
    assert facts["embeddings"]["reused"] + facts["embeddings"]["computed"] > 0


def test_coswara_runs_on_real_clips_and_names_the_bad_ones(train: Train, test_data: Path) -> None:
    run = train(
        "datamodule=coswara", f"paths.data={test_data}", "trainer.max_epochs=3", small=False
    )
    reasons = dict(run.set_aside.select("item", "reason").rows())
    silent = [item for item, reason in reasons.items() if reason == "every sample is zero"]
    assert silent == ["htQzROl26OWQpIYFDzv11F79PLR2_cough-shallow"]
    assert sum("9XKj7fAmvwPUas9GFPZuTpev7T03" in item for item in reasons) == 9  # headers alone
    assert run.scores.few_subjects
    assert [step.recordings for step in run.steps][-1] == 43


def _write_manifest(folder: Path) -> None:
    import numpy as np
    import soundfile

    folder.mkdir()
    generator = np.random.default_rng(5)
    rows = []
    for subject in range(40):
        name = "silent.wav" if subject == 7 else f"{subject}.wav"
        samples = generator.normal(0, 0.1, 16_000) * (subject != 7)
        soundfile.write(folder / name, samples, 16_000)
        rows.append({"path": name, "who": f"p{subject}", "age": 20 + subject})
    pl.DataFrame(rows).write_csv(folder / "table.csv")
