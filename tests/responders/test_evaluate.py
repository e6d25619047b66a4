"""An evaluation asks what is new, once, and only what decides a response decides what is new."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from raqa.answering.base import QuestionPairs
from raqa.audio.clip import ClipPolicy
from raqa.corpora.attributes import attribute
from raqa.errors import UserError
from raqa.questions.reading import facts_about, read_answer
from raqa.responders.base import Input, Pace
from raqa.responders.openai import Decoding
from raqa.responders.plain import ConstantResponder, EchoResponder, RandomResponder
from raqa.responders.spectrogram import SpectrogramSettings
from raqa.responders.usage import usage_text, write_usage
from raqa.tables import ANSWERS, QUESTIONS
from raqa.training.interrupt import StoppedError
from tests.responders.asking import ask, asked, openai, outcomes, question, tone
from tests.responders.fake_server import Reply, serving


@pytest.fixture
def tones(tmp_path: Path) -> list[Path]:
    return [tone(tmp_path / f"{hertz}.wav", hertz) for hertz in (200, 400, 800)]


def _about(tones: list[Path]) -> Any:
    rows = [question(f"q{n}{row}", row) for row in range(len(tones)) for n in "ba"]
    return asked(rows, tones)


def test_every_question_is_answered_in_the_order_of_ids(tones: list[Path], tmp_path: Path) -> None:
    with serving(lambda text, _: Reply(text=f"said to {text}")) as server:
        found = ask(_about(tones), openai(server.url), tmp_path / "s", "audio")
    assert found.answers.columns == list(ANSWERS)
    assert found.answers["qa_id"].to_list() == ["qa0", "qa1", "qa2", "qb0", "qb1", "qb2"]
    assert found.usage["qa_id"].to_list() == found.answers["qa_id"].to_list()
    assert all(name in said for name, said in found.answers.select("qa_id", "response").rows())
    assert found.answers["label"].null_count() == 6


def test_the_same_evaluation_again_asks_nothing(tones: list[Path], tmp_path: Path) -> None:
    with serving() as server:
        first = ask(_about(tones), openai(server.url), tmp_path / "s", "both")
        again = ask(_about(tones), openai(server.url), tmp_path / "s", "both")
        assert len(server.asked) == 6
    assert first.answers.equals(again.answers)
    assert again.usage["from_store"].all()
    assert "0 prompts asked now" in usage_text(again.usage)


def test_a_changed_recording_is_asked_about_again_and_no_other(
    tones: list[Path], tmp_path: Path
) -> None:
    with serving() as server:
        ask(_about(tones), openai(server.url), tmp_path / "s", "audio")
        tone(tones[1], 401)
        ask(_about(tones), openai(server.url), tmp_path / "s", "audio")
        assert len(server.texts()) == 6 + 2
        assert {text.split("(")[1][:3] for text in server.texts()[6:]} == {"qa1", "qb1"}


def test_a_changed_question_is_asked_again_and_no_other(tones: list[Path], tmp_path: Path) -> None:
    with serving() as server:
        questions = _about(tones)
        ask(questions, openai(server.url), tmp_path / "s", "audio")
        changed = pl.when(qa_id="qa1").then(pl.lit("Other words?")).otherwise("question")
        rows = questions.rows.with_columns(question=changed)
        ask(replace(questions, rows=rows), openai(server.url), tmp_path / "s", "audio")
        assert len(server.texts()) == 7
        assert "Other words?" in server.texts()[-1]


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "another"}, {"revision": "2"}, {"system": "Be brief."},
        {"decoding": Decoding(temperature=0.5)}, {"decoding": Decoding(max_tokens=9)},
        {"decoding": Decoding(extra={"top_k": 1})},
    ],
    ids=str,
)  # fmt: skip
def test_another_model_never_gets_this_ones_answers(
    changes: dict[str, Any], tones: list[Path], tmp_path: Path
) -> None:
    with serving(
        lambda *_: Reply(text=server.bodies[-1]["model"] if server.bodies else "")
    ) as server:
        ask(_about(tones), openai(server.url), tmp_path / "s", "audio")
        ask(_about(tones), openai(server.url, **changes), tmp_path / "s", "audio")
        assert len(server.asked) == 12


def test_another_endpoint_of_the_same_model_is_another_responder(tmp_path: Path) -> None:
    with serving(lambda *_: Reply(text="a")) as first, serving(lambda *_: Reply(text="b")) as other:
        questions = asked([question("q")])
        said = [ask(questions, openai(one.url), tmp_path) for one in (first, other, first)]
    assert [one.answers["response"][0] for one in said] == ["a", "b", "a"]


@pytest.mark.parametrize(
    "changes",
    [
        {"given": "spectrogram"}, {"given": "both"}, {"given": "none"}, {"rate": 8000},
        {"clip": ClipPolicy(length_s=0.1)},
    ],
    ids=str,
)  # fmt: skip
def test_another_input_is_another_request(
    changes: dict[str, Any], tones: list[Path], tmp_path: Path
) -> None:
    with serving() as server:
        ask(_about(tones), openai(server.url), tmp_path / "s", "audio")
        ask(_about(tones), openai(server.url), tmp_path / "s", **{"given": "audio", **changes})
        assert len(server.asked) == 12


def test_image_settings_decide_images_and_the_pace_decides_nothing(
    tones: list[Path], tmp_path: Path
) -> None:
    with serving() as server:
        ask(_about(tones), openai(server.url), tmp_path / "s", "spectrogram")
        wide = SpectrogramSettings(width=500)
        ask(_about(tones), openai(server.url), tmp_path / "s", "spectrogram", image=wide)
        assert len(server.asked) == 12
        slow = openai(server.url, pace=Pace(concurrency=1), timeout_s=9.0)
        ask(_about(tones), slow, tmp_path / "s", "spectrogram")
        assert len(server.asked) == 12


def test_the_same_words_about_the_same_sound_are_asked_once(
    tones: list[Path], tmp_path: Path
) -> None:
    tones[1].write_bytes(tones[0].read_bytes())
    rows = [question(f"q{row}", row, question="Is there a wheeze?") for row in range(3)]
    with serving() as server:
        assert outcomes(ask(asked(rows, tones), openai(server.url), tmp_path / "s", "audio")) == {
            "answered": 3
        }
        assert len(server.asked) == 2
        ask(asked(rows, tones), openai(server.url), tmp_path / "t", "none")
        assert len(server.asked) == 3


def test_recordings_that_can_not_be_used_are_failures_with_a_reason_and_not_asked(
    tones: list[Path], tmp_path: Path
) -> None:
    tones[0].unlink()
    tones[1].write_bytes(b"not audio at all")
    with serving() as server:
        found = ask(_about(tones), openai(server.url), tmp_path / "s", "audio")
        assert len(server.asked) == 2
    assert outcomes(found) == {"failed": 4, "answered": 2}
    reasons = found.usage.filter(outcome="failed")["reason"].to_list()
    assert sum("can not be opened: No such file" in reason for reason in reasons) == 2
    assert sum("can not be used" in reason for reason in reasons) == 2
    assert found.answers["response"].null_count() == 4


def test_a_filters_refusal_is_read_as_one_and_asked_again(tmp_path: Path) -> None:
    def refuses_first(_: str, before: int) -> Reply:
        return Reply() if before else Reply("refusal")

    with serving(refuses_first) as server:
        first = ask(asked([question("q")]), openai(server.url), tmp_path)
        second = ask(asked([question("q")]), openai(server.url), tmp_path)
    assert outcomes(first) == {"refused": 1}
    facts = facts_about(attribute("wheeze"), "single_verify", asked="yes")
    assert read_answer(first.answers["response"][0], facts).outcome == "refused"
    assert outcomes(second) == {"answered": 1}


@pytest.mark.parametrize("given", ["audio", "none"])
def test_shuffled_gold_answers_leave_requests_and_responses_as_they_are(
    given: Input, tones: list[Path], tmp_path: Path
) -> None:
    found, sent = [], []
    for name, answers in (("a", ["yes", "no"] * 3), ("b", ["no", "yes"] * 3)):
        gold = _about(tones).rows.with_columns(
            answer=pl.Series(answers), label=pl.Series(answers), value=pl.lit(None, pl.Float64)
        )
        pairs = QuestionPairs(np.zeros((3, 1), np.float32), gold, _about(tones).files)
        assert set(pairs.rows.columns) >= set(QUESTIONS)
        with serving() as server:
            responder = openai(server.url, pace=Pace(concurrency=1))
            found.append(ask(pairs.asked, responder, tmp_path / name, given).answers)
            sent.append(server.bodies)
    assert found[0].equals(found[1])
    assert sent[0] == sent[1]


def test_a_stop_keeps_what_was_answered(tmp_path: Path) -> None:
    from raqa.embeddings.hashes import HashCache
    from raqa.responders.evaluate import evaluate
    from raqa.responders.hearing import Hearing
    from raqa.responders.store import ResponseStore

    questions = asked([question(f"q{n}") for n in range(20)])
    with serving() as server:
        responder = openai(server.url, pace=Pace(concurrency=2))
        with ResponseStore(tmp_path) as store, pytest.raises(StoppedError, match="of 20 prompts"):
            evaluate(questions, responder, Hearing(given="none"), store, HashCache(tmp_path / "h"),
                     stop=lambda: len(server.asked) >= 10)  # fmt: skip
        kept = len(ResponseStore(tmp_path))
        assert 8 <= kept <= 12
        assert outcomes(ask(questions, responder, tmp_path)) == {"answered": 20}
        assert len(server.asked) <= 22


def test_constant_and_echo_say_what_they_are_for(tmp_path: Path) -> None:
    questions = asked([question("q")])
    assert ask(questions, ConstantResponder("no"), tmp_path).answers["response"][0] == "no"
    assert "wheeze (q)?" in ask(questions, EchoResponder(), tmp_path).answers["response"][0]
    assert not list(tmp_path.glob("*.jsonl"))


def test_random_answers_are_chance_and_do_not_depend_on_each_other(tmp_path: Path) -> None:
    offered = {"question_type": "multiple_choice", "options": list("wxyz"), "kind": "categorical"}
    rows = [question(f"q{n}", **offered) for n in range(2000)]
    said = ask(asked(rows), RandomResponder(), tmp_path).answers["response"]
    counts = said.value_counts()["count"].to_list()
    assert len(counts) == 4
    assert all(abs(count - 500) < 90 for count in counts)  # 4.6 standard deviations
    fewer = ask(asked(rows[::2]), RandomResponder(), tmp_path).answers
    whole = ask(asked(rows), RandomResponder(), tmp_path).answers
    assert fewer.join(whole, on=["qa_id", "response"]).height == 1000
    other = ask(asked(rows), RandomResponder(seed=1), tmp_path).answers["response"]
    assert (said != other).sum() > 1000


def test_hostile_answers_are_kept_raw_and_written_harmless(tmp_path: Path) -> None:
    said = {"a": "x" * 10_000_000, "b": "\x1b[2J\x00\u202e", "c": "<script>alert(1)</script>",
            "d": "=cmd|' /C calc'!A0", "e": "\ud800"}  # fmt: skip
    with serving(lambda text, _: Reply(text=said[text.split("(")[1][0]])) as server:
        found = ask(asked([question(name) for name in said]), openai(server.url), tmp_path)
        again = ask(asked([question(name) for name in said]), openai(server.url), tmp_path)
    kept = dict(found.answers.select("qa_id", "response").rows())
    assert kept == {**said, "e": "?"}
    assert again.answers.equals(found.answers)
    found.answers.write_parquet(tmp_path / "answers.parquet")
    usage = found.usage.with_columns(reason=pl.lit("=1+1\x1b[2J\nsecond line"))
    write_usage(usage, tmp_path / "usage.csv")
    lines = (tmp_path / "usage.csv").read_text().splitlines()
    assert len(lines) == 6
    assert all("'=1+1[2J second line" in line for line in lines[1:])


def test_input_that_a_responder_does_not_take_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ConstantResponder, "inputs", ("none",))
    with pytest.raises(UserError, match="ConstantResponder takes none"):
        ask(asked([question("q")]), ConstantResponder(), tmp_path, "audio")
