"""What has been fetched into a corpus's folder: a record a download, one manifest when all is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from raqa.corpora.files import UNFINISHED
from raqa.download.fetch import digests
from raqa.download.unpack import UnpackedFile
from raqa.folders import make_folder

NOT_VERIFIED = "not verified against a published checksum"


@dataclass(frozen=True)
class Record:
    """One download that is wholly in place, or one archive in parts that is wholly unpacked.

    Attributes:
        file: the download's name, or the folder of the parts.
        url: where it came from; None: it lay in the folder already.
        size, sha256: of the file as it came; None for parts.
        verified: against which published checksum, or NOT_VERIFIED.
        fetched: when, in UTC.
        etag, modified: the server's own marks of the version.
        files: what it became in the corpus's folder.
        skipped: files that macOS had left in the archive.
    """

    file: str
    verified: str
    fetched: str
    url: str | None = None
    size: int | None = None
    sha256: str | None = None
    etag: str = ""
    modified: str = ""
    files: tuple[UnpackedFile, ...] = ()
    skipped: int = 0


@dataclass(frozen=True)
class Workshop:
    """A corpus's folder and `.raqa` in it, where everything stands that is not yet whole.

    Args:
        place: the corpus's folder, absolute.
    """

    place: Path
    inner: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", self.place / UNFINISHED)

    @property
    def lock(self) -> Path:
        """Held by whoever writes here."""
        return self.inner / "lock"

    @property
    def manifest(self) -> Path:
        """What was fetched, written when all is in place."""
        return self.inner / "manifest.json"

    def arriving(self, file: str) -> Path:
        """Where a download arrives."""
        return self.inner / "arriving" / file

    def draft(self, name: str) -> Path:
        """Where an archive is unpacked."""
        return self.inner / "drafts" / hashlib.sha256(name.encode()).hexdigest()[:16]

    def records(self) -> dict[str, Record]:
        """The records there are, by the download's name; those that can not be read are none."""
        found = list[Record]()
        for path in [self.manifest, *sorted((self.inner / "records").glob("*.json"))]:
            try:
                content = json.loads(path.read_text(encoding="utf-8"))
                listed = content["downloads"] if path == self.manifest else [content]
                found += TypeAdapter(list[Record]).validate_python(listed)
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return {record.file: record for record in found}

    def keep(self, record: Record) -> None:
        """Write down that a download is in place."""
        name = hashlib.sha256(record.file.encode()).hexdigest()[:16]
        write_json(self.inner / "records" / f"{name}.json", as_json(record))

    def finish(self, records: Iterable[Record], facts: Mapping[str, str]) -> None:
        """Remove what only unfinished work needs, and write the manifest, the last thing of all."""
        for folder in ("arriving", "drafts"):
            shutil.rmtree(self.inner / folder, ignore_errors=True)
        listed = [as_json(record) for record in records]
        write_json(self.manifest, {**facts, "downloads": listed})
        shutil.rmtree(self.inner / "records", ignore_errors=True)


def faults(place: Path, record: Record, *, thorough: bool) -> tuple[list[str], list[str]]:
    """Compare a record's files with what is there.

    Args:
        thorough: whether to compare their bytes, not only their sizes.

    Returns:
        paths that are missing, and paths that were changed.
    """
    missing, changed = [], []
    for one in record.files:
        path = place / one.path
        try:
            same = path.stat().st_size == one.size
            if same and thorough:
                same = digests(path, "sha256")["sha256"] == one.sha256
        except (FileNotFoundError, NotADirectoryError):
            missing.append(one.path)
            continue
        if not same:
            changed.append(one.path)
    return missing, changed


def as_json(value: Any) -> Any:
    """A dataclass as plain JSON types."""
    return TypeAdapter(type(value)).dump_python(value, mode="json")


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file whole or not at all."""
    make_folder(path.parent)
    draft = path.with_name(f"{path.name}.writing")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
