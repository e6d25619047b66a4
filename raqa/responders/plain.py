"""Responders without a model, for baselines and tests: constant, random and echo."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from raqa.responders.base import Pace, Prompt, Responder, Response, Session


class _Plain(Responder):
    """Says something without asking anyone, so nothing of it is kept."""

    kept: ClassVar[bool] = False
    listens: ClassVar[bool] = False
    converses: ClassVar[bool] = True
    pace: ClassVar[Pace] = Pace(concurrency=1)  # type: ignore[misc]

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Nothing has to be opened."""
        yield _Saying(self)

    def say(self, prompt: Prompt) -> str:
        """What it says to a prompt."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Saying(Session):
    responder: _Plain

    async def respond(self, prompt: Prompt) -> Response:
        return Response(self.responder.say(prompt), finish="stop")


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class ConstantResponder(_Plain):
    """Says the same to everything.

    Attributes:
        text: what it says.
    """

    text: str = "yes"

    @property
    def identity(self) -> Mapping[str, Any]:
        """What it says."""
        return {"responder": "constant", "text": self.text}

    def say(self, prompt: Prompt) -> str:  # noqa: ARG002
        """The text."""
        return self.text


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class RandomResponder(_Plain):
    """Draws evenly from what a question allows; says that it does not know where nothing is listed.

    A draw depends on the seed and the question's id alone, so no other question moves it.
    """

    seed: Annotated[int, Field(ge=0)] = 0

    @property
    def identity(self) -> Mapping[str, Any]:
        """The seed."""
        return {"responder": "random", "seed": self.seed}

    def say(self, prompt: Prompt) -> str:
        """One of the choices."""
        if not prompt.choices:
            return "I do not know."
        digest = hashlib.blake2b(f"{self.seed}/{prompt.qa_id}".encode(), digest_size=8).digest()
        return prompt.choices[int.from_bytes(digest) * len(prompt.choices) >> 64]


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class EchoResponder(_Plain):
    """Says the prompt itself: shows what models are asked, and that an echo is no answer."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """There is only one."""
        return {"responder": "echo"}

    def say(self, prompt: Prompt) -> str:
        """The prompt's text."""
        return prompt.text
