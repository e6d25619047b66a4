"""Hashes of files' contents, remembered by path, size and time."""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from raqa.embeddings.atomic import write_atomically

SETTLED_NS = 2_000_000_000
"""A file changed in the last two seconds may change again within one tick of its clock."""

Stamp = tuple[str, int, int]  # path, size in bytes, time of change in nanoseconds


def content_hash(path: Path) -> str:
    """Hash a file's bytes with BLAKE2b, 32 hex digits.

    Raises:
        OSError: the file can not be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


class HashCache:
    """Remembers content hashes in a folder that several processes may use at once.

    Every process adds files of its own and reads the union; a damaged one is ignored, and what it
    held is computed again.

    Args:
        folder: is made when something is first kept.
        workers: threads that hash files.
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.workers = workers
        self._known: dict[Stamp, str] = {}
        for path in sorted(folder.glob("*.json")):
            self._known.update(_read(path))

    def hash_files(self, paths: Sequence[Path]) -> list[str | OSError]:
        """Hash files, or say why one can not be read; what is new is kept at the end.

        Returns:
            for every path 32 hex digits, or the error.
        """
        stamps = [_stamp(path) for path in paths]
        unknown = dict.fromkeys(
            stamp for stamp in stamps if not isinstance(stamp, OSError) and stamp not in self._known
        )
        failed: dict[Stamp, OSError] = {}
        fresh: dict[Stamp, str] = {}
        settled = time.time_ns() - SETTLED_NS
        with ThreadPoolExecutor(self.workers, thread_name_prefix="raqa-hash") as pool:
            for stamp, result in zip(unknown, pool.map(_try_hash, unknown), strict=True):
                if isinstance(result, OSError):
                    failed[stamp] = result
                    continue
                self._known[stamp] = result
                if stamp[2] < settled:
                    fresh[stamp] = result
        self._keep(fresh)
        return [
            stamp if isinstance(stamp, OSError) else failed.get(stamp) or self._known[stamp]
            for stamp in stamps
        ]

    def _keep(self, fresh: dict[Stamp, str]) -> None:
        """Add a file of new hashes to the folder; its first line is the hash of its second."""
        if not fresh:
            return
        body = json.dumps([[*stamp, digest] for stamp, digest in fresh.items()]).encode()
        path = self.folder / f"{time.time_ns()}-{uuid.uuid4().hex[:8]}.json"
        write_atomically(path, _checksum(body), b"\n", body)


def _try_hash(stamp: Stamp) -> str | OSError:
    try:
        return content_hash(Path(stamp[0]))
    except OSError as error:
        return error


def _stamp(path: Path) -> Stamp | OSError:
    """What tells that a file is still the one that was hashed."""
    try:
        status = path.stat()
    except OSError as error:
        return error
    return os.fspath(path.absolute()), status.st_size, status.st_mtime_ns


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()


def _read(path: Path) -> Iterable[tuple[Stamp, str]]:
    """Read one file of hashes; nothing where it is damaged or gone."""
    try:
        checksum, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return []
    if _checksum(body) != checksum:
        return []
    return [((name, size, mtime), digest) for name, size, mtime, digest in json.loads(body)]
