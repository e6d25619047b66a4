"""Prompts that come one by one are answered in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from raqa.responders.base import Prompt, Response
from raqa.responders.batches import Batches


@dataclass
class _Model:
    """Says what it is asked; knows how many came at a time."""

    sizes: list[int] = field(default_factory=list)

    def say(self, prompts: Sequence[Prompt]) -> list[Response]:
        self.sizes.append(len(prompts))
        if any(prompt.text == "fault" for prompt in prompts):
            raise RuntimeError("broken")
        return [Response(prompt.text) for prompt in prompts]


async def _ask(batches: Batches, texts: Sequence[str]) -> list[Response | BaseException]:
    asked = (batches.respond(Prompt(text, text)) for text in texts)
    said = await asyncio.gather(*asked, return_exceptions=True)
    await batches.close()
    return said


def test_prompts_that_wait_are_answered_together_each_with_its_own_answer() -> None:
    model = _Model()
    said = asyncio.run(_ask(Batches(model, 3), [str(number) for number in range(7)]))
    assert [one.text for one in said if isinstance(one, Response)] == list("0123456")
    assert model.sizes == [3, 3, 1]


def test_a_fault_belongs_to_the_batch_that_met_it() -> None:
    said = asyncio.run(_ask(Batches(_Model(), 2), ["a", "fault", "b"]))
    assert [type(one) for one in said] == [RuntimeError, RuntimeError, Response]


def test_one_who_no_longer_waits_holds_nobody_up() -> None:
    async def leave() -> Response:
        batches = Batches(_Model(), 2)
        left = asyncio.create_task(batches.respond(Prompt("a", "a")))
        await asyncio.sleep(0)
        left.cancel()
        said = await batches.respond(Prompt("b", "b"))
        with pytest.raises(asyncio.CancelledError):
            await left
        return said

    assert asyncio.run(leave()).text == "b"
