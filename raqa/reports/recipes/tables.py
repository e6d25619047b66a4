"""A recipe's report before it is Markdown, LaTeX, CSV or a page: tables, figures, notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from raqa.reports.recipes.glossary import TERMS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from raqa.metrics.compare import Pair

Plain = str | int | float | bool | None
Item = TypeVar("Item")


@dataclass(frozen=True)
class Shown:
    """What stands at one place of a table.

    Attributes:
        lines: the number first; what belongs to it follows in smaller type.
        order: what it is sorted by; None stays last.
        best: it belongs to the group that can not be told from the best of its row.
        random: its encoder was never trained.
        values: the same as plain values, by the end of the CSV column's name.
    """

    lines: tuple[str, ...]
    order: float | None = None
    best: bool = False
    random: bool = False
    values: Mapping[str, Plain] = field(default_factory=dict)

    @classmethod
    def label(cls, text: str) -> Shown:
        """A word that names something."""
        return cls((text,), values={"": text})


@dataclass(frozen=True)
class Heading:
    """What stands over a column, its meaning in a few words, and the column's name in the CSV."""

    text: str
    meaning: str
    name: str
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: of its file.
        rows: one `Shown` per heading.
    """

    name: str
    title: str
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Shown, ...], ...]


@dataclass(frozen=True)
class Picture:
    """One figure: `draw` makes it, `name` is that of its files; a `broad` one fills a line."""

    name: str
    title: str
    caption: str
    draw: Callable[[], Figure]
    broad: bool = False


@dataclass(frozen=True)
class RowPairs:
    """All pairs of one row, compared together; `row` says which."""

    row: str
    pairs: tuple[Pair, ...]
    unit: str | None


@dataclass(frozen=True)
class RecipeReport:
    """A whole report.

    Attributes:
        watermarks: what the numbers are not, a sentence each; over everything that is written.
        summary: the findings, a sentence each.
        notes: explanations of marks, numbered from 1 by their place where a table says [1].
        footnotes: what † and ? stand for, a line each.
        records: one dictionary per cell, with the same keys in all of them.
        overview: a table that a terminal shows; None: the findings are enough.
        terms: what the numbers mean, term and explanation.
    """

    name: str
    title: str
    watermarks: tuple[str, ...]
    summary: tuple[str, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]
    pairs: tuple[RowPairs, ...]
    notes: tuple[str, ...]
    footnotes: tuple[str, ...]
    records: tuple[Mapping[str, Any], ...]
    overview: Table | None = None
    terms: tuple[tuple[str, str], ...] = TERMS


class Notes:
    """Collects explanations and says with which mark each is referred to."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, text: str) -> str:
        """For example "[2]"; the same text has the same mark."""
        if text not in self.texts:
            self.texts.append(text)
        return f"[{self.texts.index(text) + 1}]"


def unique(items: Iterable[Item]) -> list[Item]:
    """Items without repetition, in the order in which they first appear."""
    return list(dict.fromkeys(items))


def joined(parts: Sequence[str]) -> str:
    """For example "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
