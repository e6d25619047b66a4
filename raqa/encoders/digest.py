"""SHA-256 of checkpoint files, remembered by path, size and time; and where raqa keeps files."""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from pathlib import Path

from raqa.folders import make_folder

SETTLED_NS = 2_000_000_000
"""A file changed in the last two seconds may change again within one tick of its clock."""


def cache_folder() -> Path:
    """The user's cache: `RAQA_CACHE`, or `~/.cache/raqa`."""
    return Path(os.environ.get("RAQA_CACHE") or Path.home() / ".cache" / "raqa")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file as 64 hex digits; computed once for each path, size and time of change.

    Raises:
        OSError: the file can not be read.
    """
    path = path.resolve()  # the hub's cache is links to files named by content
    status = path.stat()
    stamp = f"{path}\n{status.st_size}\n{status.st_mtime_ns}"
    known = cache_folder() / "weights" / "hashes" / hashlib.sha256(stamp.encode()).hexdigest()[:32]
    try:
        digest = known.read_text().strip()
        if len(digest) == 64:
            return digest
    except OSError:
        pass
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if status.st_mtime_ns < time.time_ns() - SETTLED_NS:
        _keep(known, digest)
    return digest


def _keep(path: Path, text: str) -> None:
    """Write a small file whole or not at all; a cache that can not be written is no fault."""
    temporary = path.with_name(f".writing-{uuid.uuid4().hex}")
    try:
        make_folder(path.parent)
        temporary.write_text(text + "\n")
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
