"""What of a corpus is in its folder already, what would be fetched, and whether it fits."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from raqa.corpora.downloads import Download, Downloads
from raqa.corpora.files import UNFINISHED
from raqa.corpora.prepare.records import Record, Workshop, faults
from raqa.download.fetch import arrived


@dataclass(frozen=True)
class Item:
    """One download and how far it is.

    Attributes:
        record: if it is in place.
        missing: files of the record that are no longer there: they are fetched again.
        changed: files of the record that were changed: nobody overwrites them.
        found: a file of that name lies in the folder, put there by the user: it is taken.
        have: bytes that have arrived.
    """

    download: Download
    record: Record | None = None
    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    found: bool = False
    have: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing is to be done."""
        return self.record is not None and not self.missing


@dataclass(frozen=True)
class Plan:
    """All downloads of a corpus and how far they are.

    Attributes:
        whole: there is a manifest, so archives in parts are unpacked as well.
        parts: records of archives in parts.
        others: files and folders in the place that are not raqa's.
    """

    place: Path
    items: tuple[Item, ...]
    parts: tuple[Record, ...]
    parts_faults: tuple[tuple[str, ...], tuple[str, ...]]
    whole: bool
    others: int

    @property
    def complete(self) -> bool:
        """Whether nothing is to be done."""
        return self.whole and not self.parts_faults[0] and all(item.complete for item in self.items)

    @property
    def changed(self) -> list[str]:
        """Files that were changed after they were fetched."""
        return [path for item in self.items for path in item.changed] + list(self.parts_faults[1])

    @property
    def to_fetch(self) -> int:
        """Bytes still to come, as far as sizes are known."""
        return sum(
            (item.download.size or 0) - item.have
            for item in self.items
            if not item.complete and not item.found and item.download.size
        )

    @property
    def to_unpack(self) -> int:
        """Bytes that archives will need at least when they are unpacked, as far as is known."""
        return sum(
            item.download.size or 0
            for item in self.items
            if not item.complete and item.download.unpack
        )

    @property
    def unknown(self) -> int:
        """How many downloads have no known size."""
        return sum(
            not item.complete and not item.found and item.download.size is None
            for item in self.items
        )

    @property
    def room(self) -> int:
        """Bytes that are free where the place is, or will be."""
        folder = self.place
        while not folder.exists():
            folder = folder.parent
        return shutil.disk_usage(folder).free


def look(place: Path, downloads: Downloads, *, thorough: bool = False) -> Plan:
    """Look how far the downloads are; writes nothing.

    Args:
        thorough: whether to read every file that was fetched, not only its size.
    """
    workshop = Workshop(place)
    records = workshop.records()
    items = tuple(_look_at(workshop, one, records, thorough) for one in downloads.files)
    parts = tuple(record for name, record in records.items() if name.endswith("/"))
    found = [faults(place, record, thorough=thorough) for record in parts]
    if parts and not any(missing for missing, _ in found):
        items = tuple(replace(one, missing=_needed(one.missing, downloads)) for one in items)
    try:
        others = sum(entry.name != UNFINISHED for entry in place.iterdir())
    except OSError:
        others = 0
    return Plan(
        place,
        items,
        parts,
        (_joined([missing for missing, _ in found]), _joined([changed for _, changed in found])),
        workshop.manifest.is_file(),
        others,
    )


def _look_at(
    workshop: Workshop, download: Download, records: dict[str, Record], thorough: bool
) -> Item:
    record, target = records.get(download.file), workshop.arriving(download.file)
    if record is not None:
        missing, changed = faults(workshop.place, record, thorough=thorough)
        if not missing:
            return Item(download, record, (), tuple(changed))
    else:
        missing, changed = [], []
    whole = target.stat().st_size if target.is_file() else 0
    return Item(
        download,
        record,
        tuple(missing),
        tuple(changed),
        found=(workshop.place / download.file).is_file(),
        have=whole or arrived(target),
    )


def _needed(missing: Sequence[str], downloads: Downloads) -> tuple[str, ...]:
    """Without the parts of archives, which nobody misses once they are unpacked."""
    return tuple(
        path
        for path in missing
        if not any(PurePosixPath(path).match(parts.pattern) for parts in downloads.parts)
    )


def _joined(lists: Sequence[list[str]]) -> tuple[str, ...]:
    return tuple(path for one in lists for path in one)
