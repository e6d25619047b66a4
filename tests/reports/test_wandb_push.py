"""`raqa wandb push`: what was followed offline is sent once, against a stand-in of the service."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import wandb

from raqa.cli import app
from raqa.errors import UserError
from raqa.reports.wandb_attempts import find_attempts
from raqa.reports.wandb_push import push
from raqa.reports.wandb_session import begin

from .wandb_server import Received, serve

KEY = "local-0123456789abcdef0123456789abcdef01234567"
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Received]:
    with serve() as received:
        _use(received.url, monkeypatch)
        yield received
    wandb.teardown()


def _use(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_BASE_URL", url)
    monkeypatch.setenv("WANDB_API_KEY", KEY)
    wandb.teardown()  # the library keeps the address that it saw first


def _follow(runs: Path, name: str, *, exit_code: int | None = 0, epochs: int = 2) -> None:
    """Follow a run offline; without an exit code its process is killed."""
    session = begin("offline", runs, resume=False, project="raqa", id=name, group="table")
    assert session is not None
    for epoch in range(1, epochs + 1):
        session.run.log({"epoch": epoch})
    if exit_code is None:
        session.run.finish()  # and nobody notes that it is complete
    else:
        session.close(exit_code)


def _type(*arguments: str) -> int:
    try:
        app(["wandb", "push", *arguments], standalone_mode=False)
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def test_every_run_is_sent_once_however_often_it_is_asked_for(
    tmp_path: Path, service: Received, capsys: pytest.CaptureFixture[str]
) -> None:
    _follow(tmp_path, "first")
    _follow(tmp_path, "second", epochs=3)
    assert _type(str(tmp_path)) == 0
    assert "2 pushed, 0 before" in capsys.readouterr().out
    assert [row["epoch"] for row in service.history["second"]] == [1, 2, 3]
    assert service.described["first"]["groupName"] == "table"
    sent = dict(service.runs)
    assert set(sent) == {"first", "second"}
    assert _type(str(tmp_path)) == 0
    assert "0 pushed, 2 before" in capsys.readouterr().out
    assert service.runs == sent


def test_of_a_run_begun_again_only_the_last_attempt_is_sent(
    tmp_path: Path, service: Received
) -> None:
    _follow(tmp_path, "again", exit_code=1, epochs=5)
    time.sleep(1.1)  # folders are named by the second
    _follow(tmp_path, "again", epochs=2)
    pushed = push([tmp_path])
    assert [one.exit_code for one in pushed.sent] == [0]
    assert [one.exit_code for one in pushed.superseded] == [1]
    assert [row["epoch"] for row in service.history["again"]] == [1, 2]


def test_a_run_that_is_being_written_is_left_for_later(tmp_path: Path, service: Received) -> None:
    _follow(tmp_path, "killed", exit_code=None)
    pushed = push([tmp_path])
    assert [one.run for one in pushed.unfinished] == ["killed"]
    assert (pushed.sent, dict(service.runs)) == ((), {})


def test_without_network_or_key_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _use(NOBODY, monkeypatch)
    _follow(tmp_path, "waiting")
    with pytest.raises(UserError, match="can not be reached.*nothing is lost"):
        push([tmp_path])
    monkeypatch.delenv("WANDB_API_KEY")
    monkeypatch.setenv("NETRC", str(tmp_path / "no netrc"))
    wandb.teardown()
    with pytest.raises(UserError, match="no key for Weights & Biases"):
        push([tmp_path])
    assert [one.pushed for one in find_attempts([tmp_path])] == [False]
    wandb.teardown()


def test_a_service_that_takes_nothing_leaves_the_run_for_the_next_push(
    tmp_path: Path, service: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    _follow(tmp_path, "refused")
    with monkeypatch.context() as patch:
        patch.setattr("raqa.reports.wandb_push._sync", lambda _: "500 Internal Server Error")
        assert _type(str(tmp_path)) == 1
    assert _type(str(tmp_path)) == 0
    assert set(service.runs) == {"refused"}


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no folder .*elsewhere"):
        push([tmp_path / "elsewhere"])
