"""Claims: of several processes that want the same work, one does it and the others know who.

No file locks, which network file systems lack or lose: a claim is a file that is created whole or
not at all, and whose owner shows that it lives by touching it.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from raqa.folders import make_folder
from raqa.sweeps.process import birth, own_birth

HEARTBEAT_S = 20.0
"""How often an owner touches its claim."""

SILENT_S = 180.0
"""Silence after which an owner on another machine counts as dead: nine heartbeats."""


@dataclass(frozen=True)
class Owner:
    """Who holds a claim.

    Attributes:
        born: when the process began, as its machine says it; a later process may have its number.
        since: when it claimed.
        token: tells this claim from every other.
    """

    host: str
    pid: int
    born: str
    since: str
    token: str

    def __str__(self) -> str:
        since = datetime.fromisoformat(self.since).astimezone()
        return f"process {self.pid} on {self.host} since {since:%Y-%m-%d %H:%M:%S}"


class ClaimedError(Exception):
    """Another process, which lives, holds the claim."""

    def __init__(self, owner: Owner) -> None:
        super().__init__(str(owner))
        self.owner = owner


@contextmanager
def claimed(folder: Path, name: str) -> Iterator[None]:
    """Hold the claim `name` within the block; a dead owner's claim is taken over.

    Raises:
        ClaimedError: another process holds it.
    """
    make_folder(folder)
    path = folder / name
    owner = _acquire(path)
    ended = threading.Event()
    heart = threading.Thread(target=_beat, args=(path, ended), daemon=True)
    heart.start()
    try:
        yield
    finally:
        ended.set()
        heart.join()
        if _read(path) == owner:
            path.unlink(missing_ok=True)


def holder(folder: Path, name: str) -> Owner | None:
    """Who holds a claim and lives; None: nobody."""
    owner = _read(folder / name)
    return owner if owner is not None and _lives(owner, folder / name) else None


def give_up(folder: Path, name: str) -> None:
    """Give up a claim of this process's own, where the process ends within its block."""
    owner = _read(folder / name)
    if owner is None:
        return
    if (owner.host, owner.pid, owner.born) == (socket.gethostname(), os.getpid(), own_birth()):
        (folder / name).unlink(missing_ok=True)


def _acquire(path: Path) -> Owner:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    mine = Owner(socket.gethostname(), os.getpid(), own_birth(), now, uuid.uuid4().hex)
    while not _create(path, mine):
        other = _read(path)
        if other is None:  # given up this very moment
            continue
        if _lives(other, path):
            raise ClaimedError(other)
        if _take_over(path, other, mine):
            break
    return mine


def _take_over(path: Path, dead: Owner, mine: Owner) -> bool:
    """Replace a dead owner's claim; False: another process was faster, look again.

    The right to do so is a file named after the dead claim's token. Only one process can create
    it, so none takes away what another has just taken over; should that one die as well, the
    right passes on in the same way.
    """
    rights = [_right(path, dead)]
    while not _create(rights[-1], mine):
        other = _read(rights[-1])
        if other is None:
            return False
        if _lives(other, rights[-1]):
            raise ClaimedError(other)
        rights.append(_right(path, other))
    try:
        if _read(path) != dead:
            return False
        _draft(path, mine).replace(path)
        return True
    finally:
        for right in rights:
            right.unlink(missing_ok=True)


def _right(path: Path, dead: Owner) -> Path:
    return path.with_name(f"{path.name}.{dead.token}.taken")


def _create(path: Path, owner: Owner) -> bool:
    """Create a file that says who, whole and only if there is none."""
    draft = _draft(path, owner)
    try:
        os.link(draft, path)
    except FileExistsError:
        return draft.stat().st_nlink == 2  # made, but the file server's answer was lost
    except OSError:  # a file system without links
        return _create_exclusively(path, owner)
    else:
        return True
    finally:
        draft.unlink()


def _create_exclusively(path: Path, owner: Owner) -> bool:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_text(owner))
    except FileExistsError:
        return False
    return True


def _draft(path: Path, owner: Owner) -> Path:
    draft = path.with_name(f".{path.name}.{owner.token}")
    draft.write_text(_text(owner), encoding="utf-8")
    return draft


def _text(owner: Owner) -> str:
    return json.dumps(asdict(owner))


def _read(path: Path) -> Owner | None:
    """Who a claim names; None: there is no claim."""
    try:
        return Owner(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):  # being written, or damaged: only its age can tell
        return Owner("unknown", 0, "", datetime.fromtimestamp(0, UTC).isoformat(), "unreadable")


def _lives(owner: Owner, path: Path) -> bool:
    if owner.host == socket.gethostname():
        return birth(owner.pid) == owner.born
    return _silence(path) < SILENT_S


def _silence(path: Path) -> float:
    """Seconds since the owner's last sign of life, by the file server's clock."""
    probe = path.with_name(f".now.{uuid.uuid4().hex}")
    try:
        probe.touch()
        now = probe.stat().st_mtime
        probe.unlink()
        return now - path.stat().st_mtime
    except FileNotFoundError:  # the claim was given up
        return SILENT_S


def _beat(path: Path, ended: threading.Event) -> None:
    """Show that the owner lives until the work has ended."""
    while not ended.wait(HEARTBEAT_S):
        with contextlib.suppress(OSError):  # a file server may be away for a while
            os.utime(path)
