"""A judge that fails leaves answers unscored with the reason; only those are asked about again.

The judge is a stub: a fake server that says garbage for 10 % of the answers, refuses 5 % and lets
5 % time out.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from raqa.errors import UserError
from raqa.judges.base import verdicts_text
from raqa.metrics.bootstrap import subject_intervals
from raqa.responders.base import Pace
from raqa.tables import VERDICTS, check_table
from raqa.training.interrupt import StoppedError
from tests.judges.judging import RIGHT, WRONG, answers, candidate, exam, item, judge_of
from tests.responders.asking import openai
from tests.responders.fake_server import FakeServer, Reply, serving

COUNT = 200
ROWS = [item(f"q{n:03}", subject_id=f"s{n % 40}") for n in range(COUNT)]
SAID = {row["qa_id"]: f"Answer number {n}." for n, row in enumerate(ROWS)}
PATIENT = Pace(concurrency=16, attempts=2, first_wait_s=0.001, stop_after=COUNT)


def _percent(said: str) -> int:
    """Every number from 0 to 99 equally often, in no order."""
    (number,) = re.findall(r"\d+", said)
    return int(number) * 37 % 100


def _fate(said: str) -> str:
    number = _percent(said)
    bounds = {10: "garbage", 15: "refusal", 20: "timeout", 100: "good"}
    return next(fate for bound, fate in bounds.items() if number < bound)


def _stub(text: str, _: int) -> Reply:
    said = candidate(text)
    fate = _fate(said)
    if fate == "garbage":
        return Reply(text="```\nverdict=right\x1b[2J")
    return Reply(fate, text=RIGHT if _percent(said) < 70 else WRONG)


def _judged(server: FakeServer, folder: Path) -> pl.DataFrame:
    responder = openai(server.url, pace=PATIENT, timeout_s=0.8)
    return judge_of(server, folder, responder=responder).judge(exam(*ROWS), answers(SAID))


def _fates() -> dict[str, list[str]]:
    by_fate: dict[str, list[str]] = {}
    for name, said in SAID.items():
        by_fate.setdefault(_fate(said), []).append(name)
    return by_fate


FirstRun = tuple[pl.DataFrame, list[str]]


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    """Verdicts, and what was asked for them."""
    with serving(_stub) as server:
        found = _judged(server, tmp_path_factory.mktemp("first"))
        return found, [candidate(text) for text in server.texts()]


def test_failed_judgements_are_unscored_with_reasons_and_counts_add_up(
    first_run: FirstRun,
) -> None:
    found, _ = first_run
    check_table(found, VERDICTS, name="verdicts", key=["seed", "qa_id"])
    fates = _fates()
    assert {name: len(one) for name, one in fates.items()} == {
        "good": 160, "garbage": 20, "refusal": 10, "timeout": 10,
    }  # fmt: skip
    unscored = found.filter(outcome="unscored")
    assert unscored["score"].null_count() == unscored.height == COUNT - len(fates["good"])
    reasons = {
        "garbage": "the judge's reply can not be used: it holds no JSON object",
        "refusal": "the judge refused: refused by a filter",
        "timeout": "the judge failed: there was no whole response within 0.8 s "
        "(given up after 2 attempts)",
    }
    for fate, reason in reasons.items():
        of_fate = unscored.filter(pl.col("qa_id").is_in(fates[fate]))
        assert of_fate.height == len(fates[fate])
        assert set(of_fate["reason"]) == {reason}
    text = verdicts_text(found)
    assert f"{COUNT:,} answers: {len(fates['good'])} scored" in text
    assert all(reason in text for reason in reasons.values())
    assert "\x1b" not in text


def test_means_and_intervals_are_over_the_scored_alone(first_run: FirstRun) -> None:
    scored = first_run[0].drop_nulls("score")
    right = [_percent(SAID[name]) < 70 for name in _fates()["good"]]
    assert scored["score"].mean() == pytest.approx(np.mean(right))
    subjects = scored.join(exam(*ROWS), on="qa_id", maintain_order="left")["subject_id"]
    (interval,) = subject_intervals(
        scored.select("score").to_numpy(), subjects.to_list(), resamples=500, seed=0
    )
    assert interval.low.value < np.mean(right) < interval.high.value


def test_a_second_run_asks_exactly_the_failed_ones_and_replays_no_failure(tmp_path: Path) -> None:
    with serving(_stub) as server:
        first = _judged(server, tmp_path)
        asked_before = len(server.asked)
        server.script = lambda *_: Reply(text=WRONG)
        second = _judged(server, tmp_path)
        asked = sorted(candidate(text) for text in server.texts()[asked_before:])
        third = _judged(server, tmp_path)
        assert len(server.asked) == asked_before + len(asked)
    failed = first.filter(outcome="unscored")["qa_id"]
    assert asked == sorted(SAID[name] for name in failed)
    assert second["score"].null_count() == 0
    assert set(second.filter(~pl.col("from_store"))["qa_id"]) == set(failed)
    assert third["from_store"].all()
    kept = first.drop_nulls("score").select("qa_id", "score")
    assert kept.join(second, on=["qa_id", "score"]).height == kept.height


def test_garbage_is_asked_for_twice_in_a_run_and_others_once(first_run: FirstRun) -> None:
    _, asked = first_run
    fates = _fates()
    times = {fate: min(asked.count(SAID[name]) for name in names) for fate, names in fates.items()}
    assert times == {"good": 1, "garbage": 2, "refusal": 1, "timeout": 2}


@pytest.mark.parametrize("status", [401, 404])
def test_no_access_stops_before_anything_is_called_unscored(status: int, tmp_path: Path) -> None:
    with serving(lambda *_: Reply(status=status)) as server, pytest.raises(UserError) as caught:
        _judged(server, tmp_path)
    message = str(caught.value)
    assert message.startswith("The judge: The server answers")
    if status == 404:
        assert "judge.responder.base_url is not its address" in message


def test_a_stop_keeps_what_was_judged(tmp_path: Path) -> None:
    with serving(lambda *_: Reply(text=RIGHT)) as server:
        judge = judge_of(server, tmp_path)
        with pytest.raises(StoppedError):
            judge.judge(exam(*ROWS), answers(SAID), stop=lambda: len(server.asked) >= 100)
        done = len(server.asked)
        found = judge.judge(exam(*ROWS), answers(SAID))
        assert found["from_store"].sum() >= 100 - PATIENT.concurrency
        assert len(server.asked) - done <= COUNT - (100 - PATIENT.concurrency)


@pytest.mark.parametrize("verdict", [RIGHT, WRONG])
def test_a_refusal_is_none_of_the_verdicts_that_stand_in_its_words(
    verdict: str, tmp_path: Path
) -> None:
    message = {"role": "assistant", "content": None, "refusal": verdict}
    body = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}).encode()
    with serving(lambda *_: Reply(body=body)) as server:
        found = judge_of(server, tmp_path).judge(exam(ROWS[0]), answers({"q000": "Grade II."}))
    assert found.select("outcome", "score").row(0) == ("unscored", None)
    assert found["reason"][0] == "the judge refused: refused by the interface"
