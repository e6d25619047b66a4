"""A fake of an OpenAI-compatible chat endpoint, with real sockets on the loopback address.

There is no model behind it: what it says is scripted. It names itself "fake" in every response.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

MODEL = "fake-model-without-weights"
FAULTS = ("429", "500", "timeout", "cut", "garbage", "refusal")
Script = Callable[[str, int], "Reply"]


@dataclass(frozen=True)
class Reply:
    """What one request is answered with.

    Attributes:
        kind: good, or one of FAULTS.
        text: of a good one; `body` replaces everything that would be sent.
    """

    kind: str = "good"
    text: str = "yes"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass
class FakeServer:
    """Answers by its script, and notes every request.

    Attributes:
        script: from a prompt's text and how often it has been asked before to a reply.
        latency_s: before each reply.
        asked: text, time and kind of every request, in order.
        bodies: of every request, and `headers` likewise.
        peak: the most requests at a time.
    """

    script: Script = lambda *_: Reply()
    latency_s: float = 0.0
    asked: list[tuple[str, float, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    peak: int = 0
    under_way: int = 0
    url: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    def texts(self, kind: str | None = None) -> list[str]:
        """The texts of all requests, or of those that were answered in one way."""
        return [text for text, _, one in self.asked if kind in {None, one}]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
        body = json.loads(await reader.readexactly(int(fields["content-length"])))
        text = prompt_of(body)
        reply = self.script(text, self.counts.get(text, 0))
        self.counts[text] = self.counts.get(text, 0) + 1
        self.asked.append((text, time.monotonic(), reply.kind))
        self.bodies.append(body)
        self.headers.append(head)
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        try:
            await asyncio.sleep(self.latency_s)
            return await _send(reply, reader, writer)
        finally:
            self.under_way -= 1


async def _send(reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    if reply.kind == "timeout":
        await reader.read(1)  # until the client has had enough
        return False
    status, body = {"429": 429, "500": 500}.get(reply.kind, reply.status), reply.body
    if body is None:
        body = b"<html>not json" if reply.kind == "garbage" else completion(reply)
    headers = {"server": "fake", "content-length": str(len(body)), **reply.headers}
    lines = [f"HTTP/1.1 {status} x", *(f"{name}: {value}" for name, value in headers.items())]
    whole = "\r\n".join([*lines, "", ""]).encode() + body
    writer.write(whole[: len(whole) // 2] if reply.kind == "cut" else whole)
    await writer.drain()
    return reply.kind != "cut"


def completion(reply: Reply) -> bytes:
    """A chat completion as such endpoints send it."""
    refused = reply.kind == "refusal"
    choice = {
        "index": 0, "finish_reason": "content_filter" if refused else "stop",
        "message": {"role": "assistant", "content": None if refused else reply.text},
    }  # fmt: skip
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    return json.dumps({"model": MODEL, "choices": [choice], "usage": usage}).encode()


def prompt_of(body: dict[str, Any]) -> str:
    """The words of a request."""
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def faulty(text: str, before: int) -> Reply:
    """Each fault in one of ten requests, decided by the text and how often it was asked before."""
    number = hashlib.blake2b(f"{before}/{text}".encode(), digest_size=2).digest()[0] * 10 // 256
    if number >= len(FAULTS):
        return Reply()
    kind = FAULTS[number]
    return Reply(kind, headers={"Retry-After": "0"} if kind == "429" else {})


@contextmanager
def serving(script: Script | None = None, latency_s: float = 0.0) -> Iterator[FakeServer]:
    """A server in a thread, from here to the end of the block."""
    made = FakeServer(latency_s=latency_s, **({} if script is None else {"script": script}))
    loop, ready = asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        server = await asyncio.start_server(made.serve, "127.0.0.1", 0, limit=1 << 26)
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        ready.set()
        await stop.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    ready.wait()
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
