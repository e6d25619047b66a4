"""A responder says how it is asked: at what rate it hears, in which words, read how far."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from raqa.errors import UserError
from raqa.responders.base import Input, Pace, Prompt, Responder, Response, Session
from raqa.responders.head import ZeroShotHead
from raqa.responders.hearing import Hearing
from raqa.responders.usage import usage_text
from tests.responders.asking import ask, asked, question, tone


@dataclass(frozen=True)
class _Listener(Responder, Session):
    """Says at what rate it heard; reads ten characters."""

    prompts: list[Prompt] = field(default_factory=list)
    pace: ClassVar[Pace] = Pace(concurrency=1)  # type: ignore[misc]

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"responder": "listener"}

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        yield self

    async def respond(self, prompt: Prompt) -> Response:
        self.prompts.append(prompt)
        heard = prompt.heard.waveform
        return Response(f"{heard.rate if heard else 'nothing'}", cut=len(prompt.text) > 10)


@dataclass(frozen=True)
class _Plain(_Listener):
    """Hears recordings as they are, and is asked the question alone."""

    rate: ClassVar[int | None] = None

    def wording(self, question: Mapping[str, Any], given: Input) -> str:
        return f"{question['question']}{given}"


class _Absent(_Listener):
    """Is not there to be asked."""

    def check(self, hearing: Hearing) -> None:  # noqa: ARG002
        raise UserError("it is not at home")


def test_the_rate_is_the_users_else_the_responders_else_the_recordings(tmp_path: Path) -> None:
    questions = asked([question("q")], [tone(tmp_path / "a.wav", 200)])  # at 8 kHz
    for responder, setting, rate in (
        (_Listener(), None, "16000"),
        (_Plain(), None, "8000"),
        (_Plain(), 44_100, "44100"),
        (_Listener(), 44_100, "44100"),
    ):
        found = ask(questions, responder, tmp_path / f"{rate}{setting}", "audio", rate=setting)
        assert found.answers["response"].to_list() == [rate]


def test_a_responder_that_hears_at_a_rate_is_kept_apart_from_one_that_hears_at_another(
    tmp_path: Path,
) -> None:
    one, other = ZeroShotHead(_Listener()), ZeroShotHead(_Plain())
    assert one.facts["hearing"] != other.facts["hearing"]


def test_a_responder_may_word_its_questions_itself(tmp_path: Path) -> None:
    plain, usual = _Plain(), _Listener()
    for responder in (plain, usual):
        ask(asked([question("q", question="Wheeze?")]), responder, tmp_path)
    assert plain.prompts[0].text == "Wheeze?none"
    assert "Answer with yes or no." in usual.prompts[0].text


def test_prompts_that_were_read_in_part_are_counted_once_also_from_the_store(
    tmp_path: Path,
) -> None:
    words = ("Wheeze?", "Is there a wheeze?", "Is there a wheeze?")
    questions = asked([question(f"q{n}", question=text) for n, text in enumerate(words)])
    for _ in range(2):
        found = ask(questions, _Plain(), tmp_path)
        assert found.usage["cut"].to_list() == [True, True, True]
        assert "of 2 prompts only the beginning was read" in usage_text(found.usage)
    whole = ask(asked([question("q", question="?")]), _Plain(), tmp_path)
    assert "beginning" not in usage_text(whole.usage)


def test_a_run_looks_for_what_its_responder_needs_before_any_work() -> None:
    with pytest.raises(UserError, match="not at home"):
        ZeroShotHead(_Absent()).check()
