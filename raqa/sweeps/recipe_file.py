"""Recipes from their files: found by name, checked, every fault reported at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, get_args

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from raqa.configuration.folder import experiments_folder, recipe_names
from raqa.errors import UserError, neighbours
from raqa.metrics.exams.scores import PARTS
from raqa.sweeps.picking import Draft, apply_overrides
from raqa.sweeps.recipe import Layout, Recipe
from raqa.sweeps.setting import bare_key

KEYS = ("title", "layout", "published", "parts", "with", "cells")
NEEDED = ("title", "layout", "cells")
SUFFIX = ".yaml"
PART_EXAMPLE = "icbhi/diagnosis"
_PART = re.compile(r"[^/\s]+/[^/\s]+")

Settings = dict[str, Any]


def read_recipe(
    name: str, overrides: Sequence[str] = (), config_folders: Sequence[Path] = ()
) -> Recipe:
    """Read a recipe and expand its grids.

    Args:
        name: `cough_regression/table3`, or the path of a recipe of the user's own.
        overrides: settings as in training. One that cells choose differently (`encoder=hear`)
            picks the cells that chose it; any other is given to all cells.
        config_folders: folders of the user's own configs.

    Raises:
        UserError: there is no such recipe, its file is not one, or an override picks no cell.
    """
    path = _find(name)
    content = _content(path)
    problems = list(_faults(path, content))
    if problems:
        raise UserError([f"{path}: {problem}" for problem in problems])
    shared = content.get("with") or {}
    drafts = [Draft(shared, own) for item in content["cells"] for own in _combinations(item)]
    published = content.get("published")
    return Recipe(
        name=name,
        path=path,
        title=content["title"],
        layout=content["layout"],
        published=path.parent / published if published else None,
        cells=tuple(apply_overrides(drafts, overrides, name)),
        config_folders=tuple(folder.resolve() for folder in config_folders),
        parts=tuple(content.get("parts") or ()),
    )


def _find(name: str) -> Path:
    shipped = experiments_folder() / f"{name.removesuffix(SUFFIX)}{SUFFIX}"
    for path in (shipped, Path(name), Path(f"{name}{SUFFIX}")):
        if path.is_file():
            return path.absolute()
    raise UserError(
        f"There is no recipe {name!r}. {neighbours(name, recipe_names())}, or the path of a "
        f"{SUFFIX} file of your own."
    )


def _content(path: Path) -> dict[str, Any]:
    try:
        content = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    except (YAMLError, OmegaConfBaseException, UnicodeDecodeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path} can not be read as YAML: {reason}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path}: a recipe has the keys {', '.join(KEYS)}; this is a list.")
    return {str(key): value for key, value in content.items()}


def _faults(path: Path, content: Mapping[str, Any]) -> Iterator[str]:
    for key in content:
        if key not in KEYS:
            yield f"{key}: a recipe has no such key. {neighbours(key, KEYS)}"
    for key in NEEDED:
        if not content.get(key):
            yield f"{key}: has to be set."
    title = content.get("title")
    if title and not isinstance(title, str):
        yield f"title={title}: expected text; put it in quotes."
    layout, published = content.get("layout"), content.get("published")
    if layout and layout not in get_args(Layout):
        yield f"layout={layout}: there is no such layout. {neighbours(layout, get_args(Layout))}"
    if published and not (path.parent / str(published)).is_file():
        yield f"published={published}: there is no such file beside the recipe."
    yield from _part_faults(content.get("parts"), layout)
    shared, cells = content.get("with") or {}, content.get("cells") or []
    if not isinstance(shared, dict):
        yield "with: expected settings as KEY: VALUE."
        shared = {}
    if not isinstance(cells, list):
        yield "cells: expected a list of grids, each with settings as KEY: VALUE or KEY: [VALUES]."
        cells = []
    for number, item in enumerate(cells, start=1):
        yield from _grid_faults(number, item, shared)


def _part_faults(parts: Any, layout: Any) -> Iterator[str]:
    if parts is None:
        return
    if layout == "exam":
        known = [one for one in PARTS if one != "all"]
        if not isinstance(parts, list) or not set(map(str, parts)) <= set(known):
            yield f"parts: expected a list of {', '.join(known)}, for example [question_type]."
        return
    if layout != "questions":
        yield f"parts: layout={layout} has none; layouts questions and exam show parts."
    if not isinstance(parts, list) or not all(_PART.fullmatch(str(one)) for one in parts):
        yield f"parts: expected a list of CORPUS/ATTRIBUTE, for example [{PART_EXAMPLE}]."


def _grid_faults(number: int, item: Any, shared: Settings) -> Iterator[str]:
    if not isinstance(item, dict) or not item:
        yield f"cells, item {number}: expected settings as KEY: VALUE or KEY: [VALUES]."
        return
    for key, value in item.items():
        if isinstance(value, list) and not value:
            yield f"cells, item {number}: {key} has an empty list, so there would be no cell."
        if bare_key(str(key)) in {bare_key(str(one)) for one in shared}:
            yield f"cells, item {number}: {key} stands in `with` too; it can be in one place only."


def _combinations(item: Settings) -> Iterator[Settings]:
    """Every combination of a grid's lists; what is no list is in all of them."""
    lists = [value if isinstance(value, list) else [value] for value in item.values()]
    for values in product(*lists):
        yield dict(zip(map(str, item), values, strict=True))
