"""W&B's files of runs that were followed without a network: which run, ended how, pushed or not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raqa.errors import UserError

_ENDED = "raqa-ended.json"
_LOG = "run-*.wandb"


@dataclass(frozen=True)
class Attempt:
    """One folder of W&B's; a run that was interrupted and begun again has several.

    Attributes:
        run: the W&B id.
        exit_code: None: it is being written, or its process was killed.
        pushed: W&B's own command has noted that it sent it.
    """

    folder: Path
    run: str
    exit_code: int | None
    pushed: bool


def note_end(folder: Path, exit_code: int) -> None:
    """Note that a folder is complete and was not sent."""
    (folder / _ENDED).write_text(json.dumps({"exit_code": exit_code}) + "\n", encoding="utf-8")


def find_attempts(places: Sequence[Path]) -> list[Attempt]:
    """Every attempt that is, or was, to be pushed, in the order in which they were begun.

    Args:
        places: folders of runs, of W&B's files, or of one attempt.

    Raises:
        UserError: a place is no folder; all such are named.
    """
    absent = [place for place in places if not place.is_dir()]
    if absent:
        raise UserError([f"There is no folder {place} with runs to push." for place in absent])
    folders = {folder.resolve() for place in places for folder in _folders(place)}
    attempts = [one for folder in folders if (one := _read(folder)) is not None]
    return sorted(attempts, key=lambda one: (_begun(one.folder), one.folder.name))


def _folders(place: Path) -> Iterator[Path]:
    if any(place.glob(_LOG)):
        yield place
    for pattern in ("*run-*", "wandb/*run-*"):
        yield from (path for path in place.glob(pattern) if path.is_dir())


def _read(folder: Path) -> Attempt | None:
    """None: no attempt, or one that went online and left nothing to push."""
    logs = list(folder.glob(_LOG))
    ended = folder / _ENDED
    if len(logs) != 1 or not (folder.name.startswith("offline-run-") or ended.is_file()):
        return None
    (log,) = logs
    exit_code = (
        int(json.loads(ended.read_text(encoding="utf-8"))["exit_code"]) if ended.is_file() else None
    )
    pushed = log.with_name(f"{log.name}.synced").exists()
    return Attempt(folder, log.stem.removeprefix("run-"), exit_code, pushed)


def _begun(folder: Path) -> str:
    """The time in `offline-run-20261130_095629-ID`, as text that sorts."""
    return folder.name.removeprefix("offline-").removeprefix("run-")[:15]
