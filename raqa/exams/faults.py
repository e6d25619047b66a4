"""What is wrong with a file of questions: where, which field, and what was expected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from raqa.display import harmless

_LINES_NAMED = 5
MOST = 40
"""Different faults that a message lists; a file of all of them can be had."""


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        line: of the file, from 1; of Parquet the row. 0: the whole file.
        field: which one; empty where the line itself is at fault.
        problem: what was given and what was expected; equal words are told once, with all lines.
    """

    line: int
    field: str
    problem: str


def fault_texts(faults: Iterable[Fault], place: str, most: int | None = MOST) -> list[str]:
    """One sentence for each different fault, with the lines that have it, in their order.

    Args:
        place: what lines are called: line, or row.
    """
    lines: dict[tuple[str, str], list[int]] = {}
    for one in sorted(set(faults)):
        lines.setdefault((one.field, one.problem), []).append(one.line)
    texts = [_text(field, problem, found, place) for (field, problem), found in lines.items()]
    if most is None or len(texts) <= most:
        return texts
    rest = sum(len(found) for found in list(lines.values())[most:])
    return [*texts[:most], f"and {len(texts) - most:,} further faults in {rest:,} places; "
            "`raqa exam check FILE --out faults.csv` lists them all."]  # fmt: skip


def _text(field: str, problem: str, lines: list[int], place: str) -> str:
    what = f"{field}: {problem}" if field else problem
    return what if lines == [0] else f"{_lines_text(lines, place)}: {what}"


def _lines_text(lines: list[int], place: str) -> str:
    named = ", ".join(f"{line:,}" for line in lines[:_LINES_NAMED])
    more = len(lines) - _LINES_NAMED
    plural = place if len(lines) == 1 else f"{place}s"
    return f"{plural} {named}" + (f" and {more:,} more" if more > 0 else "")


def shown(value: Any) -> str:
    """A value as a message says it: JSON's words, cut short, without anything that steers."""
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, str):
        return f'"{harmless(value, 60)}"'
    return harmless(str(value)[:200], 60)
