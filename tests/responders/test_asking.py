"""Requests that stand for themselves: an unusable answer is asked for once more and never found."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from raqa.responders.asking import Acceptance, Request, Responses, ask_all
from raqa.responders.base import Pace, Prompt, Response
from raqa.responders.store import ResponseStore, request_key
from tests.responders.asking import openai
from tests.responders.fake_server import FakeServer, Reply, Script, serving

REMINDER = "\nSay a number."
REFUSED, BROKEN = Reply("refusal"), Reply(status=400)


def _fault(_: Request, response: Response) -> str | None:
    return None if (response.text or "").isdigit() else "no number in it"


ACCEPTANCE = Acceptance(
    _fault, lambda prompt, fault: replace(prompt, text=f"{prompt.text}{REMINDER} ({fault})")
)


def _requests(texts: Sequence[str]) -> list[Request]:
    facts = [{"text": text} for text in texts]
    return [Request(request_key(one), one, Prompt(one["text"], one["text"])) for one in facts]


def _ask(server: FakeServer, texts: Sequence[str], folder: Path) -> Responses:
    with ResponseStore(folder) as store:
        return ask_all(_requests(texts), openai(server.url), store, acceptance=ACCEPTANCE)


def _said(found: Responses, texts: Sequence[str]) -> list[tuple[Response, bool]]:
    return [found.get(one.key) for one in _requests(texts)]


def _saying(first: str, reminded: str) -> Script:
    return lambda text, _: Reply(text=reminded if REMINDER in text else first)


def test_an_answer_at_fault_is_asked_for_once_more_with_the_fault_named(tmp_path: Path) -> None:
    with serving(_saying("well", "7")) as server:
        [(response, _)] = _said(_ask(server, ["how many?"], tmp_path), ["how many?"])
        assert server.texts() == ["how many?", f"how many?{REMINDER} (no number in it)"]
        assert (response.outcome, response.text) == ("answered", "7")
        [(again, known)] = _said(_ask(server, ["how many?"], tmp_path), ["how many?"])
        assert len(server.texts()) == 2
    assert known
    assert again.text == "7"


def test_an_answer_that_stays_at_fault_is_a_failure_that_is_kept_and_never_found(
    tmp_path: Path,
) -> None:
    with serving(_saying("well", "hm")) as server:
        texts = ["how many?"]
        [(response, known)] = _said(_ask(server, texts, tmp_path), texts)
        assert (response.outcome, response.reason) == ("failed", "no number in it")
        assert response.text == "hm"
        assert not known
        assert '"hm"' in next(tmp_path.glob("*.jsonl")).read_text()
        server.script = _saying("3", "4")
        [(later, _)] = _said(_ask(server, texts, tmp_path), texts)
        assert later.text == "3"
        assert len(server.texts()) == 3


def test_kept_answers_that_are_no_longer_acceptable_are_asked_again(tmp_path: Path) -> None:
    with serving(lambda *_: Reply(text="well")) as server:
        with ResponseStore(tmp_path) as store:
            ask_all(_requests(["a"]), openai(server.url), store)
        server.script = _saying("5", "6")
        [(response, known)] = _said(_ask(server, ["a"], tmp_path), ["a"])
    assert (response.text, known) == ("5", False)


def test_refusals_and_failures_are_not_reminded(tmp_path: Path) -> None:
    with serving(lambda text, _: REFUSED if text == "a" else BROKEN) as server:
        said = _said(_ask(server, ["a", "b"], tmp_path), ["a", "b"])
        assert sorted(server.texts()) == ["a", "b"]
    assert [one.outcome for one, _ in said] == ["refused", "failed"]


def test_why_the_first_attempt_failed_is_told_at_once_and_once(tmp_path: Path) -> None:
    console = Console(file=io.StringIO(), width=200)
    with ResponseStore(tmp_path) as store:
        nobody = openai("http://127.0.0.1:9/v1", pace=Pace(attempts=2, first_wait_s=0.0))
        ask_all(_requests(["a", "b"]), nobody, store, console=console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert said.count("asking again, with growing waits") == 1
    assert "nobody answers at http://127.0.0.1:9/v1" in said
