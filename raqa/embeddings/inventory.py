"""What the store of embeddings holds, and making room in it (`raqa cache ls` and `prune`)."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from raqa.embeddings.atomic import abandoned
from raqa.embeddings.shard import DamagedShardError, Shard
from raqa.embeddings.store import DAMAGED_SUFFIX, HASHES, INFO, SHARD_SUFFIX
from raqa.errors import UserError, neighbours
from raqa.tables import Columns

SHELVES: Columns = {
    "name": pl.String,  # the subfolder
    "encoder": pl.String,
    "weights": pl.String,  # "none", "random", or the checkpoint's SHA-256
    "clip": pl.String,
    "rows": pl.Int64,  # embeddings; one that two processes computed at once counts twice
    "bytes": pl.Int64,
    "last_used": pl.Datetime("us", "UTC"),
}

REMOVED: Columns = {"name": pl.String, "bytes": pl.Int64, "reason": pl.String}

_PRUNING = ".pruning-"


def list_shelves(folder: Path) -> pl.DataFrame:
    """List the shelves of a store, last used first; SHELVES columns."""
    rows = []
    for shelf in _shelves(folder):
        info = _info(shelf)
        rows.append({
            "name": shelf.name,
            "encoder": info.get("encoder"),
            "weights": info.get("weights"),
            "clip": info.get("clip_name"),
            "rows": sum(_rows(path) for path in shelf.glob(f"*{SHARD_SUFFIX}")),
            "bytes": _bytes(shelf),
            "last_used": _last_used(shelf),
        })  # fmt: skip
    return pl.DataFrame(rows, schema=dict(SHELVES)).sort("last_used", "name", descending=True)


def prune(
    folder: Path,
    names: Collection[str] = (),
    unused_days: float | None = None,
    *,
    everything: bool = False,
    dry_run: bool = False,
) -> pl.DataFrame:
    """Remove shelves, and always what killed runs left half written and what is damaged.

    Only what the store itself made is ever removed. Runs that are going on lose nothing but time:
    what they have opened stays readable.

    Args:
        names: shelves to remove.
        unused_days: remove also shelves that no run has used for so many days.
        everything: remove all shelves and the remembered hashes of audio files.
        dry_run: say what would be removed, and remove nothing.

    Returns:
        what was removed; REMOVED columns.

    Raises:
        UserError: there is no shelf of a given name.
    """
    shelves = {shelf.name: shelf for shelf in _shelves(folder)}
    unknown = [name for name in names if name not in shelves]
    if unknown:
        raise UserError([f"There is no shelf {name!r}. {neighbours(name, shelves)}"
                         for name in unknown])  # fmt: skip
    doomed: dict[Path, str] = {}
    for name, shelf in shelves.items():
        if everything:
            doomed[shelf] = "everything is removed"
        elif name in names:
            doomed[shelf] = "named"
        elif unused_days is not None and _is_older(shelf, unused_days):
            doomed[shelf] = f"not used for {unused_days:g} days"
    hashes = folder / HASHES
    if everything and hashes.is_dir():
        doomed[hashes] = "everything is removed"
    for path, reason in _leftovers(folder, [*shelves.values(), hashes]):
        if path.parent not in doomed:
            doomed[path] = reason
    removed = [{"name": str(path.relative_to(folder)), "bytes": _bytes(path), "reason": reason}
               for path, reason in doomed.items()]  # fmt: skip
    if not dry_run:
        for path in doomed:
            _remove(path)
    return pl.DataFrame(removed, schema=dict(REMOVED))


def _shelves(folder: Path) -> Iterator[Path]:
    """The subfolders that a store made."""
    for info in sorted(folder.glob(f"*/{INFO}")):
        if not info.parent.name.startswith("."):
            yield info.parent


def _info(shelf: Path) -> dict[str, Any]:
    """What info.json says; nothing where it is damaged (the next run writes it again)."""
    try:
        info: dict[str, Any] = json.loads((shelf / INFO).read_bytes())
    except ValueError:
        return {}
    return info


def _leftovers(folder: Path, parents: Collection[Path]) -> Iterator[tuple[Path, str]]:
    """What is of no use any more: half written, damaged or half removed."""
    for parent in parents:
        for path in abandoned(parent):
            yield path, "a killed run left it half written"
        for path in sorted(parent.glob(f"*{DAMAGED_SUFFIX}")):
            yield path, "damaged"
    for path in sorted(folder.glob(f"{_PRUNING}*")):
        yield path, "half removed before"


def _remove(path: Path) -> None:
    """Remove a file, or a folder in one step for whoever looks."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    away = path
    if not path.name.startswith(_PRUNING):
        away = path.rename(path.parent / f"{_PRUNING}{uuid.uuid4().hex}")
    shutil.rmtree(away)


def _rows(path: Path) -> int:
    """Embeddings in a shard; none where it is damaged."""
    try:
        return len(Shard(path).keys)
    except (DamagedShardError, FileNotFoundError):
        return 0


def _bytes(path: Path) -> int:
    """Size of a file, or of all files in a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def _last_used(shelf: Path) -> datetime:
    """When a run last opened the shelf."""
    return datetime.fromtimestamp((shelf / INFO).stat().st_mtime, UTC)


def _is_older(shelf: Path, days: float) -> bool:
    return datetime.now(UTC) - _last_used(shelf) > timedelta(days=days)
