"""Fetching a file: continued after any interruption, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from raqa.download.http import RANGE_REFUSED, FetchError, PassingError, open_url, read_block

BLOCK = 1 << 18
"""Most bytes read at a time."""

MOST_ATTEMPTS = 200
"""Even a server that sends a little each time is given up on after so many connections."""


@dataclass(frozen=True)
class Patience:
    """How long to put up with a server.

    Attributes:
        answer_s: it may be silent for so long.
        attempts: failures in a row without one new byte, after which it is given up.
        pause_s: between the first two attempts; doubled each time.
        longest_pause_s: a server that asks for a longer pause is given up.
    """

    answer_s: float = 30.0
    attempts: int = 5
    pause_s: float = 1.0
    longest_pause_s: float = 120.0


@dataclass(frozen=True)
class Version:
    """Which version of a file a server sends.

    Attributes:
        size: bytes; None: it does not say.
        etag, modified: its own marks of the version, as headers; empty: none.
    """

    url: str
    size: int | None = None
    etag: str = ""
    modified: str = ""

    @property
    def mark(self) -> str:
        """What to send as If-Range; empty: a second connection may get another version."""
        return self.modified if not self.etag or self.etag.startswith("W/") else self.etag


class StoppedFetchError(Exception):
    """The caller asked to stop; what has arrived is kept."""


Notice = Callable[[int, int | None], None]
"""Told how many bytes there are, and how many there will be if that is known."""


def fetch(
    url: str,
    target: Path,
    *,
    size: int | None = None,
    patience: Patience | None = None,
    notice: Notice = lambda _have, _of: None,
    stop: threading.Event | None = None,
) -> Version:
    """Fetch a file; what an interrupted call left is continued if it is the same version.

    What has arrived stands in `target.part` until all has; `target.part.json` says of which
    version it is. One caller at a time: the lock is theirs.

    Args:
        size: what its publisher says, in bytes.

    Raises:
        FetchError: it can not be had, or is of another size.
        StoppedFetchError: `stop` was set.
        OSError: it can not be written.
    """
    patience, stop = patience or Patience(), stop or threading.Event()
    failures = 0
    for _ in range(MOST_ATTEMPTS):
        before = _part_size(target)
        try:
            return _attempt(url, target, size, answer_s=patience.answer_s, notice=notice, stop=stop)
        except PassingError as problem:
            failures = 1 if _part_size(target) > before else failures + 1
            pause = patience.pause_s * 2 ** (failures - 1)
            if problem.wait_s is not None:
                pause = max(pause, problem.wait_s)
            if failures >= patience.attempts:
                raise FetchError(str(problem)) from None
            if pause > patience.longest_pause_s:
                raise FetchError(f"{problem}, and asks to wait for {pause:.0f} s") from None
            if stop.wait(pause):
                raise StoppedFetchError from None
    raise FetchError(f"the connection was cut {MOST_ATTEMPTS} times")


def discard(target: Path) -> None:
    """Remove what has arrived of a file."""
    for path in (_part(target), _note(target)):
        path.unlink(missing_ok=True)


def arrived(target: Path) -> int:
    """How many bytes of a file were fetched by interrupted calls."""
    return _part_size(target)


def digests(path: Path, *algorithms: str) -> dict[str, str]:
    """Hex digests of a file, in one reading.

    Raises:
        OSError: it can not be read.
    """
    made = {name: hashlib.new(name, usedforsecurity=False) for name in algorithms}
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            for one in made.values():
                one.update(block)
    return {name: one.hexdigest() for name, one in made.items()}


def _part(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def _note(target: Path) -> Path:
    return target.with_name(f"{target.name}.part.json")


def _part_size(target: Path) -> int:
    try:
        return _part(target).stat().st_size
    except FileNotFoundError:
        return 0


def _begun(target: Path, url: str) -> Version | None:
    """The version that the part is of; None: it can not be continued."""
    try:
        version = Version(**json.loads(_note(target).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return version if version.url == url else None


def _attempt(
    url: str,
    target: Path,
    size: int | None,
    *,
    answer_s: float,
    notice: Notice,
    stop: threading.Event,
) -> Version:
    begun, have = _begun(target, url), _part_size(target)
    if begun is None or not begun.mark or (begun.size is not None and have > begun.size):
        have = 0
    elif have and have == begun.size:  # ended between the last byte and the new name
        return _finish(target, begun)
    headers = {"Range": f"bytes={have}-", "If-Range": begun.mark} if have and begun else {}
    with open_url(url, headers, answer_s) as response:
        start, version = _read_head(response, url, have, target, size)
        if start and begun and version.etag and version.etag != begun.etag:
            discard(target)
            raise PassingError("the file was changed on the server")
        with _part(target).open("ab" if start else "wb") as file:
            if not start:  # the note after the file was emptied: it never tells of older bytes
                _note(target).write_text(json.dumps(asdict(version)), encoding="utf-8")
            end = size if version.size is None else version.size
            try:
                _copy(response, file, start, end, notice=notice, stop=stop)
            except FetchError:
                discard(target)
                raise
            file.flush()
            os.fsync(file.fileno())
    return _finish(target, Version(url, _part_size(target), version.etag, version.modified))


def _read_head(
    response: Any, url: str, have: int, target: Path, size: int | None
) -> tuple[int, Version]:
    """Where the body begins in the file, and of which version it is."""
    headers = response.headers
    if response.status == RANGE_REFUSED:
        discard(target)
        raise PassingError("the server has less of the file than there is already")
    kind = headers.get_content_type()
    if kind in {"text/html", "application/xhtml+xml"} and target.suffix not in {".html", ".htm"}:
        raise FetchError(
            "the server sends a web page instead of the file: it may ask for a login, or say that "
            "something is wrong"
        )
    start, length = 0, headers.get("Content-Length")
    total = int(length) if length and length.isdigit() else None
    if response.status == 206:
        given = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("Content-Range", "").strip())
        if given is None or int(given[1]) != have or not have:
            discard(target)
            raise PassingError("the server sends another part than was asked for")
        start, total = have, None if given[2] == "*" else int(given[2])
    if size is not None and total is not None and total != size:
        discard(target)
        raise FetchError(
            f"the server has a file of {total:,} bytes and {size:,} are expected: it was replaced"
        )
    etag, modified = headers.get("ETag", ""), headers.get("Last-Modified", "")
    return start, Version(url, total, etag, modified)


def _copy(
    response: Any, file: Any, have: int, end: int | None, *, notice: Notice, stop: threading.Event
) -> None:
    """Append a response's body; what comes before an error is kept."""
    notice(have, end)
    told = time.monotonic()
    while block := read_block(response, BLOCK):
        have += len(block)
        if end is not None and have > end:
            raise FetchError(f"the server sends more than the {end:,} bytes that are expected")
        file.write(block)
        if stop.is_set():
            raise StoppedFetchError
        if time.monotonic() - told > 0.1:
            notice(have, end)
            told = time.monotonic()
    notice(have, end)
    if end is not None and have < end:
        raise PassingError(f"the connection ended after {have} bytes")


def _finish(target: Path, version: Version) -> Version:
    _part(target).replace(target)
    _note(target).unlink(missing_ok=True)
    return version
