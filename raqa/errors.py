"""What a user did wrong, said so that they can mend it; shown without a traceback."""

from __future__ import annotations

import difflib
import errno
import os
from collections.abc import Iterable, Sequence


class UserError(Exception):
    """Something the user can mend: the message says what was given, what was expected, what to do.

    The command line prints it without a traceback and exits with status 2.

    Args:
        problems: one message, or all messages found at once; they are reported together.
    """

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems: tuple[str, ...] = (
            (problems,) if isinstance(problems, str) else tuple(problems)
        )
        super().__init__("\n".join(self.problems))


def neighbours(given: str, choices: Iterable[str]) -> str:
    """Say which of the choices look like what was given, then list them all.

    Returns:
        for example ``did you mean mlp_small? Choices: linear, median, mlp, mlp_small``.
    """
    names = sorted(set(choices))
    if not names:
        return "There is nothing to choose from."
    close = difflib.get_close_matches(given, names, n=3, cutoff=0.6)
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    return f"{hint}Choices: {', '.join(names)}"


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NOT_ALLOWED = (errno.EROFS, errno.EACCES, errno.EPERM)
_NO_FOLDER = (errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENAMETOOLONG)


def storage_problem(error: BaseException) -> str | None:
    """Say what the user can do where a disk is full or a folder can not be used.

    Returns:
        one message; None: the error is of another kind, a defect perhaps.
    """
    number, place = None, ""
    if isinstance(error, OSError):
        number, place = error.errno, f"{error.filename}: " if error.filename else ""
    elif os.strerror(errno.ENOSPC) in str(error):  # file libraries have error types of their own
        number = errno.ENOSPC
    if number in _NO_SPACE:
        remedy = "Make room, or choose other folders: paths.runs, paths.cache, --out."
    elif number in _NOT_ALLOWED:
        remedy = "paths.data is read; paths.runs, paths.cache and --out are written: choose others."
    elif number in _NO_FOLDER:
        place += "no folder that can be used, "
        remedy = "Choose other folders: paths.data, paths.runs, paths.cache, --out."
    else:
        return None
    reason = os.strerror(number)
    return f"{place}{reason[:1].lower()}{reason[1:]}. {remedy}"
