"""Cells laid out in rows and columns, every row compared: who is best, and who can not be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from raqa.errors import UserError
from raqa.metrics.compare import Comparison, compare
from raqa.metrics.number import Number
from raqa.reports.recipes.cells import ReportCell, eligible, errors_of, variants, why_not_eligible
from raqa.reports.recipes.tables import unique
from raqa.reports.run_tables import Run

Key = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """Cells that stand side by side.

    Attributes:
        key: what they share, for example corpus and task.
        cells: by column; a column that the recipe does not ask for is absent.
        comparison: all pairs of the finished ones; None where they can not be compared.
        why_not: the reason for that.
        group: columns of the best and of those that can not be told from it, best first.
    """

    key: Key
    cells: Mapping[str, ReportCell]
    comparison: Comparison | None
    why_not: str | None
    group: tuple[str, ...]

    @property
    def runs(self) -> dict[str, Run]:
        """The finished ones by column."""
        return {name: cell.run for name, cell in self.cells.items() if cell.run is not None}

    @property
    def candidates(self) -> tuple[str, ...]:
        """Columns that can be the best."""
        return tuple(name for name, run in self.runs.items() if eligible(run))

    @property
    def marked(self) -> tuple[str, ...]:
        """The group where there was a contest; a cell that stands alone is no best."""
        return self.group if len(self.runs) > 1 else ()

    @property
    def best(self) -> Run | None:
        """The smallest error among those that can be the best."""
        return self.runs[self.group[0]] if self.group else None

    @property
    def shown(self) -> Run | None:
        """Whose predictions are plotted: the best, else the smallest error of any."""
        runs = sorted(self.runs.values(), key=lambda run: errors_of(run).mae.mean.value)
        return self.best or (runs[0] if runs else None)

    def ratio(self, baseline: Callable[[Run], Number]) -> Number:
        """The best error over a baseline's on the same row."""
        if self.best is None:
            return Number.undefined(why_not_eligible(self.runs.values()))
        below = baseline(self.best)
        if not below.defined:
            return below
        if below.value == 0:
            return Number.undefined("the baseline's error is 0")
        return Number(errors_of(self.best).mae.mean.value / below.value)


@dataclass(frozen=True)
class Grid:
    """Rows of cells under the same columns."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def cells(self) -> tuple[ReportCell, ...]:
        """All of them, row by row."""
        return tuple(cell for row in self.rows for cell in row.cells.values())


def make_grid(
    cells: Sequence[ReportCell],
    key: Callable[[ReportCell], Key],
    column: Callable[[ReportCell], str] = lambda cell: cell.encoder,
) -> Grid:
    """Lay cells out in rows and columns, both in the recipe's order.

    Args:
        column: names a cell's column; what tells cells apart besides their place is added.

    Raises:
        UserError: two cells would stand at the same place.
    """
    names = [
        f"{column(cell)}, {variant}" if variant else column(cell)
        for cell, variant in zip(cells, variants(cells), strict=True)
    ]
    places: dict[Key, dict[str, ReportCell]] = {}
    problems = []
    for cell, name in zip(cells, names, strict=True):
        row = places.setdefault(key(cell), {})
        if name in row:
            problems.append(f"The recipe has two cells for {', '.join(key(cell))}, {name}.")
        row[name] = cell
    if problems:
        raise UserError(unique(problems))
    return Grid(tuple(unique(names)), tuple(_row(key, row) for key, row in places.items()))


def _row(key: Key, cells: Mapping[str, ReportCell]) -> Row:
    runs = {name: cell.run for name, cell in cells.items() if cell.run is not None}
    if not runs:
        return Row(key, cells, None, "no cell is done", ())
    first = next(iter(runs.values())).scores
    try:
        comparison = compare(
            {name: run.predictions for name, run in runs.items()},
            resamples=first.resamples,
            bootstrap_seed=first.bootstrap_seed,
        )
    except UserError as error:
        return Row(key, cells, None, " ".join(error.problems), ())
    can_win = [name for name, run in runs.items() if eligible(run)]
    return Row(key, cells, comparison, None, comparison.best(can_win))
