"""What the command line changes in a recipe: some cells of it, or a setting in all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override, QuotedString
from hydra.errors import HydraException

from raqa.configuration.overrides import unreadable
from raqa.errors import UserError, neighbours
from raqa.sweeps.recipe import Cell
from raqa.sweeps.setting import bare_key, override_text, value_text

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Draft:
    """A cell before the command line had its say: settings that all cells share, and its own."""

    shared: Settings
    own: Settings

    def value(self, key: str) -> str | None:
        """Its own value of a setting as text; None: it does not choose that one."""
        found = [value for name, value in self.own.items() if bare_key(name) == key]
        return value_text(found[0]) if found else None

    def cell(self, typed: Mapping[str, str], differing: Collection[str]) -> Cell:
        """The cell, with settings that were typed in the place of its own.

        Args:
            typed: overrides by key.
            differing: keys in which the recipe's cells differ.
        """
        texts: dict[str, str] = {}
        for name, value in (*self.own.items(), *self.shared.items()):
            texts[bare_key(name)] = typed.get(bare_key(name), override_text(name, value))
        for key, text in typed.items():
            texts.setdefault(key, text)
        choices = {
            bare_key(name): _typed_value(typed[bare_key(name)])
            if bare_key(name) in typed
            else value_text(value)
            for name, value in self.own.items()
        }
        telling = {key: value for key, value in choices.items() if key in differing} or choices
        return Cell(tuple(texts.values()), choices, " ".join(starmap(_short, telling.items())))


def apply_overrides(drafts: Sequence[Draft], overrides: Sequence[str], name: str) -> list[Cell]:
    """Make the cells of a recipe, with what the user typed behind its name.

    An override of a setting that cells choose differently leaves out those that chose otherwise;
    one of a setting that some cells choose alike replaces it there; any other holds for all.
    Cells that become equal are one.

    Raises:
        UserError: an override can not be read, or picks no cell; all are named.
    """
    problems: list[str] = []
    chosen = _chosen(drafts)
    kept, everywhere, where_chosen = list(drafts), dict[str, str](), dict[str, str]()
    for key, override in _parse(overrides, problems):
        values = chosen.get(key, set())
        if len(values) > 1:
            wanted = _wanted(override)
            problems += _strangers(key, wanted, values, name)
            kept = [draft for draft in kept if draft.value(key) in {None, *wanted}]
        elif override.is_sweep_override():
            problems.append(
                f"{override.input_line}: the cells of {name} do not differ in {key}, so there is "
                "nothing to pick from; give one value."
            )
        else:
            (where_chosen if values else everywhere)[key] = str(override.input_line)
    if not problems and not kept:
        problems.append(f"No cell of {name} has all of {' '.join(overrides)}.")
    if problems:
        raise UserError(problems)
    differing = {key for key, values in chosen.items() if len(values) > 1}
    cells = [draft.cell({**everywhere, **_held(draft, where_chosen)}, differing) for draft in kept]
    unique = dict[frozenset[str], Cell]()
    for cell in cells:  # the order of keys in a recipe means nothing
        unique.setdefault(frozenset(cell.overrides), cell)
    return list(unique.values())


def _chosen(drafts: Sequence[Draft]) -> dict[str, set[str]]:
    """The values that cells choose for each setting of their own."""
    found = defaultdict[str, set[str]](set)
    for draft in drafts:
        for key in map(bare_key, draft.own):
            found[key].add(draft.value(key) or "")
    return found


def _short(key: str, value: str) -> str:
    """`hear` of encoder=hear, `padding=none` of encoder.padding=none."""
    return f"{key.rpartition('.')[2]}={value}" if "." in key else value


def _parse(overrides: Sequence[str], problems: list[str]) -> Iterator[tuple[str, Override]]:
    """Each override with its key; the last one of a key counts, as in Hydra."""
    parser, parsed = OverridesParser.create(), dict[str, Override]()
    for text in overrides:
        try:
            parsed[bare_key(text.partition("=")[0])] = parser.parse_override(text)
        except HydraException as error:
            problems.append(unreadable(text, error))
    yield from parsed.items()


def _wanted(override: Override) -> list[str]:
    value: Any = override.value()
    listed = value.list if isinstance(value, ChoiceSweep) else [value]
    return [one.text if isinstance(one, QuotedString) else value_text(one) for one in listed]


def _strangers(key: str, wanted: Sequence[str], chosen: set[str], name: str) -> list[str]:
    return [
        f"{key}={one}: no cell of {name} has it. {neighbours(one, chosen)}"
        for one in wanted
        if one not in chosen
    ]


def _held(draft: Draft, typed: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in typed.items() if draft.value(key) is not None}


def _typed_value(text: str) -> str:
    return text.partition("=")[2]
