"""Names inside an archive: which are safe to write, which are left out, which collide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

from raqa.errors import UserError

_DRIVE = re.compile(r"[A-Za-z]:")
_MENTIONED = 5


class ArchiveError(UserError):
    """An archive that is damaged, or that is refused since it could do harm."""


def name_problem(written: str) -> str | None:
    """Say why a name in an archive can not be written below a folder; None: it can."""
    parts = written.split("/")
    problems = {
        "is no name": "\0" in written or not written.strip("/. "),
        "has a character that no name has": any(
            ord(character) < 32 or ord(character) == 127 for character in written
        ),
        "has a backslash": "\\" in written,
        "is a path from the root": written.startswith("/"),
        "leads out of the folder": ".." in parts,
        "names a drive": any(_DRIVE.match(part) for part in parts),
    }
    return next((problem for problem, has in problems.items() if has), None)


def is_litter(path: PurePosixPath) -> bool:
    """Say whether a file is what macOS leaves in archives: `__MACOSX/`, `._x`, `.DS_Store`."""
    return (
        "__MACOSX" in path.parts
        or any(part.startswith("._") for part in path.parts)
        or path.name == ".DS_Store"
    )


class Names:
    """The files of one archive as they will be called, each once.

    Args:
        strip: how many leading folders are left out, as of the one that git hosting adds.
    """

    def __init__(self, strip: int = 0) -> None:
        self._strip = strip
        self._spelt: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self.problems: list[str] = []

    def add(self, written: str) -> PurePosixPath | None:
        """Check a file's name.

        Returns:
            its path below the folder; None: it is not to be written, and `problems` says why
            unless it stands above the folders that are left out.
        """
        if problem := name_problem(written):
            self.problems.append(f"{written!r} {problem}")
            return None
        parts = [part for part in written.split("/") if part not in {"", "."}][self._strip :]
        if not parts:
            return None
        path = PurePosixPath(*parts)
        self._collide(str(path))
        return path

    def _collide(self, path: str) -> None:
        """Two files that one of the usual file systems would take for the same."""
        key = _key(path)
        if (other := self._spelt.get(key)) is not None:
            same = "is in it twice" if other == path else f"differs from {other!r} only in spelling"
            self.problems.append(f"{path!r} {same}")
        if key in self._folders:
            self.problems.append(f"{path!r} is both a file and a folder")
        for folder in PurePosixPath(path).parents:
            if _key(str(folder)) in self._spelt:
                self.problems.append(f"{str(folder)!r} is both a file and a folder")
            known = self._folders.setdefault(_key(str(folder)), str(folder))
            if known != str(folder):
                self.problems.append(f"{str(folder)!r} differs from {known!r} only in spelling")
        self._spelt.setdefault(key, path)


def refuse(archive: str, problems: Iterable[str]) -> None:
    """Refuse an archive if there is any problem.

    Raises:
        ArchiveError: naming the first few.
    """
    found = list(dict.fromkeys(problems))
    if not found:
        return
    more = f", and {len(found) - _MENTIONED} more" if len(found) > _MENTIONED else ""
    raise ArchiveError(
        f"{archive} is refused, nothing of it was unpacked: {'; '.join(found[:_MENTIONED])}{more}. "
        "A corpus's archive has no reason for that: tell its publisher."
    )


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
