"""From the command to the run folder: same command, same run; honest counts; checks first."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from raqa.corpora.base import Recordings
from raqa.corpora.demo import Demo
from raqa.main import USER_MISTAKE, main
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run
from raqa.reports.text import warning_texts

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
    assert "predictions.parquet was changed or damaged" in " ".join(capsys.readouterr().err.split())
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


@pytest.mark.parametrize("head", ["mlp_small", "knn"])
def test_classes_go_the_same_way_as_numbers(train: Train, head: str) -> None:
    run = train("task=sex", f"head={head}")
    assert (run.provenance.kind, run.provenance.classes) == ("classification", ("female", "male"))
    assert run.path.name.startswith(f"demo-sex-mel_stats-{head}-within-")
    sums = run.predictions["probabilities"].list.sum()
    assert sums.to_list() == pytest.approx([1] * run.predictions.height)
    said = run.predictions["probabilities"].list.arg_max()
    assert said.cast(pl.Float64).equals(run.predictions["prediction"])
    assert set(run.fold["label"]) == {0, 1}
    assert run.fold.filter(label=1)["sex"].unique().to_list() == ["male"]
    assert run.classification.class_counts["test"] == (
        run.fold.filter(side="test", label=0).height,
        run.fold.filter(side="test", label=1).height,
    )


def test_the_sex_of_the_demo_can_be_learnt(train: Train) -> None:
    run = train("task=sex", "head=knn", "datamodule.corpus.subjects=120")
    assert run.classification.auroc.mean.value > 0.8
    assert run.scores.against_baseline == "above"


def test_the_prior_head_scores_exactly_the_baseline(train: Train) -> None:
    scores = train("task=sex", "head=prior").classification
    assert scores.cross_entropy.mean.value == pytest.approx(scores.prior_cross_entropy.value)
    assert scores.auroc.mean.value == 0.5
    assert scores.against_baseline == "undecided"


def test_a_class_that_nobody_has_is_said_before_it_is_believed(train: Train) -> None:
    run = train("task=sex", "+task.classes.neither=[other]")
    assert run.classification.class_counts["train"][2] == 0
    assert any("train side has no recording of neither" in one for one in run.scores.remarks)


def test_ridge_beats_the_median_and_all_its_seeds_are_one(train: Train) -> None:
    scores = train("head=ridge", "datamodule.corpus.subjects=120").regression
    assert scores.against_baseline == "above"
    assert scores.mae.sd.value == 0


def test_a_transferred_classifier_is_measured_against_the_targets_own(train: Train) -> None:
    run = train(*CROSS, "task=sex")
    assert run.own is not None
    assert run.transfer is not None
    gap = run.classification.cross_entropy.mean.value - run.transfer.own_error.mean.value
    assert run.transfer.gap.mean.value == pytest.approx(gap)
    assert "probabilities" in run.own.predictions.columns


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


@pytest.mark.slow
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


CROSS = (
    "regime=cross", "datamodule=demo_crowd_a", "datamodule@regime.target=demo_clinic",
    "regime.target.corpus.subjects=40",
)  # fmt: skip


def test_a_transferred_run_holds_what_it_is_measured_against(train: Train) -> None:
    run = train(*CROSS)
    assert run.path.name.startswith("demo_crowd_a-age-mel_stats-mlp_small-cross-to-demo_clinic-")
    assert set(run.fold.filter(side="test")["corpus"]) == {"demo_clinic"}
    assert set(run.fold.filter(pl.col("side") != "test")["corpus"]) == {"demo_crowd_a"}
    assert run.own is not None
    assert run.transfer is not None
    assert set(run.own.fold["corpus"]) == {"demo_clinic"}
    gap = run.regression.mae.mean.value - run.transfer.own_error.mean.value
    assert run.transfer.gap.mean.value == pytest.approx(gap)
    names = [step.name for step in run.steps]
    assert "demo_crowd_a: taken by the regime" in names  # without its test side
    assert "demo_clinic: audio usable" in names


def test_the_own_model_of_a_transferred_run_is_that_of_a_within_run(train: Train) -> None:
    within = train("datamodule=demo_clinic")
    transferred = train(*CROSS)
    assert transferred.own is not None
    assert transferred.own.predictions.equals(within.predictions)


def test_few_training_subjects_are_counted_and_leave_the_test_side_alone(train: Train) -> None:
    few, whole = (train("regime=low_n", f"regime.size={size}") for size in (10, "all"))
    assert few.scores.subjects["train"] == 10
    assert few.scores.recordings["test"] == whole.scores.recordings["test"]
    assert "-low_n-10-draw_0-" in few.path.name
    assert few.provenance.regime_settings["size"] == 10
    assert whole.predictions.equals(train().predictions)  # all is the within regime


def test_equal_updates_train_another_model_on_the_same_subjects(train: Train) -> None:
    few = ("regime=low_n", "regime.size=10", "trainer.batch_size=16")
    plain, equal = train(*few), train(*few, "regime.equal_updates=true")
    assert plain.fold.equals(equal.fold)
    assert not plain.predictions.equals(equal.predictions)


def test_an_official_split_that_overlaps_leaks_only_where_that_is_asked_for(
    train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Demo.read

    def published(corpus: Demo) -> Recordings:
        recordings = read(corpus)
        subject, first = pl.col("subject_id"), pl.col("recording_id") == "s0000_1"
        side = pl.when((subject < "s0010") & ~first).then(pl.lit("test"))
        side = side.when(subject.is_between(pl.lit("s0010"), pl.lit("s0016")))
        split = side.then(pl.lit("validation")).otherwise(pl.lit("train"))
        return replace(recordings, table=recordings.table.with_columns(split=split))

    monkeypatch.setattr(Demo, "read", published)
    honest, leaking = train("split=official"), train("split=official_as_is")
    assert honest.set_aside.filter(stage="split")["item"].to_list() == ["s0000_1"]
    assert honest.provenance.subjects_on_two_sides == 0
    assert leaking.provenance.subjects_on_two_sides == 1
    assert leaking.fold.height == honest.fold.height + 1
    warnings = warning_texts(leaking.scores, leaking.provenance)
    assert any(warning.startswith("Leaking: 1 subject on more than one") for warning in warnings)


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
