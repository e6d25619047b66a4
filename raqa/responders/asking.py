"""Asking a responder many prompts: what the store knows is not asked again, what is new is kept.

Killing it at any moment loses at most the responses that were under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from raqa.audio.waveform import AudioError
from raqa.display import harmless
from raqa.embeddings.progress import Progress
from raqa.responders.base import UNHEARD, Heard, Prompt, Responder, Response, Session
from raqa.responders.pace import Pacer
from raqa.responders.store import ResponseStore
from raqa.training.interrupt import StoppedError

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, eq=False)
class Request:
    """One prompt, and where its response is kept.

    Attributes:
        key: of the store, made of `facts`.
        audio_row: which recording it is about, where it is about one that is opened.
    """

    key: str
    facts: Mapping[str, Any]
    prompt: Prompt
    audio_row: int | None = None


Hear = Callable[[int], Awaitable[Heard | AudioError]]
"""What a responder is given of the recording in a row of audio."""


@dataclass(frozen=True)
class Acceptance:
    """Which answers can be used; one that can not is asked for once more, in other words.

    Attributes:
        fault: what is wrong with the answer to a request, or None.
        reminder: the prompt that is put after an answer with this fault.
    """

    fault: Callable[[Request, Response], str | None]
    reminder: Callable[[Prompt, str], Prompt]


@dataclass(frozen=True)
class Responses:
    """What came back, by key.

    Attributes:
        fresh: what was asked now.
        known: keys of what was found in the store.
    """

    store: ResponseStore
    fresh: Mapping[str, Response]
    known: frozenset[str]

    def get(self, key: str) -> tuple[Response, bool]:
        """A response, and whether it came from the store."""
        known = key in self.known
        return self.store.get(key) if known else self.fresh[key], known


def ask_all(
    requests: Sequence[Request],
    responder: Responder,
    store: ResponseStore,
    *,
    hear: Hear | None = None,
    acceptance: Acceptance | None = None,
    console: Console | None = None,
    doing: str = "asking",
    stop: Callable[[], bool] = lambda: False,
) -> Responses:
    """Put every request that the store has no answer to.

    Args:
        requests: with different keys.
        acceptance: an answer that is still at fault after its reminder is a failure, with the
            fault as the reason; None: every answer can be used.
        stop: asked before each prompt whether to stop.

    Raises:
        UserError: nothing can succeed.
        StoppedError: `stop` asked for it; the same call goes on from there.
    """
    kept = [one for one in requests if one.key in store]
    if acceptance is not None:
        kept = [one for one in kept if acceptance.fault(one, store.get(one.key)) is None]
    known = frozenset(one.key for one in kept)
    missing = [one for one in requests if one.key not in known]
    with Progress(console, len(missing), doing, "prompts") as progress:
        work = _Work(responder, store, hear, acceptance, progress, console, stop, len(missing))
        if missing:
            asyncio.run(work.run(missing))
    return Responses(store, work.fresh, known)


@dataclass
class _Work:
    """Requests under way."""

    responder: Responder
    store: ResponseStore
    hear: Hear | None
    acceptance: Acceptance | None
    progress: Progress
    console: Console | None
    stop: Callable[[], bool]
    total: int
    fresh: dict[str, Response] = field(default_factory=dict)

    async def run(self, requests: Sequence[Request]) -> None:
        """Ask with as many workers as may be under way at a time; the first fault stops all."""
        waiting = iter(requests)
        async with self.responder.session() as session:
            pacer = Pacer(self.responder.pace, tell=self._tell)

            async def worker() -> None:
                for request in waiting:
                    await self._ask(request, session, pacer)

            workers = [
                asyncio.create_task(worker())
                for _ in range(min(self.responder.pace.concurrency, len(requests)))
            ]
            try:
                await asyncio.gather(*workers)
            finally:
                for one in workers:
                    one.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    async def _ask(self, request: Request, session: Session, pacer: Pacer) -> None:
        heard: Heard | AudioError = Heard()
        if self.hear is not None and request.audio_row is not None:
            heard = await self.hear(request.audio_row)
        if isinstance(heard, AudioError):
            response = Response(None, "failed", f"{UNHEARD} used: {heard}")
        else:
            response = await self._answered(request, heard, session, pacer)
        if self.responder.kept:
            self.store.add(request.key, request.facts, response)
        self.fresh[request.key] = response
        self.progress.advance(1)

    async def _answered(
        self, request: Request, heard: Heard, session: Session, pacer: Pacer
    ) -> Response:
        """What comes back, at the second time of asking where the first answer is at fault."""
        prompt = replace(request.prompt, heard=heard)
        response = await pacer.ask(session, prompt, self._stopped)
        fault = self._fault(request, response)
        if self.acceptance is not None and fault is not None:
            prompt = self.acceptance.reminder(prompt, fault)
            response = await pacer.ask(session, prompt, self._stopped)
            fault = self._fault(request, response)
        return response if fault is None else replace(response, outcome="failed", reason=fault)

    def _fault(self, request: Request, response: Response) -> str | None:
        if self.acceptance is None or response.outcome != "answered":
            return None
        return self.acceptance.fault(request, response)

    def _tell(self, line: str) -> None:
        if self.console is not None:
            self.console.print(harmless(line), style="yellow", highlight=False, markup=False)

    def _stopped(self) -> None:
        if self.stop():
            raise StoppedError(f"after {len(self.fresh):,} of {self.total:,} prompts")
