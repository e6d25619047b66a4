import hashlib
import json
import os
import subprocess
import sys

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.metrics import score_regression
from raqa.reports.run_folder import RunFolder, read_run, rescore

FILES = {
    "config.yaml",
    "provenance.json",
    "heads.safetensors",
    "fold.parquet",
    "predictions.parquet",
    "set_aside.csv",
    "steps.csv",
    "history.csv",
    "metrics.json",
}


def test_a_finished_run_has_its_files_and_nothing_hidden_beside_it(make_run):
    path = make_run()
    assert {file.name for file in path.iterdir()} == FILES
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert RunFolder(path).finished
    assert RunFolder(path).verify() == []


def test_a_run_reads_back_as_it_was_written(make_run):
    run = read_run(make_run(corpus="demo", synthetic=True))
    assert run.provenance.corpus == "demo"
    assert run.provenance.synthetic
    assert run.provenance.seeds == (0, 1, 2, 3, 4)
    assert run.config["head"]["dropout"] == 0.3
    assert run.steps[0].name == "labelled"
    assert run.set_aside.filter(item="g7").row(0, named=True)["value"] == ""
    assert run.set_aside.filter(item="b2_cough-shallow").row(0, named=True)["value"] is None
    assert {"age", "sex"} <= set(run.fold.columns)


def test_scores_computed_again_from_predictions_equal_the_stored_ones(make_run):
    for path in (make_run("five"), make_run("one", seeds=(3,)), make_run("flat", skill=0.0)):
        run = read_run(path)
        assert rescore(run) == run.scores


def test_a_run_of_a_version_that_knew_fewer_scores_is_scored_again(make_run):
    path = make_run()
    whole = read_run(path)
    stored = json.loads((path / "metrics.json").read_text())
    del stored["scores"]["mae"]
    (path / "metrics.json").write_text(json.dumps(stored))
    assert read_run(path).scores == whole.scores


def test_metrics_json_has_null_and_a_reason_where_a_number_is_undefined(make_run):
    stored = json.loads((make_run(seeds=(0,)) / "metrics.json").read_text())
    assert stored["scores"]["mae"]["sd"] == {
        "value": None,
        "reason": "one seed has no standard deviation",
    }


@pytest.mark.parametrize("name", sorted(FILES - {"metrics.json"}))
def test_a_changed_file_is_noticed_and_named(make_run, name):
    path = make_run()
    content = bytearray((path / name).read_bytes())
    content[len(content) // 2] ^= 1
    (path / name).write_bytes(content)
    with pytest.raises(UserError, match=name):
        read_run(path)


def test_missing_files_are_reported_together(make_run):
    path = make_run()
    (path / "predictions.parquet").unlink()
    (path / "steps.csv").unlink()
    with pytest.raises(UserError, match="force=true") as caught:
        read_run(path)
    assert "predictions.parquet is missing" in str(caught.value)
    assert "steps.csv is missing" in str(caught.value)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"scores": {}}', '{"scores": {}, "files": {}}']
)
def test_damaged_metrics_are_an_error_that_names_them(make_run, content):
    path = make_run()
    (path / "metrics.json").write_text(content)
    with pytest.raises(UserError, match=r"metrics\.json"):
        read_run(path)


def test_sound_files_of_another_version_are_no_run_until_it_is_made_again(make_run):
    path = make_run()
    file, metrics = path / "provenance.json", path / "metrics.json"
    facts = json.loads(file.read_text())
    del facts["head"]
    file.write_text(json.dumps(facts))
    stored = json.loads(metrics.read_text())
    stored["files"][file.name] = hashlib.sha256(file.read_bytes()).hexdigest()
    metrics.write_text(json.dumps(stored))
    (problem,) = RunFolder(path).verify()
    assert "can not be read as a run of this version" in problem
    assert "head: field required" in problem
    with pytest.raises(UserError, match="force=true to make it again"):
        read_run(path)


@pytest.mark.parametrize("scores", [{}, {"mae": 8}, None])
def test_scores_of_another_form_are_no_run(make_run, scores):
    path = make_run()
    metrics = path / "metrics.json"
    metrics.write_text(json.dumps(json.loads(metrics.read_text()) | {"scores": scores}))
    with pytest.raises(UserError, match="can not be read as a run of this version"):
        read_run(path)


def test_a_folder_without_metrics_is_not_a_finished_run(tmp_path):
    assert not RunFolder(tmp_path).finished
    with pytest.raises(UserError, match="not a finished run"):
        read_run(tmp_path)


def test_provenance_without_a_fact_is_refused_before_anything_is_published(make_run, tmp_path):
    with pytest.raises(UserError, match=r"weights_real: .*valid boolean"):
        make_run("broken", weights_real=None)
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_run_that_fails_leaves_nothing(tmp_path):
    folder = RunFolder(tmp_path / "run")

    def interrupted():
        with folder.draft() as draft:
            assert draft.path.name.startswith(".run.")
            assert draft.path.name.endswith(f"-{os.getpid()}.partial")
            (draft.path / "config.yaml").write_text("a: 1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def republish(path, fold, predictions, replace):
    run = read_run(path)
    with RunFolder(path).draft() as draft:
        draft.write(
            config="a: 1\n",
            provenance=run.provenance.model_dump(),
            fold=fold,
            predictions=predictions,
            set_aside=run.set_aside,
            steps=run.steps,
        )
        draft.publish(replace=replace, resamples=100)


def test_a_finished_run_stays_unless_it_is_to_be_replaced(make_run):
    path = make_run()
    run = read_run(path)
    other = run.predictions.with_columns(pl.col("prediction") + 1)
    republish(path, run.fold, other, replace=False)
    assert read_run(path).scores == run.scores
    republish(path, run.fold, other, replace=True)
    assert read_run(path).scores == score_regression(other, run.fold, resamples=100)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_an_unfinished_folder_gives_way(make_run, tmp_path):
    path = tmp_path / "runs" / "mine"
    path.mkdir(parents=True)
    (path / "leftover").write_text("x")
    make_run("mine")
    assert RunFolder(path).verify() == []
    assert not (path / "leftover").exists()


REPLACE = """
import shutil, sys
from pathlib import Path
from raqa.reports.run_folder import RunFolder
source, target = map(Path, sys.argv[1:])
for _ in range(15):
    with RunFolder(target).draft() as draft:
        for file in source.iterdir():
            if file.name != "metrics.json":
                shutil.copy(file, draft.path)
        draft.publish(replace=True, resamples=10)
"""


def test_processes_that_finish_the_same_run_at_once_leave_one_whole_run(make_run, tmp_path):
    target = tmp_path / "shared" / "run"
    arguments = [sys.executable, "-c", REPLACE, str(make_run()), str(target)]
    with subprocess.Popen(arguments) as one, subprocess.Popen(arguments) as other:
        assert (one.wait(), other.wait()) == (0, 0)
    assert RunFolder(target).verify() == []
    assert [entry.name for entry in target.parent.iterdir()] == ["run"]
