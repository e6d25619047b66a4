"""How many prompts are under way at a time: as many as the other side bears."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from raqa.errors import UserError
from raqa.responders.base import Pace, PassingError, Prompt, Response, Session


class Pacer:
    """Asks a session's prompts at a pace that adapts (additive increase, multiplicative decrease).

    Args:
        tell: is told at once why the first attempt failed, since the next ones are waited for.

    Attributes:
        limit: how many prompts may be under way now, between 1 and `pace.concurrency`.
    """

    def __init__(
        self,
        pace: Pace,
        rng: random.Random | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.pace = pace
        self._tell: Callable[[str], None] | None = tell
        self.limit = float(pace.concurrency)
        self._rng = rng or random.Random()
        self._under_way = 0
        self._changed = asyncio.Condition()
        self._paused_until = 0.0
        self._lowered_at = float("-inf")
        self._in_a_row = 0

    async def ask(
        self, session: Session, prompt: Prompt, stopped: Callable[[], None] = lambda: None
    ) -> Response:
        """Put a prompt until it is answered, refused or given up.

        Args:
            stopped: is called before each attempt and raises where there shall be none.

        Raises:
            UserError: nothing can succeed: no access, too many failures in a row, or a wait that
                is longer than the pace allows.
        """
        response = await self._ask(session, prompt, stopped)
        self._in_a_row = self._in_a_row + 1 if response.outcome == "failed" else 0
        if self._in_a_row >= self.pace.stop_after:
            raise UserError(
                f"{self._in_a_row} prompts failed one after the other, the last one because "
                f"{response.reason}. What was answered is kept; the same command goes on there."
            )
        return response

    async def _ask(self, session: Session, prompt: Prompt, stopped: Callable[[], None]) -> Response:
        for attempt in range(self.pace.attempts):
            try:
                async with self._place() as begun:
                    stopped()
                    response = await session.respond(prompt)
                    self._raise()
                    return replace(response, retries=attempt)
            except PassingError as error:
                self._lower(begun)
                failed = error
                self._tell_once(str(error))
            if attempt + 1 < self.pace.attempts:
                await self._wait(attempt, failed.wait_s)
        tries = f"{self.pace.attempts} attempt{'s' * (self.pace.attempts > 1)}"
        return Response(
            None, "failed", f"{failed} (given up after {tries})",
            retries=self.pace.attempts - 1, raw=failed.raw,
        )  # fmt: skip

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[float]:
        """Wait for a place among those under way, and say when it was got."""
        clock = asyncio.get_running_loop().time
        async with self._changed:
            await self._changed.wait_for(lambda: self._under_way < int(self.limit))
            self._under_way += 1
        try:
            while (left := self._paused_until - clock()) > 0:
                await asyncio.sleep(left)
            yield clock()
        finally:
            async with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    async def _wait(self, attempt: int, asked_s: float | None) -> None:
        """Wait before the next attempt; where the other side named a time, nobody asks earlier."""
        doubled = min(self.pace.first_wait_s * 2**attempt, self.pace.longest_wait_s)
        wait_s = doubled * self._rng.uniform(0.5, 1.0)
        if asked_s is not None:
            if asked_s > self.pace.longest_wait_s:
                raise UserError(
                    f"The other side asks to wait {asked_s:,.0f} s, longer than "
                    f"responder.pace.longest_wait_s={self.pace.longest_wait_s:g}. What was "
                    "answered is kept; the same command goes on there."
                )
            now = asyncio.get_running_loop().time()
            self._paused_until = max(self._paused_until, now + asked_s)
            wait_s = asked_s + 0.1 * wait_s  # so that not all come back at once
        await asyncio.sleep(wait_s)

    def _tell_once(self, reason: str) -> None:
        if self._tell is not None and self.pace.attempts > 1:
            self._tell(f"{reason}; asking again, with growing waits.")
        self._tell = None

    def _raise(self) -> None:
        self.limit = min(self.limit + 1 / self.limit, float(self.pace.concurrency))

    def _lower(self, begun: float) -> None:
        """Halve, but once for all attempts that were under way together."""
        if begun >= self._lowered_at:
            self.limit = max(self.limit / 2, 1.0)
            self._lowered_at = asyncio.get_running_loop().time()
