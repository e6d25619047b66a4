"""Template files as they are written: YAML folders, patterns and attributes joined to entries."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from raqa.corpora.attributes import ATTRIBUTES, FAMILIES, Attribute
from raqa.errors import UserError, neighbours
from raqa.folders import make_folder
from raqa.questions.template_faults import Place
from raqa.tables import QUESTION_TYPES

SHIPPED = Path(__file__).parent / "templates"
PATTERNS, UNITS = "patterns", "units"
SETTINGS = ("like", "labels", "decimals", "unit", "exclude")
"""Keys of an entry that are neither sentences nor words for their slots."""


@dataclass(frozen=True)
class Entry:
    """What the files say about one attribute, its pattern merged in.

    Attributes:
        where: file and attribute, for messages.
        settings: those of SETTINGS that are given.
        sentences: question type to wordings as they stand in the file.
        words: what fills the sentences' slots, `thing` for example.
        own: whether a file names the attribute; otherwise it takes the pattern of its kind.
        attribute: its name.
        pattern: where its pattern stands, for messages.
        inherited: what is the pattern's and not its own: settings and question types.
    """

    where: str
    settings: Mapping[str, Any]
    sentences: Mapping[str, Any]
    words: Mapping[str, Any]
    own: bool
    attribute: str
    pattern: str
    inherited: frozenset[str]

    def place(self, key: str) -> Place:
        """Where a setting stands, or the sentences of a question type."""
        return Place(self.where, self.pattern if key in self.inherited else "", self.attribute)


def template_folder(given: str | Path | None) -> Path:
    """Find a set of templates: none for the shipped one, a shipped set's name, or a folder.

    Raises:
        UserError: there is no such set and no such folder, or no YAML file in it.
    """
    if given is None or str(given) in {"raqa", "null"}:
        return SHIPPED
    sets = ["raqa", *sorted(path.name for path in SHIPPED.iterdir() if path.is_dir())]
    folder = SHIPPED / given if str(given) in sets else Path(given)
    if not folder.is_dir():
        raise UserError(
            f"templates={given}: there is no such folder, and no shipped set of that name. "
            f"{neighbours(str(given), sets)}"
        )
    if not list(folder.glob("*.yaml")):
        raise UserError(
            f"templates={given}: no YAML file is in it. `raqa qa templates {given}` puts the "
            "shipped ones there, to be edited."
        )
    return folder


def copy_templates(to: Path) -> list[Path]:
    """Copy the shipped template files to a folder, where they can be edited.

    Raises:
        UserError: one of them is there already.
    """
    sources = sorted(SHIPPED.glob("*.yaml"))
    taken = [to / path.name for path in sources if (to / path.name).exists()]
    if taken:
        raise UserError([f"{path} is there already; choose another folder." for path in taken])
    make_folder(to)
    return [Path(shutil.copyfile(path, to / path.name)) for path in sources]


def read_entries(folder: Path) -> tuple[dict[str, Entry], dict[str, Any], list[str]]:
    """Read a folder's files.

    Returns:
        an entry for every attribute that is asked about, how units are said, and problems.
    """
    problems: list[str] = []
    files = {path.stem: _read(path, problems) for path in sorted(folder.glob("*.yaml"))}
    allowed = [*FAMILIES, PATTERNS, UNITS]
    problems += [
        f"{name}.yaml: expected the name of a family of attributes, {PATTERNS} or "
        f"{UNITS}. {neighbours(name, allowed)}"
        for name in files
        if name not in allowed
    ]
    patterns, units = files.get(PATTERNS, {}), files.get(UNITS)
    if units is None:
        units = _read(SHIPPED / f"{UNITS}.yaml", problems)
    entries: dict[str, Entry] = {}
    for family in FAMILIES:
        for name, raw in files.get(family, {}).items():
            where = f"{family}.yaml: {name}"
            if entry := _entry(name, family, raw, where, patterns, problems):
                entries[name] = entry
    for name, wanted in ATTRIBUTES.items():
        if name not in entries and wanted.kind in patterns:
            where = f"{PATTERNS}.yaml: {wanted.kind} (for {name})"
            raw = {"like": wanted.kind, "thing": _thing(wanted)}
            entries[name] = _join(name, where, patterns, raw, own=False)
    return entries, units, problems


def _entry(  # noqa: PLR0917
    name: str,
    family: str,
    raw: Any,
    where: str,
    patterns: Mapping[str, Any],
    problems: list[str],
) -> Entry | None:
    if name not in ATTRIBUTES:
        problems.append(f"{where}: there is no such attribute. {neighbours(name, ATTRIBUTES)}")
        return None
    if ATTRIBUTES[name].family != family:
        problems.append(f"{where}: belongs into {ATTRIBUTES[name].family}.yaml")
        return None
    if not isinstance(raw, Mapping):
        problems.append(f"{where}: expected settings and sentences below it, not {raw!r}")
        return None
    like = raw.get("like")
    if like is not None and like not in patterns:
        problems.append(f"{where}: there is no pattern {like!r}. {neighbours(like, patterns)}")
        return None
    return _join(name, where, patterns, raw, own=True)


def _thing(attribute: Attribute) -> str:
    """What an attribute is called where no file does: its text, unless a label stands in it."""
    text = attribute.text.lower()
    told = attribute.kind != "binary" and any(
        said.lower() in text for said in attribute.label_texts.values()
    )
    return attribute.name.replace("_", " ") if told else attribute.text


def _join(
    name: str, where: str, patterns: Mapping[str, Any], raw: Mapping[str, Any], *, own: bool
) -> Entry:
    like = str(raw.get("like"))
    pattern = patterns.get(like, {})
    joined = {**pattern, **raw}
    return Entry(
        where,
        settings={key: joined[key] for key in SETTINGS if key in joined},
        sentences={key: joined[key] for key in QUESTION_TYPES if key in joined},
        words={k: v for k, v in joined.items() if k not in {*SETTINGS, *QUESTION_TYPES}},
        own=own,
        attribute=name,
        pattern=f"{PATTERNS}.yaml: {like}",
        inherited=frozenset(pattern) - frozenset(raw),
    )


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Takes every value as the text that was written (yes stays yes), and a key only once."""

    yaml_implicit_resolvers: dict[str, Sequence[Any]] = {}  # noqa: RUF012

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = sorted({str(key) for key in keys if keys.count(key) > 1})
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f"{', '.join(twice)} stands more than once", node.start_mark
            )
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def _read(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        # The loader is a SafeLoader, which makes nothing but texts, lists and mappings.
        found = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        problems.append(f"{path.name}: can not be read as YAML: {' '.join(str(error).split())}")
        return {}
    if found is None or found == "":
        return {}
    if not isinstance(found, dict):
        problems.append(f"{path.name}: expected names with sentences below them")
        return {}
    return found
