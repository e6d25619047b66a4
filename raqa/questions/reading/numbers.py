"""The one number that a response gives, with its unit, in the attribute's canonical unit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raqa.questions.reading.number_words import digits_for_words

_NAMES: Mapping[str, str] = {
    "year": "years?|yrs?|y/?o?|year-olds?|years-old",
    "month": "months?|mos?",
    "week": "weeks?|wks?",
    "day": "days?|d",
    "h": "hours?|hrs?|h",
    "min": "minutes?|mins?",
    "ms": "milliseconds?|ms|msec",
    "s": "seconds?|secs?|s",
    "cm": "centimet(?:re|er)s?|cms?",
    "mm": "millimet(?:re|er)s?|mm",
    "m": "met(?:re|er)s?|m",
    "in": r'inch(?:es)?|in(?!\s+\w)|"',
    "ft": "feet|foot|ft",
    "kg/m2": r"kg\s*/\s*m\s*(?:\^?\s*2|squared)|kilograms? per square met(?:re|er)",
    "lb/in2": r"lbs?\s*/\s*in\s*\^?\s*2",
    "kg": "kilogram(?:me)?s?|kilos?|kgs?",
    "g": "grams?|g",
    "lb": "pounds?|lbs?",
    "ml": "millilit(?:re|er)s?|mls?",
    "l": "lit(?:re|er)s?|l",
    "dB": "decibels?|db",
    "1/min": r"(?:beats?|breaths?|times?)?\s*(?:per minute|/\s*min(?:ute)?)|1/min|bpm",
    "1/h": r"(?:events?|times?)?\s*(?:per hour|/\s*h(?:our)?)|1/h",
    "Hz": "hertz|hz",
    "percent": "percent|per cent|%",
    "ct": r"cycles(?:\s*\(ct\))?|ct",
}
_UNIT = "|".join(
    f"(?P<u{place}>{pattern})"
    for place, pattern in sorted(
        enumerate(_NAMES.values()), key=lambda one: "/" not in list(_NAMES)[one[0]]
    )
)
_DIGITS = r"(?<!\d)(?:\d{1,3}(?:,\d{3})+(?:\.\d++)?|\d++(?:[.,]\d++)?|\.\d++)"
_QUANTITY = re.compile(
    rf"(?<![\w.,])(?<![a-z]-)(?:(?P<sign>-|minus )\s?)?(?P<number>{_DIGITS})"
    rf"(?:\s*-?\s*(?:{_UNIT})(?![a-z0-9]))?(?P<tail>[a-z]*)"
)
_RANGE = re.compile(rf"\bbetween {_DIGITS}|{_DIGITS}[\s%a-z]{{0,8}}(?:-|\bto\b|\bor\b)\s*{_DIGITS}")
_BOUND = re.compile(
    r"\b(?:more|less|greater|fewer|older|younger|higher|lower|larger|smaller) than\b"
    r"|\bat (?:least|most)\b|\b(?:over|under|above|below|beyond|up to)\s+(?:the age of )?\d"
    r"|[<>≤≥]|\d\s*(?:\+|or (?:more|less|older|younger))"
)
_SCALE = re.compile(rf"\bon a scale (?:from|of) {_DIGITS}(?: ?(?:to|-) ?{_DIGITS})?")
_TOLERANCE = re.compile(rf"(?:±|\+/-|\bplus or minus\b)\s*{_DIGITS}")


@dataclass(frozen=True)
class _Quantity:
    value: float  # in the canonical unit
    factor: float | None  # of the unit that was said; None: none was
    start: int
    end: int


def read_number(
    parts: Sequence[str], units: Mapping[str, float], low: float | None, high: float | None
) -> tuple[float | None, str]:
    """Read the number of clauses.

    Args:
        units: factor from each unit to the canonical one; a number without a unit is in that.

    Returns:
        the number and "", or None and why there is none.
    """
    text = digits_for_words(_SCALE.sub(" ", " ; ".join(parts)))
    text = _TOLERANCE.sub(" ", text)
    for pattern, reason in ((_RANGE, "a range"), (_BOUND, "a bound")):
        if pattern.search(text):
            return None, reason
    quantities = _quantities(text, units)
    if quantities is None:
        return None, "a unit that the attribute does not have"
    values = _summed(quantities, text)
    if not values:
        return None, "no number"
    if max(values) - min(values) > 1e-9 * max(1.0, abs(values[0])):
        return None, "several numbers"
    below, above = low is not None and values[0] < low, high is not None and values[0] > high
    return (None, "outside the believable range") if below or above else (values[0], "")


def _quantities(text: str, units: Mapping[str, float]) -> list[_Quantity] | None:
    """Every number with its unit; None where one has another than the attribute's."""
    quantities = []
    for found in _QUANTITY.finditer(text):
        name = _unit_name(found)
        if found["tail"] or (name is not None and name not in units):
            return None
        factor = None if name is None else units[name]
        value = _number(found["number"]) * (-1 if found["sign"] else 1) * (factor or 1.0)
        quantities.append(_Quantity(value, factor, found.start(), found.end()))
    return quantities


def _unit_name(found: re.Match[str]) -> str | None:
    names = list(_NAMES)
    given = found.groupdict()
    return next((name for place, name in enumerate(names) if given[f"u{place}"]), None)


def _number(digits: str) -> float:
    """1,200 has thousands; 42,5 a decimal comma."""
    if re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", digits):
        return float(digits.replace(",", ""))
    return float(digits.replace(",", "."))


def _summed(quantities: Sequence[_Quantity], text: str) -> list[float]:
    """Values, where "1 year and 2 months" is one."""
    values: list[float] = []
    previous: _Quantity | None = None
    for one in quantities:
        joins = (
            previous is not None
            and previous.factor is not None
            and one.factor is not None
            and one.factor < previous.factor
            and text[previous.end : one.start].strip(" ,") in {"", "and"}
        )
        if joins:
            values[-1] += one.value
        else:
            values.append(one.value)
        previous = one
    return values
