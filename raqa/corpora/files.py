"""Looking for audio files without opening them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

AUDIO_SUFFIXES = frozenset(
    {".wav", ".mp3", ".flac", ".ogg", ".opus", ".webm", ".m4a", ".aac", ".mp4", ".wma", ".aif",
     ".aiff", ".3gp", ".amr"}
)  # fmt: skip

UNFINISHED = ".raqa"
"""The folder, inside a corpus's, where `raqa prepare` keeps what is not whole yet."""


def is_apple_double(name: str) -> bool:
    """Say whether a file is the `._x.wav` twin that macOS writes beside `x.wav`: never audio."""
    return name.startswith("._")


def entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield what a folder holds in the order of names; nothing if there is no such folder."""
    try:
        with os.scandir(folder) as found:
            yield from sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return


def present(paths: Iterable[str]) -> list[bool]:
    """Say which files are there, listing every folder once instead of asking for each file."""
    listed: dict[Path, set[str] | None] = {}

    def is_there(path: Path) -> bool:
        folder = path.parent
        if folder not in listed:
            names = {entry.name for entry in entries(folder) if entry.is_file()}
            listed[folder] = names if folder.is_dir() else None
        names_here = listed[folder]
        if names_here is None:
            return False
        # A file system may know a file under another spelling than it lists it.
        return path.name in names_here or path.is_file()

    return [is_there(Path(path)) for path in paths]


def locate(root: Path, written: str) -> tuple[Path, bool]:
    """Find a file by the path that a table gives it, below `root` or absolute.

    A path that does not exist as written is tried without outer spaces, with `/` for `\\`, and
    with accents composed and decomposed, since copying between systems changes them.

    Returns:
        the path, absolute, and whether a file is there; as written if it is nowhere.
    """
    tidied = written.strip().replace("\\", "/")
    spellings = (
        written,
        written.strip(),
        tidied,
        unicodedata.normalize("NFC", tidied),
        unicodedata.normalize("NFD", tidied),
    )
    for spelling in dict.fromkeys(spellings):
        place = root / spelling
        try:
            if place.is_file():
                return place, True
        except (OSError, ValueError):  # a name that no file can have
            continue
    return root / written, False
