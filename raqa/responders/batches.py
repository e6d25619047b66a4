"""Prompts that come one by one, answered in batches: for models on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from raqa.responders.base import Prompt, Response, Session

Waiting = tuple[Prompt, "asyncio.Future[Response]"]


class Model(Protocol):
    """Answers several prompts at a time, outside of the event loop."""

    def say(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer each prompt, in order; a prompt that can not be answered fails alone."""


@dataclass
class Batches(Session):
    """Gathers prompts that come one by one, and answers as many as wait at a time.

    Attributes:
        model: answers; one batch at a time, in a thread.
        size: prompts of a batch at most.
    """

    model: Model
    size: int
    waiting: list[Waiting] = field(default_factory=list)
    running: asyncio.Task[None] | None = None

    async def respond(self, prompt: Prompt) -> Response:
        """Answer with the next batch that has room."""
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self.waiting.append((prompt, future))
        if self.running is None or self.running.done():
            self.running = asyncio.create_task(self._run())
        return await future

    async def close(self) -> None:
        """Wait for the batch under way, which nothing can interrupt."""
        self.waiting.clear()
        if self.running is not None:
            await self.running

    async def _run(self) -> None:
        await asyncio.sleep(0)  # those who are about to ask come along
        while self.waiting:
            batch, self.waiting = self.waiting[: self.size], self.waiting[self.size :]
            try:
                said = await asyncio.to_thread(self.model.say, [prompt for prompt, _ in batch])
            except Exception as error:  # it belongs to those who asked
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), response in zip(batch, said, strict=True):
                if not future.done():
                    future.set_result(response)
