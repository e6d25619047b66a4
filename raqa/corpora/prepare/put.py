"""Bringing what was unpacked or fetched into the corpus's folder, over nothing that is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raqa.download.fetch import digests
from raqa.download.unpack import UnpackedFile
from raqa.errors import UserError
from raqa.folders import make_folder

_MENTIONED = 5


def move_into(draft: Path, place: Path, files: Sequence[UnpackedFile]) -> None:
    """Move a whole draft into a folder.

    A folder that is not there yet appears whole. A file that is there already stays, if it has
    the same bytes, as those have that a call moved before it was interrupted.

    Raises:
        UserError: files or links are in the way; nothing was moved.
    """
    problems = [text for one in files if (text := _in_the_way(place, one))]
    if problems:
        more = f", and {len(problems) - _MENTIONED} more" if len(problems) > _MENTIONED else ""
        raise UserError(
            f"{place} has files of its own that the download would replace, and nothing is "
            f"replaced: {'; '.join(problems[:_MENTIONED])}{more}. Move them away, or choose "
            "another folder with paths.data=DIR."
        )
    _move(draft, place)


def _in_the_way(place: Path, file: UnpackedFile) -> str | None:
    """What is where a file is to go; None: nothing, or the same bytes."""
    target = place / file.path
    for folder in target.relative_to(place).parents:
        there = place / folder
        if folder != Path() and there.is_symlink():
            return f"{folder} is a link"
        if there.exists() and not there.is_dir():
            return f"{folder} is a file"
    if target.is_symlink() or target.is_dir():
        return f"{file.path} is a {'link' if target.is_symlink() else 'folder'}"
    if not target.exists():
        return None
    same = target.stat().st_size == file.size and digests(target, "sha256")["sha256"] == file.sha256
    return None if same else f"{file.path} is another file"


def _move(draft: Path, place: Path) -> None:
    make_folder(place)
    for source in sorted(draft.iterdir()):
        target = place / source.name
        if not target.exists():
            source.rename(target)
        elif source.is_dir():
            _move(source, target)
        else:
            source.unlink()  # it is there with the same bytes
    draft.rmdir()
