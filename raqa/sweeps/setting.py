"""A setting of a recipe as Hydra reads it on the command line."""

from __future__ import annotations

from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException


def override_text(key: str, value: Any) -> str:
    """Write a value that YAML gave as the override `key=value` that means the same to Hydra."""
    return f"{key}={_text(value)}"


def bare_key(key: str) -> str:
    """A key without the signs that add it: `+debug` and `debug` are the same setting."""
    return key.lstrip("+~")


def value_text(value: Any) -> str:
    """A value as it is compared and shown: what a user would type for it."""
    return value if isinstance(value, str) else _text(value)


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key}:{_text(one)}' for key, one in value.items())}}}"
    if isinstance(value, str):
        return value if _reads_as_itself(value) else _quoted(value)
    return repr(value)


def _reads_as_itself(text: str) -> bool:
    """Whether Hydra takes the bare word for this very string, not for a number or a list."""
    try:
        override = OverridesParser.create().parse_override(f"key={text}")
    except HydraException:
        return False
    return not override.is_sweep_override() and bool(override.value() == text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
