"""Making folders for what is written, so that a place without room for one is told as such."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are not there yet.

    Raises:
        OSError: it can not be made, of a kind that `raqa.errors.storage_problem` has a remedy for.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:  # some file systems (/proc) call a new folder "not found"
        number = errno.ENOTDIR
        raise NotADirectoryError(number, os.strerror(number), str(folder)) from error
