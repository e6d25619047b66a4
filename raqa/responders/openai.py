"""Any chat endpoint that speaks OpenAI's interface: vLLM, llama.cpp, commercial ones.

The interface is the "chat completions" one: a recording is an `input_audio` part (WAV in base64),
a spectrogram an `image_url` part (PNG as a data URL).
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue, field_validator
from pydantic.dataclasses import dataclass as checked

from raqa.errors import UserError
from raqa.responders.base import Pace, Prompt, Responder, Response, Session
from raqa.responders.openai_reply import read_reply

if TYPE_CHECKING:
    import httpx

ADAPTER = 1
"""Raised when the same prompt begins to be sent in another way; responses are kept under it."""

_URL = re.compile(r"https?://[^/@?#\s]+(/[^?#\s]*)?")
_LOCAL = re.compile(r"https?://(localhost|127\.[\d.]+|\[::1\])([:/]|$)")
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OWN = ("model", "messages", "stream", "n")


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class Decoding:
    """How the model chooses its words; None leaves a setting to the server.

    Attributes:
        max_tokens: the most tokens of a response.
        length_field: what the server calls that: newer commercial models want the second.
        extra: further fields of the request's body, as the server's documentation names them.
    """

    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: int | None = 0
    max_tokens: Annotated[int, Field(ge=1)] = 64
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    extra: dict[str, JsonValue] = field(default_factory=dict)

    @field_validator("extra")
    @classmethod
    def _foreign(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := [name for name in value if name in _OWN]:
            raise ValueError(f"{', '.join(taken)} can not be set here")
        return value

    @property
    def body(self) -> dict[str, Any]:
        """The fields of a request's body."""
        given = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        chosen = {name: value for name, value in given.items() if value is not None}
        return {**chosen, self.length_field: self.max_tokens, **self.extra}


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class Prices:
    """What a million tokens cost, in any one currency."""

    million_in: Annotated[float, Field(ge=0)]
    million_out: Annotated[float, Field(ge=0)]


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class OpenAIResponder(Responder):
    """A model behind a chat endpoint.

    Attributes:
        model: as the endpoint names it.
        revision: which weights stand behind the name, for servers of your own; responses are kept
            under it, so another one is another model.
        base_url: up to and without /chat/completions.
        key_variable: the environment variable that holds the key; unset: no key is sent.
        system: what is said before every prompt; None: nothing.
        timeout_s: from a request to the end of its response.
        most_bytes: of a response; a longer one is a failure.
    """

    model: Annotated[str, Field(min_length=1)]
    base_url: str = "http://127.0.0.1:8000/v1"
    revision: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    system: str | None = None
    decoding: Decoding = field(default_factory=Decoding)
    prices: Prices | None = None
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0
    most_bytes: Annotated[int, Field(ge=1024)] = 64 * 2**20
    pace: Pace = field(default_factory=Pace)
    converses: ClassVar[bool] = True

    # What is wrong with these two may be a key or a password in them, so it is not repeated, as a
    # ValueError would be.

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        if not _URL.fullmatch(value):
            raise UserError(
                "responder.base_url: has to be http(s)://HOST/PATH, without a user, key or query."
            )
        return value.rstrip("/")

    @field_validator("key_variable")
    @classmethod
    def _name(cls, value: str) -> str:
        if not _VARIABLE.fullmatch(value):
            raise UserError(
                "responder.key_variable: has to be the name of an environment variable, such as "
                "OPENAI_API_KEY, and not the key itself."
            )
        return value

    @field_validator("model", mode="before")
    @classmethod
    def _chosen(cls, value: object) -> object:
        if value is None:
            raise UserError("responder.model: set it to the model's name at the endpoint.")
        return value

    @property
    def identity(self) -> Mapping[str, Any]:
        """Model, revision, place, system prompt, decoding and adapter."""
        return {
            "responder": "openai",
            "adapter": ADAPTER,
            "model": self.model,
            "revision": self.revision,
            "base_url": self.base_url,
            "system": self.system,
            "decoding": self.decoding.body,
        }

    def with_room(self, max_tokens: int) -> OpenAIResponder:
        """With a limit that is not below this one."""
        most = max(self.decoding.max_tokens, max_tokens)
        return replace(self, decoding=replace(self.decoding, max_tokens=most))

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Open a pool of connections; the key is read now and is nowhere but in its headers.

        Raises:
            UserError: the key has signs that no header can hold.
        """
        import httpx

        key = os.environ.get(self.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise UserError(f"{self.key_variable} holds signs that no key has.")
        limits = httpx.Limits(
            max_connections=self.pace.concurrency,
            max_keepalive_connections=self.pace.concurrency,
        )
        async with httpx.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            limits=limits,
            timeout=httpx.Timeout(None, connect=min(self.timeout_s, 20.0)),
            trust_env=not _LOCAL.match(self.base_url),  # a proxy can not reach this machine
        ) as client:
            yield _Endpoint(self, client, key)

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """The body of a prompt's request."""
        parts: list[dict[str, Any]] = []
        if prompt.heard.wav is not None:
            audio = {"data": base64.b64encode(prompt.heard.wav).decode(), "format": "wav"}
            parts.append({"type": "input_audio", "input_audio": audio})
        if prompt.heard.image is not None:
            url = f"data:image/png;base64,{base64.b64encode(prompt.heard.image).decode()}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        messages = [] if self.system is None else [_said("system", self.system)]
        for earlier in prompt.before:
            messages += [_said("user", earlier.question), _said("assistant", earlier.answer)]
        messages.append(_said("user", prompt.text))
        if parts:  # text alone is sent plainly: servers of text models know no parts
            first = next(one for one in messages if one["role"] == "user")
            first["content"] = [*parts, {"type": "text", "text": first["content"]}]
        return {
            "model": self.model, "messages": messages, **_format(prompt), **self.decoding.body,
        }  # fmt: skip


def _format(prompt: Prompt) -> dict[str, Any]:
    """That the response shall be JSON of the prompt's schema, where it has one."""
    if prompt.schema is None:
        return {}
    named = {"name": "response", "strict": True, "schema": dict(prompt.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


@dataclass(frozen=True)
class _Endpoint(Session):
    responder: OpenAIResponder
    client: httpx.AsyncClient
    key: str = field(repr=False)

    async def respond(self, prompt: Prompt) -> Response:
        import httpx

        from raqa.responders.base import PassingError

        body = json.dumps(self.responder.body(prompt)).encode()
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            async with asyncio.timeout(self.responder.timeout_s):
                status, headers, content = await self._post(body)
        except TimeoutError:
            raise PassingError(
                f"there was no whole response within {self.responder.timeout_s:g} s"
            ) from None
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise PassingError(f"nobody answers at {self.responder.base_url}") from None
        except httpx.HTTPError as error:
            raise PassingError(f"the connection failed ({type(error).__name__})") from None
        if content is None:
            most = self.responder.most_bytes
            return Response(None, "failed", f"the response is longer than {most:,} bytes")
        raw = content.decode("utf-8", errors="replace")
        if self.key:
            raw = raw.replace(self.key, "[key removed]")
        reply = read_reply(status, headers, raw, self.responder.model, self.responder.key_variable)
        return reply.response(clock() - begun, self.responder.prices)

    async def _post(self, body: bytes) -> tuple[int, Mapping[str, str], bytes | None]:
        """Send a request; the content is None where it is longer than allowed."""
        url = f"{self.responder.base_url}/chat/completions"
        headers = {"Content-Type": "application/json"}
        async with self.client.stream("POST", url, content=body, headers=headers) as response:
            content = bytearray()
            async for block in response.aiter_bytes():
                content += block
                if len(content) > self.responder.most_bytes:
                    return response.status_code, response.headers, None
            return response.status_code, response.headers, bytes(content)
