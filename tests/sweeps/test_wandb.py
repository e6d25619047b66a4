"""Sweeps and reports in Weights & Biases, offline: which runs there are, and what no file holds."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from reports.wandb_log import read_offline

from raqa.fitting import predict_test

from .conftest import FAULTY, Command

SECRETS = {
    "WANDB_API_KEY": "local-0123456789abcdef0123456789abcdef01234567",
    "HF_TOKEN": "hf_markerMarkerMarkerMarkerMarker",
    "HUGGING_FACE_HUB_TOKEN": "hf_anotherAnotherAnotherAnother",
    "OPENAI_API_KEY": "sk-openMarkerOpenMarkerOpenMarker",
    "ANTHROPIC_API_KEY": "sk-ant-markerAntMarkerAntMarker",
}
EVERYTHING = """
import sys
from raqa.cli import app
runs, recipe, out, faulty = sys.argv[1:]
settings = [f"paths.runs={runs}", "logger=wandb_offline", "--config-dir", faulty]
sweep, report = ["sweep", recipe, *settings], ["report", recipe, *settings]
for command in (sweep, [*report, "--out", out, "--wandb=offline"]):
    try:
        app(command, standalone_mode=False)
    except SystemExit as stopped:
        print("status", stopped.code)
"""


def _tracked(runs: Path) -> list[dict[str, Any]]:
    return [read_offline(folder) for folder in sorted((runs / "wandb").glob("offline-run-*"))]


@pytest.mark.slow
def test_an_interrupted_sweep_that_is_continued_leaves_one_wandb_run_per_run(
    command: Command, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def interrupt_second(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return predict_test(*given)

    runs = tmp_path / "runs"
    with monkeypatch.context() as patch:
        patch.setattr("raqa.fitting.predict_test", interrupt_second)
        status, _ = command("sweep", recipe, "logger=wandb_offline")
    assert status == 130
    time.sleep(1.1)  # W&B's folders are named by the second
    assert command("sweep", recipe, "logger=wandb_offline")[0] == 0
    tracked, names = _tracked(runs), {path.name for path in runs.glob("demo-*")}
    assert len(names) == 2
    assert {one["id"] for one in tracked} == names
    assert [one["exit"] for one in tracked] == [0, 1, 0]
    assert tracked[1]["id"] == tracked[2]["id"]
    assert {one["group"] for one in tracked} == {"small"}
    assert [row["epoch"] for row in tracked[2]["history"] if "train_loss" in row] == [1, 2]


def test_the_group_is_the_users_where_one_is_named_and_moves_no_identity(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    grouped = ("logger=wandb_offline", "logger.group=pilot", "task=age")
    assert command("sweep", recipe, *grouped)[0] == 0
    (tracked,) = _tracked(tmp_path / "runs")
    assert tracked["group"] == "pilot"
    _, said = command("plan", recipe, "task=age")  # without W&B it is the same run
    assert "1 done" in said


def test_a_report_is_one_run_however_often_it_is_added(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    command("sweep", recipe)
    typed = ("--wandb=offline", "logger.project=lab", "--out", str(tmp_path / "report"))
    assert command("report", recipe, *typed)[0] == 0
    status, said = command("report", recipe, *typed)
    assert status == 0
    (tracked,) = _tracked(tmp_path / "runs")
    assert f"project lab: {tracked['id']}" in said
    assert (tracked["group"], tracked["job_type"], tracked["project"]) == ("small", "report", "lab")
    assert (tracked["summary"]["cells_done"], tracked["summary"]["cells_missing"]) == (2, 0)
    logged = {"/".join(key.split("/")[:-1]) for row in tracked["history"] for key in row}
    assert {"table", "pairs", "records", "page", "figures/predicted-1"} <= logged


@pytest.mark.slow
def test_a_report_of_other_results_is_another_run(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    typed = ("--wandb=offline", "--out", str(tmp_path / "report"))
    command("sweep", recipe, "task=age")
    command("report", recipe, *typed)
    command("sweep", recipe)
    command("report", recipe, *typed)
    first, second = _tracked(tmp_path / "runs")
    assert first["id"] != second["id"]
    assert [one["summary"]["cells_missing"] for one in (first, second)] == [1, 0]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("--wandb=ofline",), "Did you mean offline"),
        (("--wandb=offline", "logger=csv"), "needs a logger of Weights & Biases"),
    ],
)
def test_what_can_not_be_added_is_refused(
    command: Command, recipe: Path, typed: tuple[str, ...], expected: str
) -> None:
    status, said = command("report", recipe, *typed)
    assert status == 2
    assert expected in said


def test_bare_wandb_goes_online_and_needs_a_key(
    command: Command, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no netrc"))
    status, said = command("report", recipe, "--wandb")
    assert status == 2
    assert "no key for Weights & Biases" in said


def test_a_report_that_is_refused_has_its_files_and_no_traceback(
    command: Command, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise ValueError("too large")

    command("sweep", recipe, "task=age")
    monkeypatch.setattr("raqa.reports.recipes.wandb_table._content", refuse)
    out = tmp_path / "report"
    status, said = command("report", recipe, "--wandb=offline", "--out", str(out))
    assert status == 2
    assert "did not take the report (too large)" in said
    assert (out / "report.html").is_file()


@pytest.mark.slow  # a process of its own: the secrets are there before any library is imported
def test_no_secret_of_the_environment_is_in_any_file(tmp_path: Path, faulty_recipe: Any) -> None:
    runs = tmp_path / "runs"
    places = [str(one) for one in (runs, faulty_recipe("raise"), tmp_path / "report", FAULTY)]
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", EVERYTHING, *places],
        env={**os.environ, **SECRETS, "OMP_NUM_THREADS": "1", "TMPDIR": str(tmp_path),
             "HOME": str(tmp_path), "RAQA_CACHE": str(tmp_path / "cache"),
             "PYTHONPATH": os.pathsep.join([str(FAULTY), str(Path(__file__).parents[2])])},
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert "status 1" in ended.stdout  # one cell failed, so there is a traceback on disk as well
    assert {one["job_type"] for one in _tracked(runs)} == {"within", "report"}
    files = [path for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink()]
    assert {".wandb", ".log", ".html", ".parquet", ".safetensors"} <= {one.suffix for one in files}
    texts = {str(path): path.read_bytes() for path in files}
    texts |= {  # which is compressed
        f"rows of {path}": str(pl.read_parquet(path).to_dicts()).encode()
        for path in files
        if path.suffix == ".parquet"
    }
    texts["terminal"] = (ended.stdout + ended.stderr).encode()
    assert [(name, kind) for name, text in texts.items() for kind, secret in SECRETS.items()
            if secret.encode() in text] == []  # fmt: skip
