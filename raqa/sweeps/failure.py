"""Failed cells: why, kept on disk until the cell succeeds."""

from __future__ import annotations

import contextlib
import json
import traceback
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from raqa.embeddings.atomic import write_atomically
from raqa.errors import UserError, storage_problem
from raqa.sweeps.places import failures_folder


@dataclass(frozen=True)
class Failure:
    """Why a cell failed.

    Attributes:
        causes: sentences for the user.
        log: the file with the traceback, where the error was not the user's.
        when: ISO 8601 with the offset.
    """

    causes: tuple[str, ...]
    log: str | None
    when: str

    def lines(self) -> tuple[str, ...]:
        """The causes, and where the traceback is."""
        return (*self.causes, f"traceback: {self.log}") if self.log else self.causes


def record_error(runs: Path, name: str, error: BaseException) -> Failure:
    """Keep an error as the reason why the cell `name` failed.

    A UserError says all in its message; any other leaves its traceback in a file.
    """
    if isinstance(error, UserError):
        return record(runs, name, error.problems)
    if problem := storage_problem(error):
        return record(runs, name, (problem,))
    log = failures_folder(runs) / f"{name}.log"
    text = "".join(traceback.format_exception(error))
    first = (str(error).strip() or "no message").splitlines()[0]
    cause = f"unexpected {type(error).__name__}: {first}"
    try:
        write_atomically(log, text.encode("utf-8", errors="replace"))
    except OSError:
        return record(runs, name, (cause,))
    return record(runs, name, (cause,), log)


def record(runs: Path, name: str, causes: tuple[str, ...], log: Path | None = None) -> Failure:
    """Keep the reason why the cell `name` failed; where nothing can be kept, only give it back."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    failure = Failure(causes, None if log is None else str(log), now)
    text = json.dumps(asdict(failure), indent=2, ensure_ascii=False)
    with contextlib.suppress(OSError):  # a full disk must not end the other cells
        write_atomically(_file(runs, name), text.encode("utf-8", errors="replace"))
    return failure


def recorded(runs: Path, name: str) -> Failure | None:
    """Why the cell `name` failed last time; None: it did not, or nobody knows."""
    try:
        facts = json.loads(_file(runs, name).read_text(encoding="utf-8"))
        return Failure(tuple(facts["causes"]), facts["log"], facts["when"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget(runs: Path, name: str) -> None:
    """The cell `name` has succeeded."""
    for file in (_file(runs, name), failures_folder(runs) / f"{name}.log"):
        file.unlink(missing_ok=True)


def _file(runs: Path, name: str) -> Path:
    return failures_folder(runs) / f"{name}.json"
