"""Reading what a chat endpoint sent back: an answer, a refusal, or one of two kinds of failure."""

from __future__ import annotations

import http
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from raqa.display import harmless
from raqa.download.http import retry_after_s
from raqa.errors import UserError
from raqa.responders.base import Outcome, PassingError, Response

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_FILTER = "content_filter"


class _Prices(Protocol):
    @property
    def million_in(self) -> float: ...
    @property
    def million_out(self) -> float: ...


@dataclass(frozen=True)
class Reply:
    """A readable reply; attributes as those of Response."""

    text: str | None
    outcome: Outcome
    reason: str | None
    raw: str
    finish: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None

    def response(self, latency_s: float, prices: _Prices | None) -> Response:
        """With how long it took and what it cost, where prices and tokens are known."""
        cost = None
        if prices and self.tokens_in is not None and self.tokens_out is not None:
            spent = self.tokens_in * prices.million_in + self.tokens_out * prices.million_out
            cost = spent / 1e6
        return Response(
            self.text, self.outcome, self.reason, self.finish, self.tokens_in, self.tokens_out,
            latency_s=latency_s, cost=cost, raw=self.raw,
        )  # fmt: skip


def read_reply(
    status: int, headers: Mapping[str, str], raw: str, model: str, key_variable: str
) -> Reply:
    """Read a reply.

    Args:
        raw: the body; holds no key any more.
        model, key_variable: for messages.

    Raises:
        PassingError: the server failed, is busy, or sent what is no reply.
        UserError: access is refused, or there is no such model or address.
    """
    if status in _PASSING:
        wait_s = retry_after_s(headers.get("Retry-After"))
        raise PassingError(f"the server answers {_named(status)}", wait_s, raw)
    if status in {401, 403}:
        raise UserError(
            f"The server answers {_named(status)}: access is refused. Set the environment "
            f"variable {key_variable} to a key that is allowed to use {model}."
        )
    if status == 404:
        raise UserError(
            f"The server answers {_named(status)}: it has no model {model}, or "
            f"responder.base_url is not its address. It says: {harmless(raw, 200)}"
        )
    if status != 200:
        if _FILTER in raw[:4096]:
            return Reply(None, "refused", "refused by a filter", raw, finish=_FILTER)
        said = harmless(raw, 200)
        return Reply(None, "failed", f"the server answers {_named(status)}: {said}", raw)
    return _completed(raw)


def _completed(raw: str) -> Reply:
    try:
        body = json.loads(raw)
        choice = body["choices"][0]
        message = choice["message"]
        text, refusal = _text(message.get("content")), message.get("refusal")
        finish = choice.get("finish_reason")
        usage = body.get("usage") or {}
        tokens = [_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise PassingError("what came back is no chat completion", raw=raw) from None
    outcome: Outcome = "answered"
    reason = None
    if isinstance(refusal, str) and refusal:
        text, outcome, reason = _text(refusal), "refused", "refused by the interface"
    elif finish == _FILTER:
        outcome, reason = "refused", "refused by a filter"
    elif text is None:
        raise PassingError("what came back has no text", raw=raw)
    return Reply(text, outcome, reason, raw, None if finish is None else str(finish), *tokens)


def _text(content: Any) -> str | None:
    """The content of a message: a text, or a list of parts of which some are text.

    Half a surrogate pair, which JSON can spell and no table can hold, becomes a question mark.
    """
    if content is None:
        return None
    if not isinstance(content, str):
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    return str(content).encode(errors="replace").decode()


def _count(value: Any) -> int | None:
    valid = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if valid else None


def _named(status: int) -> str:
    """The status with its standard name, never the server's own phrase."""
    known = {one.value: one.phrase for one in http.HTTPStatus}
    return f"{status} {known.get(status, '')}".rstrip()
