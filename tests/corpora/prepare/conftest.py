"""A corpus whose publisher is a server on the loopback address."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from raqa.corpora.base import Corpus, Recordings
from raqa.corpora.downloads import Downloads
from raqa.corpora.prepare.run import Wishes, prepare_corpus
from raqa.download.fetch import Patience
from tests.web_server import Server, serving

RANDOM = np.random.default_rng(0)
SOUNDS = {f"public_dataset/{number}.wav": RANDOM.bytes(40_000) for number in range(8)}
TABLE = b"id,age\n1,30\n"
WHOLE = {**SOUNDS, "table.csv": TABLE}
PATIENT = Patience(answer_s=5, attempts=3, pause_s=0.01, longest_pause_s=1.0)


@dataclass(frozen=True)
class Published(Corpus):
    """A corpus that is where it is told to be, and can be downloaded as it is told."""

    root: Path
    offered: Downloads | None

    name = "clinic"
    title = "Coughs of a clinic"
    licence = "CC BY 4.0"
    how_to_get = "ask the clinic"

    @property
    def place(self) -> Path:
        return self.root

    @property
    def downloads(self) -> Downloads | None:
        return self.offered

    def read(self) -> Recordings:
        raise NotImplementedError


def tree(root: Path) -> dict[str, bytes]:
    """The files of a corpus's folder without raqa's own."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".raqa" not in path.parts
    }


def manifest(corpus: Published) -> Any:
    """What `raqa prepare` wrote down when all was in place."""
    return json.loads((corpus.root / ".raqa" / "manifest.json").read_text(encoding="utf-8"))


def zipped(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.files["/public_dataset.zip"] = zipped(SOUNDS)
        made.files["/table.csv"] = TABLE
        yield made


@pytest.fixture
def corpus(server: Server, tmp_path: Path) -> Published:
    offered = {
        "page": "https://example.org/clinic",
        "files": [
            {"file": "public_dataset.zip", "urls": [f"{server.url}/public_dataset.zip"],
             "size": len(server.files["/public_dataset.zip"]), "unpack": "zip"},
            {"file": "table.csv", "urls": [f"{server.url}/table.csv"]},
        ],
    }  # fmt: skip
    return offering(tmp_path / "data" / "clinic", offered)


def offering(root: Path, offered: object) -> Published:
    """A corpus with downloads as they stand in downloads.yaml."""
    from pydantic import TypeAdapter

    return Published(root, TypeAdapter(Downloads).validate_python(offered))


Run = Callable[..., str]


@pytest.fixture
def run() -> Run:
    """Prepare a corpus; what it printed."""

    def call(corpus: Corpus, **wishes: object) -> str:
        console = Console(file=io.StringIO(), width=200)
        try:
            prepare_corpus(corpus, Wishes(**{"patience": PATIENT, **wishes}), console)
        finally:
            printed = console.file.getvalue()  # type: ignore[attr-defined]
        return printed

    return call
