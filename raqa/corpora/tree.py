"""Files of a download by their names, wherever below its folder they lie."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from raqa.corpora.files import UNFINISHED, is_apple_double
from raqa.tables import SetAside


@dataclass(frozen=True)
class Tree:
    """What `read_tree` found.

    Attributes:
        files: suffix to name without suffix to path, in the order of paths; a name that stands in
            several folders is there once, from the folder least deep.
        set_aside: AppleDouble twins and further files of a name.
    """

    files: dict[str, dict[str, Path]]
    set_aside: list[SetAside]


def read_tree(root: Path, suffixes: Collection[str], *, corpus: str) -> Tree:
    """Look for files with these suffixes (lower case), and open none; nothing if no such folder."""
    files: dict[str, dict[str, Path]] = {suffix: {} for suffix in suffixes}
    aside = []
    for path in sorted(_walk(root.absolute()), key=_depth_then_name):
        name = os.path.basename(path)  # noqa: PTH119 - pathlib takes ten times as long
        stem, suffix = os.path.splitext(name)  # noqa: PTH122
        found = files.get(suffix.lower())
        if found is None:
            continue
        if is_apple_double(name):
            reason = "an AppleDouble file of macOS, not a recording or its labels"
        elif stem in found:
            reason = f"a file of that name is used already in {found[stem].parent.name}"
        else:
            found[stem] = Path(path)
            continue
        where = os.path.relpath(path, root)
        aside.append(SetAside(corpus, "layout", where, reason))
    return Tree(files, aside)


def _walk(root: Path) -> Iterator[str]:
    for folder, inner, names in os.walk(root):
        inner[:] = (name for name in inner if name != UNFINISHED)
        for name in names:
            yield os.path.join(folder, name)  # noqa: PTH118


def _depth_then_name(path: str) -> tuple[int, str]:
    # a low character between folders, so that `train` comes before a copy named `train 2`
    return path.count(os.sep), path.replace(os.sep, "\x01")
