"""Sentences with slots: which they have, how they are filled, how lists and numbers are said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

SLOT = re.compile(r"\{(\w+)\}")
NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
LIST = "; "
"""Between the labels of a list where one of them has a comma or an "and" of its own."""

_DIGITS = 3
"""Significant digits of a number where its templates ask for no decimals."""


def slots(text: str) -> list[str]:
    """The names of a sentence's slots, in order."""
    return SLOT.findall(text)


def is_torn(text: str) -> bool:
    """Whether braces are left that are no slots."""
    return bool(set(SLOT.sub("", text)) & set("{}"))


def fill(text: str, **values: str) -> str:
    """Fill the slots that values are given for; what is filled in is not looked at again."""
    return SLOT.sub(lambda found: values.get(found[1], found[0]), text)


def plain_list(texts: Iterable[str]) -> bool:
    """Whether labels can be listed with commas and "and" and be told apart again."""
    return not any("," in text or " and " in f" {text} " for text in texts)


def join_labels(texts: Sequence[str], *, plain: bool) -> str:
    """List labels: "a, b and c", or "a; b; c" where that would be ambiguous."""
    if not plain:
        return LIST.join(texts)
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)


def part_labels(text: str, *, plain: bool) -> list[str]:
    """Undo `join_labels`."""
    return re.split(r", | and ", text) if plain else text.split(LIST)


def say_numbers(values: NDArray[np.float64], decimals: int | None) -> list[str]:
    """Write numbers as they are said: rounded, without an exponent or trailing zeros.

    Args:
        decimals: how many are kept; None: three significant digits.
    """
    rounded: dict[float, str] = {}
    for value in dict.fromkeys(values.tolist()):
        short = round(value, decimals) if decimals is not None else float(f"{value:.{_DIGITS}g}")
        text = np.format_float_positional(short, trim="-")
        rounded[value] = "0" if text == "-0" else text
    return [rounded[value] for value in values.tolist()]


def reader(pattern: str, units: Sequence[str] = ()) -> re.Pattern[str]:
    """An expression that finds what stands in the slots of a filled sentence."""
    kinds = {"value": NUMBER, "unit": "|".join(map(re.escape, units)) or ".*"}
    parts, seen = [], set[str]()
    for place, piece in enumerate(SLOT.split(pattern)):
        if place % 2 == 0:
            parts.append(re.escape(piece))
        elif piece in seen:
            parts.append(f"(?P={piece})")
        else:
            seen.add(piece)
            parts.append(f"(?P<{piece}>{kinds.get(piece, '.+')})")
    return re.compile("".join(parts), re.DOTALL)
