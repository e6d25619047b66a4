"""Check what was typed against what there is, before Hydra sees it: all faults, with neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Glob, Override
from hydra.errors import HydraException
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict, read_write
from omegaconf.errors import OmegaConfBaseException

from raqa.configuration.folder import ROOT_CONFIG, config_folder, group_choices, group_texts
from raqa.errors import UserError, neighbours

# Settings whose keys the user makes up (attribute names, column names).
OPEN_MAPPINGS = ("filters", "attributes", "columns", "classes")


def compose_config(overrides: Sequence[str], extra_folders: Sequence[Path] = ()) -> DictConfig:
    """Compose the root config with overrides, after checking them.

    Raises:
        UserError: a group, choice or setting that does not exist, or a value of the wrong form.
    """
    check_overrides(overrides, extra_folders)
    return _compose(overrides, extra_folders)


def compose_choices(
    overrides: Sequence[str], extra_folders: Sequence[Path] = ()
) -> tuple[DictConfig, dict[str, str]]:
    """Compose the root config, and say which choice each group has ("encoder": "mel_stats").

    For many compositions in a row: what Hydra itself refuses is checked in detail only then.

    Raises:
        UserError: as `compose_config`.
    """
    if any(text.startswith(("+", "~")) or text.endswith("=null") for text in overrides):
        check_overrides(overrides, extra_folders)  # Hydra would let these pass
    try:
        config = _compose(overrides, extra_folders, with_hydra=True)
    except UserError:
        check_overrides(overrides, extra_folders)
        raise
    choices = {str(group): str(name) for group, name in config.hydra.runtime.choices.items()}
    with read_write(config), open_dict(config):
        del config["hydra"]
    return config, choices


def check_overrides(
    overrides: Sequence[str], extra_folders: Sequence[Path] = (), *, sweep: bool = False
) -> None:
    """Refuse overrides that name no group, choice or setting.

    Args:
        sweep: whether several choices of one setting are wanted (-m).

    Raises:
        UserError: with one line for every fault.
    """
    parsed, problems = _parse(overrides)
    if not sweep:
        problems += [
            f"{one.input_line}: several choices are a sweep; add -m (or --multirun)."
            for one in parsed
            if one.is_sweep_override()
        ]
    groups = [one for one in parsed if _is_group(one, extra_folders)]
    problems += [text for one in groups for text in _wrong_choices(one, extra_folders)]
    if not problems:
        base = _compose([_first_choice(one, extra_folders) for one in groups], extra_folders)
        settings = [one for one in parsed if one not in groups]
        problems += [text for one in settings for text in _wrong_setting(one, base)]
    if not problems and not any(one.is_sweep_override() for one in parsed):
        _compose(overrides, extra_folders)  # Hydra has the last word
    if problems:
        raise UserError(problems)


def settings_of(node: Any, prefix: str = "") -> Iterator[str]:
    """All dotted paths below a node, inner ones included."""
    if isinstance(node, DictConfig):
        for key in map(str, node):
            yield f"{prefix}{key}"
            if not OmegaConf.is_missing(node, key) and not OmegaConf.is_interpolation(node, key):
                yield from settings_of(node[key], f"{prefix}{key}.")


def _compose(
    overrides: Sequence[str], extra_folders: Sequence[Path], *, with_hydra: bool = False
) -> DictConfig:
    search = [f"hydra.searchpath=[{','.join(f'file://{path}' for path in extra_folders)}]"]
    with initialize_config_dir(config_dir=str(config_folder()), version_base="1.3"):
        try:
            return compose(
                ROOT_CONFIG,
                [*(search if extra_folders else []), *overrides],
                return_hydra_config=with_hydra,
            )
        except (HydraException, OmegaConfBaseException) as error:
            raise UserError(_hydra_words(error)) from error


def _hydra_words(error: BaseException) -> str:
    """What Hydra says, on one line; for a place that the chosen configs lack, what that means."""
    place = re.search(r"Could not override '(?P<group>[\w/]+)@(?P<place>[\w.]+)'", str(error))
    if place is None:
        return " ".join(str(error).split())
    group, _, name = place["place"].partition(".")
    return (
        f"{place['group']}@{place['place']}: the chosen {group} has no {name}. "
        f"Choose a {group} that has one (regime=cross has a target)."
    )


def _parse(overrides: Sequence[str]) -> tuple[list[Override], list[str]]:
    parser = OverridesParser.create()
    parsed: list[Override] = []
    problems: list[str] = []
    for text in overrides:
        try:
            parsed.append(parser.parse_override(text))
        except HydraException as error:
            problems.append(unreadable(text, error))
    return parsed, problems


def unreadable(text: str, error: HydraException) -> str:
    """What is wrong with an override that Hydra can not read, and what may help."""
    key, given, value = text.partition("=")
    reason = str(error).splitlines()[0]
    quoted = f"{key}='{value}'"
    hint = f'. A name with other letters or signs needs quotes that the shell leaves: "{quoted}"'
    return f"{text}: can not be read as KEY=VALUE ({reason})" + (
        hint if given and value and not set("'\"[]{}()") & set(value) else ""
    )


def _is_group(override: Override, extra_folders: Sequence[Path]) -> bool:
    key = override.key_or_group
    folders = (config_folder(), *extra_folders)
    if key.startswith("hydra/") or override.package is not None:
        return True
    return any((folder / key).is_dir() for folder in folders)


def _candidates(override: Override, choices: Sequence[str]) -> list[str]:
    """The choices an override names: several in a sweep, none for null or a deletion."""
    if override.is_delete():
        return []
    value: Any = override.value()
    if isinstance(value, ChoiceSweep):
        return [str(getattr(one, "text", one)) for one in value.list]
    if isinstance(value, Glob):
        return list(value.filter(list(choices)))
    return [] if value is None else [str(getattr(value, "text", value))]


def _wrong_choices(override: Override, extra_folders: Sequence[Path]) -> list[str]:
    group = override.key_or_group
    if group.startswith("hydra/"):
        return []  # Hydra's own groups come from installed plug-ins; it names the choices itself
    choices = list(group_choices(group, extra_folders))
    if override.is_add() and group in group_texts():
        return [f"{override.input_line}: {group} is a group already; write it without the +."]
    if not override.is_delete() and override.value() is None:
        return [f"{group}=null: one has to be chosen. {neighbours('', choices)}"]
    named = _candidates(override, choices)
    if not named and isinstance(override.value(), Glob):
        return [f"{override.input_line}: matches nothing. {neighbours('', choices)}"]
    return [
        f"{_group_text(override)}={name}: there is no {group} of that name. "
        f"{neighbours(name, choices)}"
        for name in named
        if name not in choices
    ]


def _first_choice(override: Override, extra_folders: Sequence[Path]) -> str:
    """The override itself, or for a sweep the one with its first choice."""
    if override.is_delete() or override.key_or_group.startswith("hydra/"):
        return str(override.input_line)
    named = _candidates(override, list(group_choices(override.key_or_group, extra_folders)))
    sign = "+" if override.is_add() else ""
    return f"{sign}{_group_text(override)}={named[0] if named else 'null'}"


def _group_text(override: Override) -> str:
    """The group as it is written, with the place it is put at: `datamodule@regime.target`."""
    place = "" if override.package is None else f"@{override.package}"
    return f"{override.key_or_group}{place}"


def _wrong_setting(override: Override, base: DictConfig) -> list[str]:
    key = override.key_or_group
    if key.startswith("hydra."):
        return []
    parent, _, name = key.rpartition(".")
    inside = _find(base, parent) if parent else base
    if isinstance(inside, DictConfig) and name in inside:
        mounted = parent and isinstance(_find(base, key), DictConfig)
        return _named_choice(override, name) if mounted else []
    if isinstance(inside, ListConfig):
        return []
    if isinstance(inside, DictConfig) and parent.rpartition(".")[2] in OPEN_MAPPINGS:
        if override.is_add() or override.is_force_add():
            return []
        return [f"{key}: not set yet; write +{override.input_line} to add it."]
    return [f"{key}: there is no such setting. {neighbours(key, _siblings(base, parent, inside))}"]


def _named_choice(override: Override, name: str) -> list[str]:
    """What to write where a group inside another choice is given a name."""
    value = None if override.is_delete() else override.value()
    if name not in group_texts() or not isinstance(value, str):
        return []
    line = override.input_line
    return [f"{line}: the group {name} chooses what stands there; write {name}@{line}."]


def _siblings(base: DictConfig, parent: str, inside: Any) -> list[str]:
    """What could have been meant: the settings beside it, or the groups, or anything at all."""
    if parent and isinstance(inside, DictConfig):
        return [f"{parent}.{name!s}" for name in inside]
    if parent:
        return list(settings_of(base))
    return sorted({*map(str, base), *group_texts()})


def _find(base: DictConfig, path: str) -> Any:
    try:
        return OmegaConf.select(base, path)
    except OmegaConfBaseException:
        return None
