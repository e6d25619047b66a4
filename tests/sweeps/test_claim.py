"""Of several processes that want the same work one gets it; a dead owner keeps nobody out."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from raqa.sweeps import claim
from raqa.sweeps.claim import ClaimedError, claimed, give_up, holder
from raqa.sweeps.process import birth


def _dead_claim(path: Path, **changes: object) -> None:
    """A claim whose owner is gone: a process of this machine with another birth."""
    facts = {"host": socket.gethostname(), "pid": os.getpid(), "born": "never",
             "since": "2026-01-01T00:00:00+00:00", "token": "dead"}  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**facts, **changes}))


def test_the_second_is_told_who_was_first(tmp_path: Path) -> None:
    with claimed(tmp_path, "cell"):
        with pytest.raises(ClaimedError) as caught, claimed(tmp_path, "cell"):
            pass
        assert f"process {os.getpid()} on {socket.gethostname()} since 20" in str(caught.value)
        assert holder(tmp_path, "cell") == caught.value.owner
        with claimed(tmp_path, "another cell"):
            pass
    assert holder(tmp_path, "cell") is None
    assert list(tmp_path.iterdir()) == []


def test_an_error_inside_gives_the_claim_up(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), claimed(tmp_path, "cell"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_ends_at_once_gives_up_its_own_claims_only(tmp_path: Path) -> None:
    _dead_claim(tmp_path / "another's")
    with claimed(tmp_path, "own"):
        for name in ("own", "another's", "nobody's"):
            give_up(tmp_path, name)
        assert [path.name for path in tmp_path.iterdir()] == ["another's"]


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("dead_before", [True, False])
def test_of_many_at_once_exactly_one_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool, dead_before: bool
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError("this file system has no links")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    for number in range(10):
        name = f"cell{number}"
        if dead_before:
            _dead_claim(tmp_path / name)
        inside, refused = _compete(tmp_path, name, people=8)
        assert (inside, refused) == (1, 7)
        assert list(tmp_path.iterdir()) == []


def _compete(folder: Path, name: str, people: int) -> tuple[int, int]:
    """So many threads claim at once, and hold what they got until all have tried."""
    together, tried = threading.Barrier(people), threading.Barrier(people)

    def one(_: int) -> bool:
        together.wait()
        try:
            with claimed(folder, name):
                tried.wait()
                return True
        except ClaimedError:
            tried.wait()
            return False

    with ThreadPoolExecutor(people) as pool:
        got = list(pool.map(one, range(people)))
    return sum(got), people - sum(got)


def test_a_process_that_was_killed_keeps_nobody_out(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from raqa.sweeps.claim import claimed\n"
        "with claimed(Path(sys.argv[1]), 'cell'):\n  print('in', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "in\n"
    owner = holder(tmp_path, "cell")
    assert owner is not None
    assert owner.pid == other.pid
    other.kill()
    while birth(other.pid) is not None:  # also before anybody has waited for it
        time.sleep(0.01)
    assert holder(tmp_path, "cell") is None
    with claimed(tmp_path, "cell"):
        assert holder(tmp_path, "cell") != owner
    other.communicate()


def test_one_who_died_while_taking_over_keeps_nobody_out_either(tmp_path: Path) -> None:
    _dead_claim(tmp_path / "cell", token="first")
    _dead_claim(tmp_path / "cell.first.taken", token="second")
    _dead_claim(tmp_path / "cell.second.taken", token="third")
    with claimed(tmp_path, "cell"):
        assert [path.name for path in tmp_path.iterdir()] == ["cell"]


def test_one_who_is_taking_over_right_now_is_waited_for_by_nobody(tmp_path: Path) -> None:
    _dead_claim(tmp_path / "cell", token="first")
    _dead_claim(tmp_path / "cell.first.taken", born=birth(os.getpid()))
    with pytest.raises(ClaimedError), claimed(tmp_path, "cell"):
        pass


def test_on_another_machine_silence_tells(tmp_path: Path) -> None:
    path = tmp_path / "cell"
    _dead_claim(path, host="elsewhere")
    with pytest.raises(ClaimedError, match="on elsewhere"), claimed(tmp_path, "cell"):
        pass
    long_ago = time.time() - claim.SILENT_S - 1
    os.utime(path, (long_ago, long_ago))
    assert holder(tmp_path, "cell") is None
    with claimed(tmp_path, "cell"):
        pass


def test_an_owner_shows_that_it_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "HEARTBEAT_S", 0.01)
    with claimed(tmp_path, "cell"):
        os.utime(tmp_path / "cell", (0, 0))
        deadline = time.monotonic() + 5
        while (tmp_path / "cell").stat().st_mtime == 0:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_damaged_claim_counts_until_it_is_silent_for_long(tmp_path: Path) -> None:
    path = tmp_path / "cell"
    path.write_text("")
    with pytest.raises(ClaimedError), claimed(tmp_path, "cell"):
        pass
    os.utime(path, (0, 0))
    with claimed(tmp_path, "cell"):
        pass
    assert list(tmp_path.iterdir()) == []
