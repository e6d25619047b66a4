"""A server that fails in every way: nothing is lost, and nothing is asked again for nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from raqa.errors import UserError
from raqa.responders.base import Pace
from tests.responders.asking import ask, asked, openai, outcomes, question
from tests.responders.fake_server import FakeServer, Reply, faulty, serving

CHECKOUT = Path(__file__).parents[2]


def _until_answered(count: int, server: FakeServer, folder: Path) -> int:
    """Evaluate again and again, checking each time; the number of evaluations that it took."""
    questions = asked([question(f"q{number:04d}") for number in range(count)])
    responder = openai(server.url, timeout_s=0.3)
    known: set[str] = set()
    for evaluation in range(1, 20):
        before = len(server.asked)
        found = ask(questions, responder, folder)
        assert found.usage.height == found.answers.height == count
        assert sum(outcomes(found).values()) == count
        assert known.isdisjoint(server.texts()[before:])
        assert int(found.usage["from_store"].sum()) == len(known)
        known = _answered(folder)
        assert outcomes(found)["answered"] == len(known)
        if len(known) == count:
            return evaluation
    raise AssertionError(f"{count - len(known)} were never answered")


def _answered(folder: Path) -> set[str]:
    """The prompts with an answer in the store, read as any reader of JSON lines would."""
    lines = [
        line
        for path in folder.glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]
    ]
    entries = [json.loads(line) for line in lines]
    texts = [one["facts"]["text"] for one in entries if one["outcome"] == "answered"]
    assert len(set(texts)) == len(texts)
    return set(texts)


def test_every_fault_is_survived(tmp_path: Path) -> None:
    with serving(faulty) as server:
        _until_answered(60, server, tmp_path)
        kinds = {kind for _, _, kind in server.asked}
        assert kinds == {"good", "429", "500", "timeout", "cut", "garbage", "refusal"}
        done = len(server.asked)
        again = ask(asked([question(f"q{number:04d}") for number in range(60)]),
                    openai(server.url), tmp_path)  # fmt: skip
        assert len(server.asked) == done
        assert again.usage["from_store"].all()


@pytest.mark.slow
def test_every_fault_is_survived_two_thousand_times(tmp_path: Path) -> None:
    with serving(faulty) as server:
        _until_answered(2000, server, tmp_path)


_CHILD = """
import sys
from pathlib import Path
from tests.responders.asking import ask, asked, openai, question
rows = [question(f"q{number:04d}") for number in range(int(sys.argv[3]))]
ask(asked(rows), openai(sys.argv[1], timeout_s=0.3), Path(sys.argv[2]))
"""


def _killed_halfway(count: int, server: FakeServer, folder: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, server.url, str(folder), str(count)],
        cwd=CHECKOUT, env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )  # fmt: skip
    while len(server.texts("good")) < count // 3:
        assert child.poll() is None
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait()


@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_an_evaluation_killed_halfway_goes_on_where_it_was(count: int, tmp_path: Path) -> None:
    with serving(None if count == 100 else faulty) as server:
        _killed_halfway(count, server, tmp_path)
        known, begun = _answered(tmp_path), len(server.asked)
        assert count // 4 < len(known) < count
        found = ask(asked([question(f"q{number:04d}") for number in range(count)]),
                    openai(server.url, timeout_s=0.3), tmp_path)  # fmt: skip
        assert known.isdisjoint(server.texts()[begun:])
        assert sum(outcomes(found).values()) == count
        assert int(found.usage["from_store"].sum()) == len(known)


def test_nobody_is_asked_before_the_time_that_the_server_named(tmp_path: Path) -> None:
    def busy_once(_: str, before: int) -> Reply:
        return Reply() if server.asked or before else Reply("429", headers={"Retry-After": "1"})

    with serving(busy_once) as server:
        pace = Pace(concurrency=1, first_wait_s=0.001)
        ask(asked([question(f"q{n}") for n in range(3)]), openai(server.url, pace=pace), tmp_path)
        times = [when for _, when, _ in server.asked]
        assert times[1] - times[0] >= 1.0
        assert len(times) == 4


def test_a_wait_that_is_too_long_stops_and_says_so(tmp_path: Path) -> None:
    tomorrow = Reply("429", headers={"Retry-After": "86400"})
    with serving(lambda *_: tomorrow) as server, pytest.raises(UserError) as caught:
        ask(asked([question("q")]), openai(server.url), tmp_path)
    assert "asks to wait 86,400 s" in str(caught.value)


def test_failures_adapt_the_number_under_way(tmp_path: Path) -> None:
    def bears_two(*_: object) -> Reply:
        return Reply("429") if server.under_way >= 2 else Reply()

    with serving(bears_two, latency_s=0.01) as server:
        pace = Pace(concurrency=16, attempts=20, first_wait_s=0.02)
        found = ask(
            asked([question(f"q{n}") for n in range(60)]), openai(server.url, pace=pace), tmp_path
        )
        assert outcomes(found) == {"answered": 60}
        assert len(server.texts("429")) < 60


@pytest.mark.parametrize("concurrency", [1, 16])
def test_as_many_are_under_way_as_allowed(concurrency: int, tmp_path: Path) -> None:
    with serving(latency_s=0.1) as server:
        pace = Pace(concurrency=concurrency)
        count = 5 if concurrency == 1 else 64
        ask(asked([question(f"q{n}") for n in range(count)]), openai(server.url, pace=pace),
            tmp_path)  # fmt: skip
        assert server.peak <= concurrency
        assert server.peak > concurrency // 2


@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "Set the environment variable OPENAI_API_KEY"), (404, "has no model fake-model")],
)
def test_what_no_prompt_can_mend_stops_at_once(status: int, message: str, tmp_path: Path) -> None:
    with serving(lambda *_: Reply(status=status)) as server:
        pace = Pace(concurrency=1)
        with pytest.raises(UserError, match=message):
            ask(asked([question("a"), question("b")]), openai(server.url, pace=pace), tmp_path)
        assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_said_after_few_attempts(tmp_path: Path) -> None:
    with serving() as server:
        gone = server.url
    pace = Pace(concurrency=4, attempts=2, first_wait_s=0.001, stop_after=5)
    with pytest.raises(UserError, match="5 prompts failed one after the other.*nobody answers at"):
        ask(asked([question(f"q{n}") for n in range(30)]), openai(gone, pace=pace), tmp_path)


def _throughput(concurrency: int, count: int, server: FakeServer, folder: Path) -> float:
    """Prompts a second."""
    pace = Pace(concurrency=concurrency)
    questions = asked([question(f"q{n}") for n in range(count)])
    begun = time.monotonic()
    ask(questions, openai(server.url, pace=pace), folder)
    return count / (time.monotonic() - begun)


@pytest.mark.slow
def test_sixteen_at_a_time_are_eight_times_as_fast_as_one(tmp_path: Path) -> None:
    with serving(latency_s=0.05) as server:
        ask(asked([question("warm")]), openai(server.url), tmp_path / "warm")
        gains = [
            _throughput(16, 480, server, tmp_path / f"{n}a")
            / _throughput(1, 40, server, tmp_path / f"{n}b")
            for n in range(3)
        ]
    assert max(gains) >= 8, gains  # other work on the machine slows one or the other down
