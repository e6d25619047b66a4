"""One request to a web server; every way in which it can fail is one of two kinds of error."""

from __future__ import annotations

import email.utils
import http.client
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

RANGE_REFUSED = 416
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class FetchError(Exception):
    """A file can not be had; the message is the reason.

    Args:
        access: whether the file is there and access to it is missing.
    """

    def __init__(self, reason: str, *, access: bool = False) -> None:
        super().__init__(reason)
        self.access = access


class PassingError(Exception):
    """What may be better at the next attempt.

    Args:
        wait_s: how long the server asks to wait; None: it does not say.
    """

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to http and https only, and never from the second to the first."""

    def redirect_request(  # noqa: PLR0917
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        allowed = ("https://",) if req.type == "https" else ("https://", "http://")
        if not newurl.startswith(allowed):
            raise FetchError(f"it leads on to {newurl!r}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def open_url(url: str, headers: Mapping[str, str], timeout_s: float) -> Any:
    """Ask for an address.

    Returns:
        the response; its status is 200, 206 or RANGE_REFUSED.

    Raises:
        FetchError: the answer would be the same at the next attempt.
        PassingError: the connection or the server failed.
    """
    if not url.startswith(("https://", "http://")):
        raise FetchError(f"{url} is no address of a web server")
    request = urllib.request.Request(
        url, headers={"User-Agent": "raqa", "Accept-Encoding": "identity", **headers}
    )
    try:
        response = urllib.request.build_opener(_Redirects).open(request, timeout=timeout_s)
    except urllib.error.HTTPError as error:
        if error.code == RANGE_REFUSED:
            return error
        with error:
            raise _refusal(error) from None
    except urllib.error.URLError as error:
        raise _no_connection(error.reason) from None
    except (OSError, http.client.HTTPException) as error:
        raise _no_connection(error) from None
    if response.status not in {200, 206}:
        with response:
            raise FetchError(f"the server answers {response.status}, which is no file")
    return response


def read_block(response: Any, most: int) -> bytes:
    """Read what has arrived of a response's body; empty at its end.

    Raises:
        PassingError: the connection failed.
    """
    try:
        block: bytes = response.read1(most)
    except (OSError, http.client.HTTPException) as error:
        raise _no_connection(error) from None
    return block


def _refusal(error: urllib.error.HTTPError) -> Exception:
    # Not the server's own phrase, which could steer the terminal.
    said = f"the server answers {error.code} {http.client.responses.get(error.code, '')}".rstrip()
    if error.code in _PASSING:
        return PassingError(said, retry_after_s(error.headers.get("Retry-After")))
    if error.code in {401, 403}:
        return FetchError(f"{said}: access is refused", access=True)
    if error.code in {404, 410}:
        return FetchError(f"{said}: the file is no longer there")
    return FetchError(said)


def _no_connection(reason: object) -> Exception:
    if isinstance(reason, ssl.SSLCertVerificationError):
        return FetchError(f"the server's certificate is not valid ({reason.verify_message})")
    if isinstance(reason, TimeoutError):
        return PassingError("the server does not answer in time")
    if isinstance(reason, http.client.IncompleteRead):
        return PassingError("the connection ended before the file did")
    text = str(reason).strip() or type(reason).__name__
    return PassingError(f"no connection ({text})")


def retry_after_s(value: str | None) -> float | None:
    """Read a Retry-After header: seconds from now, or None where it says nothing readable."""
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
