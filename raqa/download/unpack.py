"""Unpacking zip and tar archives: nothing outside the folder, no links, no bombs, all or nothing.

A hostile archive is refused before anything of it is written, a tar before the member that is
hostile; the draft folder is the caller's to remove. Archives inside an archive stay packed.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

from raqa.download.names import ArchiveError, Names, is_litter, refuse
from raqa.folders import make_folder

MOST_RATIO = 200
"""Unpacked to packed bytes. Silence packs a thousandfold, but no corpus is mostly silence."""

ALWAYS_ALLOWED = 64 << 20
"""Bytes that any archive may unpack to, however small it is: a table packs well."""

MOST_MEMBERS = 2_000_000
_HEADER = 1 << 20  # no header of a tar archive is longer: its names would be read into memory
_DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile,
    NotImplementedError, ValueError, struct.error,
)  # fmt: skip


@dataclass(frozen=True)
class UnpackedFile:
    """A file that was unpacked: its path below the folder, its bytes and their SHA-256."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Unpacked:
    """What came out of an archive.

    Attributes:
        skipped: files that macOS left in it, not written.
    """

    files: tuple[UnpackedFile, ...]
    skipped: int


def unpack_zip(
    archive: Path,
    draft: Path,
    *,
    strip: int = 0,
) -> Unpacked:
    """Unpack a zip archive into an empty folder.

    Args:
        strip: leading folders of every name to leave out.

    Raises:
        ArchiveError: it is damaged, or refused.
        OSError: the folder can not be written.
    """
    limit = _limit(archive.stat().st_size)
    try:
        with zipfile.ZipFile(archive) as opened:
            wanted, skipped = _zip_members(opened, archive.name, strip, limit)
            files = []
            for path, info in wanted:
                with opened.open(info) as source:
                    files.append(_write(source, draft, path, info.file_size))
    except _DAMAGED as error:
        raise _damaged(archive, error) from None
    return Unpacked(tuple(files), skipped)


def unpacked_bytes(archive: Path) -> int:
    """What a zip archive says it unpacks to.

    Raises:
        ArchiveError: it is damaged.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            return sum(info.file_size for info in opened.infolist())
    except _DAMAGED as error:
        raise _damaged(archive, error) from None


def unpack_tar(
    parts: Sequence[Path],
    draft: Path,
    *,
    strip: int = 0,
) -> Unpacked:
    """Unpack a tar archive, plain, gzip, bzip2 or xz, into an empty folder.

    Args:
        parts: the archive, or the parts that one was cut into, in order.

    Raises:
        ArchiveError: it is damaged, or refused.
        OSError: the folder can not be written.
    """
    limit = _limit(sum(part.stat().st_size for part in parts))
    names, files, skipped, total = Names(strip), list[UnpackedFile](), 0, 0
    try:
        with ExitStack() as stack:
            joined = _Joined([stack.enter_context(part.open("rb")) for part in parts])
            stream = cast("IO[bytes]", io.BufferedReader(joined, 1 << 16))
            opened = stack.enter_context(tarfile.open(fileobj=stream, mode="r|*", tarinfo=_Info))
            for member in opened:
                total += member.size
                refuse(parts[0].name, _tar_problems(member, total, limit, len(files)))
                if member.isdir():
                    continue
                path = names.add(member.name)
                refuse(parts[0].name, names.problems)
                if path is None or is_litter(path):
                    skipped += path is not None
                    continue
                source = opened.extractfile(member)
                if source is None:  # no regular file, which was refused above
                    continue
                files.append(_write(source, draft, path, member.size))
    except _DAMAGED as error:
        raise _damaged(parts[0], error) from None
    return Unpacked(tuple(files), skipped)


class _Joined(io.RawIOBase):
    """Files read one after the other, as if they were one."""

    def __init__(self, files: Sequence[IO[bytes]]) -> None:
        self._files = list(files)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while self._files:
            block = self._files[0].read(len(buffer))
            if block:
                buffer[: len(block)] = block
                return len(block)
            self._files.pop(0)
        return 0


class _Info(tarfile.TarInfo):
    """A member whose names are not read into memory however long they claim to be."""

    def _proc_member(self, opened: tarfile.TarFile) -> tarfile.TarInfo | tarfile.TarFile:
        special = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE,
                   tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)  # fmt: skip
        if self.type in special and self.size > _HEADER:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes")
        return super()._proc_member(opened)  # type: ignore[misc, no-any-return]


def _zip_members(
    opened: zipfile.ZipFile, archive: str, strip: int, limit: int
) -> tuple[list[tuple[PurePosixPath, zipfile.ZipInfo]], int]:
    """The files to write, and how many are left out."""
    names, wanted, skipped, problems = Names(strip), [], 0, list[str]()
    members = opened.infolist()
    total = sum(info.file_size for info in members)
    problems += _size_problems(total, limit, len(members))
    for info in members:
        if kind := _zip_kind(info):
            problems.append(f"{info.filename!r} is {kind}")
        elif not info.is_dir():
            path = names.add(info.orig_filename)
            if path is not None and is_litter(path):
                skipped += 1
            elif path is not None:
                wanted.append((path, info))
    refuse(archive, [*problems, *names.problems])
    return wanted, skipped


def _zip_kind(info: zipfile.ZipInfo) -> str | None:
    """What a member is, if it is neither a file nor a folder."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "a link"
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "a device"
    return "encrypted" if info.flag_bits & 1 else None


def _tar_problems(member: tarfile.TarInfo, total: int, limit: int, files: int) -> list[str]:
    problems = _size_problems(total, limit, files)
    if member.issym() or member.islnk():
        problems.append(f"{member.name!r} is a link")
    elif member.issparse():
        problems.append(f"{member.name!r} is a sparse file")
    elif not (member.isreg() or member.isdir()):
        problems.append(f"{member.name!r} is a device")
    return problems


def _size_problems(total: int, limit: int, members: int) -> list[str]:
    if total > limit:
        return [f"it would unpack to {total:,} bytes or more, and at most {limit:,} are expected"]
    return [f"it has more than {MOST_MEMBERS:,} members"] if members > MOST_MEMBERS else []


def _limit(packed: int) -> int:
    return max(ALWAYS_ALLOWED, packed * MOST_RATIO)


def _write(source: IO[bytes], draft: Path, path: PurePosixPath, size: int) -> UnpackedFile:
    """Write one member; it has the size that it claims, or the archive is damaged."""
    target = draft / path
    make_folder(target.parent)
    digest, have = hashlib.sha256(), 0
    with target.open("xb") as file:
        while block := source.read(1 << 20):
            have += len(block)
            if have > size:
                break
            digest.update(block)
            file.write(block)
    if have != size:
        raise zipfile.BadZipFile(f"{path} has not the {size:,} bytes that it claims")
    return UnpackedFile(str(path), size, digest.hexdigest())


def _damaged(archive: Path, error: BaseException) -> ArchiveError:
    with archive.open("rb") as file:
        begin = file.read(200).lstrip().lower()
    if begin.startswith((b"<!doctype html", b"<html")):
        return ArchiveError(f"{archive.name} is a web page, not an archive: perhaps a login page.")
    reason = " ".join(str(error).split()) or type(error).__name__
    return ArchiveError(f"{archive.name} is damaged or no such archive ({reason}).")


def remove_draft(draft: Path) -> None:
    """Remove a draft folder and what is in it; links in it are removed, never followed."""
    if draft.is_symlink():
        draft.unlink()
    shutil.rmtree(draft, ignore_errors=True)
