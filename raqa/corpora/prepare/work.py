"""Fetching, checking and unpacking the downloads of a corpus; each step can be interrupted."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path, PurePosixPath

from raqa.corpora.downloads import Download, Parts
from raqa.corpora.prepare.put import move_into
from raqa.corpora.prepare.records import (
    NOT_VERIFIED,
    Record,
    Workshop,
    as_json,
    faults,
    write_json,
)
from raqa.download.fetch import Notice, Patience, Version, digests, discard, fetch
from raqa.download.http import FetchError
from raqa.download.names import ArchiveError
from raqa.download.unpack import (
    Unpacked,
    UnpackedFile,
    remove_draft,
    unpack_tar,
    unpack_zip,
    unpacked_bytes,
)
from raqa.errors import UserError
from raqa.folders import make_folder

_BY_HAND = (
    "Or download it with a browser from {page}, put it into {place} as {file}, and run again."
)


@dataclass(frozen=True)
class Worker:
    """Does one download after the other.

    Args:
        page: where the publisher describes the downloads.
    """

    workshop: Workshop
    page: str
    patience: Patience
    stop: threading.Event

    def fetch(self, download: Download, notice: Notice) -> None:
        """Fetch a file and check it, from its first address that has it; nothing if it is there.

        Raises:
            UserError: no address has it as it was published.
            StoppedFetchError: `stop` was set.
            OSError: it can not be written.
        """
        found, target = self._found(download), self.workshop.arriving(download.file)
        if found is not None or (target.is_file() and _origin(target).exists()):
            return
        if target.is_file():  # a call was interrupted before it had checked the file
            if mismatch(target, download) is None:
                return
            target.unlink()
        make_folder(target.parent)
        reasons = []
        for url in download.urls:
            try:
                version = self._fetch_checked(download, url, target, notice)
            except FetchError as error:
                reasons.append(f"{error} ({url})")
                continue
            write_json(_origin(target), as_json(version))
            return
        by_hand = _BY_HAND.format(page=self.page, place=self.workshop.place, file=download.file)
        raise UserError(f"{download.file}: {'; '.join(reasons)}. {by_hand}")

    def _fetch_checked(self, download: Download, url: str, target: Path, notice: Notice) -> Version:
        """Fetch from one address. A mixture of two versions shows at the end: then once again.

        Raises:
            FetchError: it can not be had, or is not what was published.
        """
        for last in (False, True):
            continued = target.with_name(f"{target.name}.part").exists()
            version = fetch(
                url,
                target,
                size=download.size,
                patience=self.patience,
                notice=notice,
                stop=self.stop,
            )
            problem = mismatch(target, download)
            if problem is None:
                return version
            target.unlink()
            discard(target)
            if last or not continued:
                break
        raise FetchError(f"what arrived is not what was published: {problem}")

    def settle(self, download: Download) -> Record:
        """Bring a fetched file into place, unpacked if it is an archive, and record it.

        Raises:
            UserError: the file is damaged or refused, or something is in its way.
            OSError: the folder can not be written.
        """
        found, target = self._found(download), self.workshop.arriving(download.file)
        source = found or target
        origin = None if found and not _origin(target).exists() else _read_origin(target, download)
        if found is not None and (problem := mismatch(found, download)):
            raise UserError(
                f"{found} is not the published file: {problem}. Move it away, or finish its "
                "download; nothing of it was changed."
            )
        record = self._record(download, source, origin)
        if download.unpack is None:
            file = UnpackedFile(download.file, record.size or 0, record.sha256 or "")
            if found is None:
                self._move(target)
            record = replace(record, files=(file,))
        else:
            try:
                _check_room(source, download, self.workshop.place)
                record = self._unpack_into(record, partial(_unpack, source, download))
            except ArchiveError:
                if found is None:  # nothing can be made of it: the next call fetches anew
                    target.unlink()
                    _origin(target).unlink(missing_ok=True)
                raise
        self.workshop.keep(record)
        if download.unpack:
            target.unlink(missing_ok=True)
        _origin(target).unlink(missing_ok=True)
        return record

    def settle_parts(self, parts: Parts) -> list[Record]:
        """Unpack the archives that the downloads hold in parts, those of one folder as one.

        Raises:
            UserError: an archive is damaged or refused.
        """
        place = self.workshop.place
        made = {
            name: record
            for name, record in self.workshop.records().items()
            if name.endswith("/") and not faults(place, record, thorough=False)[0]
        }
        found = sorted(path for path in place.glob(parts.pattern) if path.is_file())
        if not found and not made:
            raise UserError(f"{place} has no {parts.pattern}: its publisher changed the layout.")
        for folder, group in groupby(found, lambda path: path.parent):
            name = f"{folder.relative_to(place)}/"
            if name not in made:
                record = Record(name, NOT_VERIFIED, _now())
                made[name] = self._unpack_into(record, partial(unpack_tar, list(group)), parts.into)
                self.workshop.keep(made[name])
        return list(made.values())

    def _found(self, download: Download) -> Path | None:
        """A file of that name in the corpus's folder: the user's, or moved there just before."""
        path = self.workshop.place / download.file
        return path if path.is_file() else None

    def _move(self, target: Path) -> None:
        goal = self.workshop.place / target.name
        if goal.is_symlink() or goal.exists():  # found, were it a file
            raise UserError(f"{goal} is in the way and no file. Move it away, and run again.")
        target.rename(goal)

    def _record(self, download: Download, source: Path, origin: Version | None) -> Record:
        sums = digests(source, "sha256")
        verified = NOT_VERIFIED
        if download.checksum:
            verified = f"{download.checksum} as published"
        return Record(
            file=download.file,
            verified=verified,
            fetched=_now(),
            url=origin.url if origin else None,
            size=source.stat().st_size,
            sha256=sums["sha256"],
            etag=origin.etag if origin else "",
            modified=origin.modified if origin else "",
        )

    def _unpack_into(
        self, record: Record, make: Callable[[Path], Unpacked], into: str = ""
    ) -> Record:
        """Unpack into a draft folder and move what is whole; an interrupted call begins again."""
        draft = self.workshop.draft(record.file)
        remove_draft(draft)
        make_folder(draft / into)
        try:
            unpacked = make(draft / into)
            files = tuple(
                replace(one, path=str(PurePosixPath(into, one.path))) for one in unpacked.files
            )
            move_into(draft, self.workshop.place, files)
        finally:
            remove_draft(draft)
        return replace(record, files=files, skipped=unpacked.skipped)


def _unpack(source: Path, download: Download, draft: Path) -> Unpacked:
    if download.unpack == "zip":
        return unpack_zip(source, draft, strip=download.strip)
    return unpack_tar([source], draft, strip=download.strip)


def _check_room(source: Path, download: Download, place: Path) -> None:
    """Refuse to begin unpacking what the disk can not hold."""
    needed = unpacked_bytes(source) if download.unpack == "zip" else 0
    free = shutil.disk_usage(place).free
    if needed > free:
        raise UserError(
            f"{download.file}: unpacked it has {needed / 1e9:,.2f} GB, and {place} has room for "
            f"{free / 1e9:,.2f} GB. Make room, and the same command goes on from here."
        )


def mismatch(path: Path, download: Download) -> str | None:
    """Say in what a file differs from what was published; None: in nothing that is known."""
    size = path.stat().st_size
    if download.size is not None and size != download.size:
        return f"it has {size:,} bytes, not {download.size:,}"
    if download.checksum is not None:
        algorithm, published = download.checksum.split(":")
        computed = digests(path, algorithm)[algorithm]
        if computed != published:
            return f"its {algorithm} is {computed}, not {published}"
    return None


def _origin(target: Path) -> Path:
    return target.with_name(f"{target.name}.origin.json")


def _read_origin(target: Path, download: Download) -> Version:
    """Where a file came from; its first address, if a call was interrupted before it noted it."""
    try:
        return Version(**json.loads(_origin(target).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return Version(download.urls[0])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
