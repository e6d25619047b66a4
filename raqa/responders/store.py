"""Where responses are kept: lines are only ever added, so killing a writer harms nothing.

Every process adds to a file of its own and reads all; a line is a JSON object and counts once its
line feed is there. A key that is new, or whose last response was a failure or a filter's refusal,
has to be asked; what came back then is kept as well, so that nothing is lost.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Self

from raqa.folders import make_folder
from raqa.responders.base import Response

_LAYOUT = 1
_FIELDS = frozenset(field.name for field in fields(Response))


def request_key(facts: Mapping[str, Any]) -> str:
    """Hash everything that decides a response: 32 hexadecimal digits.

    Args:
        facts: plain JSON values.
    """
    text = json.dumps({"layout": _LAYOUT, **facts}, sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class ResponseStore:
    """Responses by key, in a folder that several processes may use at once.

    Only places are held in memory: a response is read when it is asked for.

    Args:
        folder: is made when something is first kept.

    Attributes:
        damaged: complete lines that could not be read; they are asked again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged = 0
        self._places: dict[str, tuple[Path, int, int]] = {}
        self._descriptor: int | None = None
        for path in sorted(folder.glob("*.jsonl")):
            self._index(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: str) -> Response:
        """The response that is kept under a key.

        Raises:
            KeyError: there is none.
        """
        path, offset, length = self._places[key]
        with path.open("rb") as file:
            file.seek(offset)
            entry = json.loads(file.read(length))
        return Response(**{name: value for name, value in entry.items() if name in _FIELDS})

    def add(self, key: str, facts: Mapping[str, Any], response: Response) -> None:
        """Keep a response with what was asked; only an answer is found again under the key.

        Args:
            facts: what `request_key` made the key of; kept so that a person can read the file.
        """
        entry = {"key": key, "at": time.time(), "facts": dict(facts), **asdict(response)}
        line = json.dumps(entry, ensure_ascii=True).encode() + b"\n"
        path, offset = self._write(line)
        if response.outcome == "answered":
            self._places[key] = (path, offset, len(line))

    def close(self) -> None:
        """Bring what was added to the disk."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def _write(self, line: bytes) -> tuple[Path, int]:
        if self._descriptor is None:
            make_folder(self.folder)
            self._path = self.folder / f"{time.time_ns()}-{uuid.uuid4().hex[:8]}.jsonl"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._descriptor = os.open(self._path, flags | getattr(os, "O_BINARY", 0), 0o666)
            self._end = 0
        offset, rest = self._end, memoryview(line)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self._end += len(line)
        return self._path, offset

    def _index(self, path: Path) -> None:
        """Note where each answer of a file is; a line without its end was never written."""
        offset = 0
        with path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._note(path, offset, line)
                offset += len(line)

    def _note(self, path: Path, offset: int, line: bytes) -> None:
        try:
            entry = json.loads(line)
            key, answered = entry["key"], entry["outcome"] == "answered"
        except (ValueError, KeyError, TypeError):
            self.damaged += 1
            return
        if answered:
            self._places[key] = (path, offset, len(line))
