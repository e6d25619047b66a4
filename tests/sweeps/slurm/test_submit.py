"""Submitting returns at once, takes what is open and nothing twice, and says what became of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raqa.configuration import weights
from raqa.errors import UserError
from raqa.main import USER_MISTAKE, main
from raqa.reports.run_tables import METRICS
from raqa.sweeps.sweep import FAILED
from tests.sweeps.conftest import FAULTY, Command

from .conftest import PretendedSlurm

pytestmark = pytest.mark.slow  # several sweeps each; test_real_slurm.py has them on a real one
ON = ("--on", "slurm")


def _cells(recipe: Path, cells: str) -> Path:
    text = recipe.read_text()
    recipe.write_text(text[: text.index("cells:")] + f"cells: [{cells}]\n")
    return recipe


def _script(slurm: PretendedSlurm, number: int) -> str:
    return slurm.scripts[number].read_text()


def test_embeddings_come_first_each_once_and_heads_after_them(
    recipe: Path, command: Command, slurm: PretendedSlurm, tmp_path: Path
) -> None:
    _cells(recipe, "{task: [age, bmi], encoder.bands: [32, 64]}")
    status, shown = command("sweep", recipe, *ON, "--pack", "3")
    assert status == 0
    assert "embeddings: 2 tasks, Slurm job 1" in shown
    assert "heads: 4 cells in 2 tasks, Slurm job 2, after the embeddings" in shown
    assert "--array=0-1%" in _script(slurm, 0)
    assert "--array=0-1%" in _script(slurm, 1)
    assert "--dependency=afterany:1\n" in _script(slurm, 1)
    assert not list(tmp_path.glob(f"runs/*/{METRICS}"))  # nothing has run here
    assert slurm.work() == [0] * 4
    assert command("status", recipe)[1].endswith("4 cells: 4 done")


def test_both_corpora_of_a_transfer_are_extracted_in_as_many_parts_as_asked(
    recipe: Path, command: Command, slurm: PretendedSlurm
) -> None:
    _cells(recipe, "{regime: cross, datamodule: demo, datamodule@regime.target: demo_clinic}")
    text = recipe.read_text().replace("datamodule.corpus.subjects: 20, ", "")
    recipe.write_text(text.replace("layout: within", "layout: cross"))
    _, shown = command("sweep", recipe, *ON, "--shards", "3")
    assert "embeddings: 6 tasks" in shown


def test_status_tells_pending_done_and_failed_with_cause_and_log(
    faulty_recipe: Callable[[str], Path], command: Command, slurm: PretendedSlurm, tmp_path: Path
) -> None:
    recipe = faulty_recipe("raise")
    own = ("--config-dir", str(FAULTY))
    command("sweep", recipe, *ON, *own)
    shown = command("status", recipe, *own)[1]
    assert "pending Slurm job 2_0 waits: Priority" in shown
    assert shown.endswith("4 cells: 4 pending")
    with pytest.raises(RuntimeError, match="cats"):  # a traceback in the embeddings' log
        slurm.work()
    slurm.work()
    shown = command("status", recipe, *own)[1]
    assert "failed unexpected RuntimeError: the disk is full of [bold]cats[/bold]" in shown
    assert "heads-0.log" in shown
    assert shown.endswith("4 cells: 3 done, 1 failed")


def test_submitting_again_takes_what_failed_and_leaves_what_is_pending(
    recipe: Path, command: Command, slurm: PretendedSlurm
) -> None:
    _cells(recipe, "{head: [linear, median, knn]}")
    command("sweep", recipe, *ON, "--pack", "1")
    slurm.lose(0, "TIMEOUT")
    shown = command("status", recipe)[1]
    assert "failed Slurm job 2_0: stopped by its time limit" in shown
    assert shown.endswith("3 cells: 2 pending, 1 failed")
    shown = command("sweep", recipe, *ON)[1]
    assert "heads: 1 cell in 1 task" in shown
    shown = command("sweep", recipe, *ON)[1]
    assert "Nothing was submitted" in shown
    slurm.work()
    assert command("status", recipe)[1].endswith("3 cells: 3 done")


def test_a_job_that_left_nothing_at_all_has_failed(
    recipe: Path, command: Command, slurm: PretendedSlurm
) -> None:
    command("sweep", recipe, *ON)
    slurm.queue.clear()
    assert "failed Slurm job 2_0 has ended without a result" in command("status", recipe)[1]


def test_a_submission_that_slurm_refused_leaves_cells_open(
    recipe: Path, command: Command, slurm: PretendedSlurm
) -> None:
    slurm.refusal = "Slurm refused it: no such partition"
    status, shown = command("sweep", recipe, *ON)
    assert status == USER_MISTAKE
    assert "no such partition" in shown
    assert command("status", recipe)[1].endswith("2 cells: 2 missing")
    slurm.refusal = ""
    assert command("sweep", recipe, *ON)[0] == 0


def test_cells_whose_weights_can_not_be_had_are_left_out_by_name(
    recipe: Path, command: Command, slurm: PretendedSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def refuse(name: str) -> Path:
        asked.append(name)
        raise UserError("no network")

    monkeypatch.setattr(weights, "fetch_weights", refuse)
    _cells(recipe, "{encoder: [mel_stats, hear]}")
    status, shown = command("sweep", recipe, *ON)
    assert status == FAILED
    assert asked == ["hear"]
    assert "left out: hear" in shown
    assert "`raqa weights fetch hear` fetches them" in shown
    assert "heads: 1 cell in 1 task" in shown


def test_collect_counts_what_there_is_and_reports_it(
    recipe: Path, command: Command, slurm: PretendedSlurm, tmp_path: Path
) -> None:
    shown = command("collect", recipe)[1]
    assert "gathered 0 of 2 cells not yet: age, missing" in shown
    assert not (tmp_path / "report").exists()
    command("sweep", recipe, *ON)
    slurm.work()
    assert "gathered 2 of 2 cells" in command("collect", recipe)[1]
    assert list(tmp_path.glob("report/**/report.md"))


def test_the_training_command_submits_a_recipe_too(
    recipe: Path, slurm: PretendedSlurm, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(
            ["-m", f"+recipe={recipe}", "hydra/launcher=slurm", "hydra.launcher.partition=long",
             "pack=1", "embed_on=slurm_gpu"]
        )  # fmt: skip
    assert stopped.value.code == 0
    assert "2 cells in 2 tasks" in capsys.readouterr().out
    assert "--gpus-per-node=1" in _script(slurm, 0)
    assert "--gpus-per-node" not in _script(slurm, 1)
    assert all("--partition=long\n" in _script(slurm, number) for number in (0, 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--on", "slurm", "--workers", "2"], "workers=2: is for a sweep here"),
        (["--pack", "3"], "pack=3: is for a sweep on a cluster"),
        (["--on", "slrum"], "Did you mean slurm"),
        (["--on", "slurm", "hydra.launcher.partitoin=x"], "partitoin"),
        (["--on", "slurm", "hydra.launcher.tasks_per_node=2"], "a run is one task"),
    ],
)
def test_settings_that_can_not_work_are_refused(
    arguments: list[str], message: str, recipe: Path, command: Command, slurm: PretendedSlurm
) -> None:
    status, shown = command("sweep", recipe, *arguments)
    assert status == USER_MISTAKE
    assert message in shown
    assert slurm.scripts == []


def test_without_slurm_submitting_is_refused(
    recipe: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    status, shown = command("sweep", recipe, *ON)
    assert status == USER_MISTAKE
    assert "There is no Slurm here (sbatch, squeue, scontrol not found)" in shown
