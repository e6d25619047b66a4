"""The training command as it is typed: help, mistakes, what it imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from raqa.configuration.folder import group_choices, group_texts, recipe_names
from raqa.main import USER_MISTAKE, main

CHECKOUT = Path(__file__).parents[1]
HEAVY = (
    "torch",
    "pytorch_lightning",
    "transformers",
    "sklearn",
    "matplotlib",
    "wandb",
    "torchaudio",
)


def _fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == USER_MISTAKE
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return " ".join(captured.err.split())


def test_help_shows_every_group_and_every_choice(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    shown = capsys.readouterr().out
    for group in group_texts():
        if not group.startswith("hydra/"):
            assert group in shown
            assert all(choice in shown for choice in group_choices(group))


def test_help_shows_every_line_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    shown = "".join(capsys.readouterr().out.split())
    for group in group_texts():
        if not group.startswith("hydra/"):
            lines = [group_texts()[group], *group_choices(group).values()]
            assert [line for line in lines if "".join(line.split()) not in shown] == []


def test_help_names_every_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "-m +recipe=demo/table3" in shown
    assert all(name in shown for name in recipe_names())


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from raqa.main import main; main(['--help']);"
        f"assert not [name for name in {HEAVY} if name in sys.modules]"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=CHECKOUT, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_cli_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from raqa.cli import app; app(['--help'], standalone_mode=False);"
        f"assert not [name for name in {HEAVY} if name in sys.modules]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_misspelt_setting_ends_before_any_work(tmp_path, capsys) -> None:
    message = _fails(capsys, "trainer.max_epoch=3", f"paths.runs={tmp_path / 'runs'}")
    assert "error: trainer.max_epoch: there is no such setting" in message
    assert not (tmp_path / "runs").exists()


def test_an_impossible_pair_ends_without_a_traceback(tmp_path, capsys) -> None:
    message = _fails(capsys, "task=tb_probability", f"paths.runs={tmp_path / 'runs'}")
    assert "demo has no such label" in message


def test_a_corpus_that_is_not_there_says_where_it_was_looked_for(tmp_path, capsys) -> None:
    message = _fails(
        capsys, "datamodule=coswara", f"paths.data={tmp_path}", f"paths.runs={tmp_path / 'runs'}"
    )
    assert "coswara" in message
    assert "get" in message  # how to get it


def test_a_failing_combination_of_a_sweep_does_not_stop_the_others(tmp_path, capsys) -> None:
    message = _fails(
        capsys, "-m", "task=tb_probability,age", "debug=quick", "datamodule.corpus.subjects=30",
        f"paths.runs={tmp_path / 'runs'}",
    )  # fmt: skip
    assert "demo has no such label" in message
    assert len(list((tmp_path / "runs").glob("demo-age-*"))) == 1


def test_train_py_calls_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "train.py", "head=mlq"],
        capture_output=True, text=True, cwd=CHECKOUT, check=False,
    )  # fmt: skip
    assert done.returncode == USER_MISTAKE
    assert "Did you mean mlp" in done.stderr


def test_a_launcher_without_m_is_refused_and_nothing_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shown = _fails(capsys, "hydra/launcher=slurm", f"paths.runs={tmp_path}")
    assert "hydra/launcher=slurm: launchers start the runs of a sweep" in shown
    assert "add -m" in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow  # a process of its own for each job
def test_jobs_of_a_launcher_that_can_not_work_are_told_by_the_command_that_launched_them(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "train.py", "-m", "hydra/launcher=submitit_local", "task=age,smoker",
         "debug=quick", "datamodule.corpus.subjects=20", f"paths.runs={tmp_path}"],
        capture_output=True, text=True, cwd=CHECKOUT, check=False,
    )  # fmt: skip
    assert done.returncode == USER_MISTAKE, done.stderr
    assert "smoker" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(list(tmp_path.glob("*/metrics.json"))) == 1
    assert list(tmp_path.glob("sweeps/multirun-*")) == []
