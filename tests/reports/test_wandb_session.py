"""Nothing about the service of Weights & Biases harms a run; who speaks, and how often."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import wandb

from raqa.errors import UserError
from raqa.reports import wandb_session
from raqa.reports.tracking import RunFacts
from raqa.reports.wandb_attempts import find_attempts
from raqa.reports.wandb_run import WandbTracker

from .wandb_log import read_offline
from .wandb_server import serve

KEY = "local-0123456789abcdef0123456789abcdef01234567"
NOBODY = "http://127.0.0.1:9"
WORDS = {"corpus": "demo", "task": "age", "encoder": "e", "head": "h", "regime": "within"}
PROVENANCE = {"weights_real": True, "synthetic": False}


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(wandb_session, "_said", set())
    monkeypatch.setenv("WANDB_API_KEY", KEY)
    monkeypatch.setenv("WANDB_BASE_URL", NOBODY)
    wandb.teardown()  # the library keeps the address that it saw first
    yield
    wandb.teardown()


def _tracked(folder: Path, *names: str) -> None:
    tracker = WandbTracker(project="raqa", folder=folder)
    tracker.check()
    for name in names:
        assert tracker.start(RunFacts(name, WORDS, {}, PROVENANCE)) == ()
        tracker.abandon()


def test_an_unreachable_service_is_said_once_and_runs_go_to_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = time.monotonic()
    _tracked(tmp_path, "first", "second")
    assert time.monotonic() - begun < 20
    (line,) = capsys.readouterr().err.splitlines()
    assert "can not be reached" in line
    assert "raqa wandb push" in line
    assert [one.run for one in find_attempts([tmp_path])] == ["first", "second"]


def test_a_service_that_breaks_while_a_run_begins_is_as_good_as_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wandb_session, "unreachable", lambda: None)
    monkeypatch.setattr(wandb_session, "INIT_S", 1.0)
    _tracked(tmp_path, "broken")
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert [one.run for one in find_attempts([tmp_path])] == ["broken"]


def test_a_network_that_goes_away_during_a_run_leaves_it_to_be_pushed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wandb_session, "FINISH_S", 1.0)
    with serve() as received:
        monkeypatch.setenv("WANDB_BASE_URL", received.url)
        wandb.teardown()
        session = wandb_session.begin("online", tmp_path, resume=True, project="raqa", id="cut")
    assert session is not None
    assert not session.offline
    session.run.log({"epoch": 1})
    session.close(0)
    assert "not everything was sent" in capsys.readouterr().err
    (attempt,) = find_attempts([tmp_path])
    assert (attempt.run, attempt.exit_code, attempt.pushed) == ("cut", 0, False)


@pytest.mark.parametrize("name", ["SLURM_PROCID", "LOCAL_RANK"])
def test_only_the_first_process_of_a_run_speaks(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    _tracked(tmp_path, "one of several")
    assert not list(tmp_path.iterdir())


def test_online_without_a_key_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WANDB_API_KEY")
    monkeypatch.setenv("NETRC", str(tmp_path / "no netrc"))
    with pytest.raises(UserError, match="wandb login"):
        WandbTracker(project="raqa", folder=tmp_path).check()


def test_what_can_not_be_a_key_is_refused_without_showing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "too-short")
    with pytest.raises(UserError, match="invalid") as refused:
        WandbTracker(project="raqa", folder=tmp_path).check()
    assert "too-short" not in str(refused.value)


def test_what_is_noted_as_ended_is_whole_in_its_file(tmp_path: Path) -> None:
    for number in range(8):  # the library returns before its process has written the end
        name = f"run-{number}"
        session = wandb_session.begin("offline", tmp_path, resume=False, project="raqa", id=name)
        assert session is not None
        session.close(0)
        (folder,) = (tmp_path / "wandb").glob(f"offline-run-*-{name}")
        assert read_offline(folder)["exit"] == 0
