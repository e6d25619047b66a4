"""The parts of an audit as the console and the page show them: a verdict, a table, a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column of a section's table.

    Attributes:
        meaning: shown when one points at the heading on the page.
        page_only: too much for a terminal of 80 columns.
    """

    heading: str
    numeric: bool = False
    meaning: str = ""
    page_only: bool = False


@dataclass(frozen=True)
class Section:
    """One question that the audit answers.

    Attributes:
        title: what was looked for.
        verdict: what was found, in a sentence.
        fault: whether it is something to mend.
        rows: cells as text, the worst row first.
        note: how it was done, what was left out.
    """

    title: str
    verdict: str
    fault: bool = False
    columns: Sequence[Column] = ()
    rows: Sequence[tuple[str, ...]] = ()
    note: str = ""


def times(count: int, noun: str, plural: str | None = None) -> str:
    """Say how many: `1 subject`, `2 subjects`, `none`."""
    if not count:
        return f"no {noun}"
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def percent(share: float) -> str:
    """A share in percent; what is not quite all is never said to be all."""
    text = f"{100 * share:.1f}".removesuffix(".0")
    if text in {"0", "100"} and share not in {0, 1}:
        return "> 99.9 %" if share > 0.5 else "< 0.1 %"
    return f"{text} %"


def words(name: str) -> str:
    """A name as it is said: `single_verify` as single verify."""
    return name.replace("_", " ")
