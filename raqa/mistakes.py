"""Mistakes that the runs of a multirun find, also where a launcher runs them in other processes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from raqa.errors import UserError


@dataclass(frozen=True)
class Mistakes:
    """A folder in which each run that could not work says why; nothing else comes back from jobs.

    Attributes:
        name: of the folder; made by the process that launches, known to those that run.
    """

    name: str = field(default_factory=lambda: f"multirun-{uuid.uuid4().hex[:10]}")

    def add(self, runs: Path, error: UserError) -> None:
        """Keep why a run could not work."""
        from raqa.embeddings.atomic import write_atomically

        text = json.dumps(error.problems, ensure_ascii=False)
        write_atomically(self._folder(runs) / f"{uuid.uuid4().hex}.json", text.encode())

    def take(self, runs: Path) -> Sequence[UserError]:
        """All that was kept, which is then forgotten."""
        files = sorted(self._folder(runs).glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
        found = [UserError(json.loads(file.read_text(encoding="utf-8"))) for file in files]
        for file in files:
            file.unlink()
        if files:
            self._folder(runs).rmdir()
        return found

    def _folder(self, runs: Path) -> Path:
        return runs / "sweeps" / self.name
