"""Weights & Biases offline: one run under the run's identity, read back from what was written."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import wandb

from raqa.main import main
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run
from raqa.reports.wandb_run import wandb_table

from .wandb_log import read_offline

SMALL = ("datamodule.corpus.subjects=40", "trainer.max_epochs=3", "seeds=2")
SECRET = "local-0123456789abcdef0123456789abcdef01234567"


def _train(runs: Path, *overrides: str) -> None:
    main([*SMALL, "logger=wandb_offline", f"paths.runs={runs}", *overrides])


def _tracked(runs: Path) -> list[dict[str, Any]]:
    return [read_offline(folder) for folder in sorted((runs / "wandb").glob("offline-run-*"))]


def _run(runs: Path) -> Run:
    (folder,) = runs.glob("demo-age-*")
    return read_run(folder)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("followed") / "runs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAQA_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
        patch.setenv("WANDB_API_KEY", SECRET)
        _train(runs, "logger.tags=[pilot]")
    return runs


def test_the_id_is_the_run_identity_and_groups_become_tags(followed: Path) -> None:
    (tracked,) = _tracked(followed)
    assert tracked["id"] == tracked["name"] == _run(followed).path.name
    assert tracked["group"] == "demo-age"
    assert tracked["job_type"] == "within"
    assert tracked["project"] == "raqa"
    assert tracked["tags"] == {
        "demo",
        "age",
        "mel_stats",
        "mlp_small",
        "within",
        "synthetic",
        "pilot",
    }
    assert tracked["exit"] == 0


def test_the_summary_holds_the_numbers_of_the_local_result(followed: Path) -> None:
    (tracked,), scores = _tracked(followed), _run(followed).scores
    summary = tracked["summary"]
    assert summary["mae_mean"] == pytest.approx(scores.mae.mean.value)
    assert summary["mae_sd"] == pytest.approx(scores.mae.sd.value)
    assert summary["mae_low"] == pytest.approx(scores.mae_interval.low.value)
    assert summary["baseline_median_mae"] == pytest.approx(scores.median_mae.value)
    assert summary["n_test"] == scores.recordings["test"]
    assert summary["mae_seed_1"] == pytest.approx(scores.mae.by_seed[1].value)
    assert summary["weights_real"] is True


def test_curves_config_tables_and_plot_are_there(followed: Path) -> None:
    (tracked,) = _tracked(followed)
    epochs = [row["epoch"] for row in tracked["history"] if "validation_mae" in row]
    assert len(epochs) == 3
    assert tracked["config"]["head"]["hidden"] == [256]
    assert tracked["config"]["provenance"]["versions"]["torch"]
    logged = {key.split("/")[0] for row in tracked["history"] for key in row}
    assert {"predictions", "set_aside", "predicted_against_true"} <= logged


def test_the_columns_that_the_documentation_names_are_there(followed: Path) -> None:
    (tracked,) = _tracked(followed)
    text = (Path(__file__).parents[2] / "docs" / "in_weights_and_biases.md").read_text("utf-8")
    of_every_run = text.split("Columns of every run:")[1].split("W&B sorts")[0]
    first_cells = [line.split("|")[1] for line in of_every_run.splitlines() if "`" in line]
    columns = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    assert len(columns) > 15
    assert columns <= set(tracked["summary"])
    words = set(re.findall(r"`provenance\.(\w+)", text))
    assert words <= set(tracked["config"]["provenance"])


def test_what_models_said_is_harmless_and_short_in_tables() -> None:
    said = ["=HYPERLINK(1)", "\x1b[2Jred\u202e", "x" * 10_000_000, None, "-3.5"]
    table = wandb_table(pl.DataFrame({"seed": range(5), "response": said}))
    first, second, third, *rest = [response for _, response in table.data]
    assert (first, second, rest) == ("'=HYPERLINK(1)", "[2Jred", [None, "-3.5"])
    assert len(third) < 1_000
    assert [seed for seed, _ in table.data] == [0, 1, 2, 3, 4]


def test_no_key_reaches_any_file(followed: Path) -> None:
    files = [path for path in followed.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


def test_an_interrupted_run_is_continued_under_the_same_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("raqa.fitting.predict_test", stop)
        with pytest.raises(KeyboardInterrupt):
            _train(runs)
    assert not list(runs.glob("demo-age-*"))
    time.sleep(1.1)  # offline folders are named by the second; a quick machine would use one twice
    _train(runs)
    first, second = _tracked(runs)
    assert first["id"] == second["id"] == _run(runs).path.name
    assert (first["exit"], second["exit"]) == (1, 0)
    assert "mae_mean" not in first["summary"]
    assert "mae_mean" in second["summary"]


def test_a_run_finishes_without_the_service_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WANDB_API_KEY", SECRET)
    monkeypatch.setattr("raqa.reports.wandb_session._said", set())
    wandb.teardown()  # the library keeps the address that it saw first
    runs, begun = tmp_path / "runs", time.monotonic()
    main([*SMALL, "logger=wandb", f"paths.runs={runs}"])
    took = time.monotonic() - begun
    wandb.teardown()
    assert capsys.readouterr().err.count("can not be reached") == 1
    assert took < 60
    (tracked,) = _tracked(runs)
    assert tracked["id"] == _run(runs).path.name
    assert tracked["exit"] == 0
