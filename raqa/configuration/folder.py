"""Where the shipped configs are, which groups and choices they offer, and their one-line texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

ROOT_CONFIG = "train"
_GROUP_LINE = re.compile(r"^\s+- (?:override )?(?P<group>[\w/]+): [^#]*#\s*(?P<text>.+)$")


def config_folder() -> Path:
    """The folder of the shipped configs: in the installed package, or beside a checkout's raqa."""
    return _shipped("conf")


def experiments_folder() -> Path:
    """The folder of the shipped recipes, likewise."""
    return _shipped("experiments")


def recipe_names() -> list[str]:
    """Every shipped recipe, `folder/name`, sorted."""
    folder = experiments_folder()
    return sorted(
        path.relative_to(folder).with_suffix("").as_posix() for path in folder.glob("*/*.yaml")
    )


def _shipped(name: str) -> Path:
    package = Path(__file__).resolve().parents[1]
    installed = package / name
    return installed if installed.is_dir() else package.parent / name


def group_texts() -> dict[str, str]:
    """Every group of the root config, in order, with the comment that stands behind it."""
    lines = (config_folder() / f"{ROOT_CONFIG}.yaml").read_text(encoding="utf-8").splitlines()
    found = (_GROUP_LINE.match(line) for line in lines)
    return {match["group"]: match["text"] for match in found if match}


def group_choices(group: str, extra_folders: Sequence[Path] = ()) -> dict[str, str]:
    """Every choice of a group with the comment on its first lines, sorted by name."""
    choices: dict[str, str] = {}
    for folder in (config_folder(), *extra_folders):
        for path in sorted((folder / group).glob("*.yaml")):
            choices[path.stem] = _first_comment(path)
    return dict(sorted(choices.items()))


def _first_comment(path: Path) -> str:
    """The first comment line that is not an instruction to Hydra."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") and not line.startswith("# @package"):
            return line.lstrip("# ").strip()
        if line and not line.startswith("#"):
            break
    return ""
