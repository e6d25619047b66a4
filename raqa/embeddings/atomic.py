"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

from raqa.folders import make_folder

WRITING = ".writing-"
"""Begins the name of a file that is being written; one that stays is a killed run's."""

ABANDONED_S = 3600.0
"""A file takes seconds to write; one that has not grown for an hour has lost its writer."""


def write_atomically(path: Path, *chunks: bytes | memoryview) -> None:
    """Write the chunks under another name in the same folder, flush them to disk, and rename.

    Needs no lock: writers of different names never meet, and of one name the last one wins whole.
    """
    make_folder(path.parent)
    temporary = path.parent / f"{WRITING}{uuid.uuid4().hex}"
    try:
        with temporary.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where folders can be flushed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows can not open a folder
        return
    try:
        os.fsync(descriptor)
    except OSError:  # some network file systems can not flush one
        pass
    finally:
        os.close(descriptor)


def abandoned(folder: Path) -> list[Path]:
    """List what killed runs left half written in a folder."""
    limit = time.time() - ABANDONED_S
    found = []
    for path in folder.glob(f"{WRITING}*"):
        try:
            if path.stat().st_mtime < limit:
                found.append(path)
        except FileNotFoundError:  # its writer has just renamed it
            continue
    return found
