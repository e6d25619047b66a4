"""Plans and sweeps in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Console, Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from raqa.reports.recipes.tables import Table as ReportTable
from raqa.reports.text import count_text
from raqa.sweeps.claim import Owner
from raqa.sweeps.plan import Advance, Plan, PlannedCell, State
from raqa.sweeps.work import Outcome

_MARGIN = 2
_STYLE: dict[State, str] = {
    "done": "green",
    "missing": "dim",
    "running": "cyan",
    "failed": "red",
    "damaged": "yellow",
}


def print_plan(planned: Plan, console: Console) -> None:
    """Print every cell with its state, what is needed and absent, and what to do next."""
    recipe = planned.recipe
    console.print(Text(f"\n{recipe.title}", style="bold"))
    console.print(Text(str(recipe.path), style="dim", overflow="fold"))
    console.print()
    width = max(len(cell.cell.label) for cell in planned.cells)
    for cell in planned.cells:
        for line in _cell_lines(cell, width):
            console.print(line, soft_wrap=True, highlight=False)
    _print_needs(planned, console)
    console.print(f"\n{_counts(planned)}", highlight=False)
    if set(planned.counts) - {"done", "running"}:
        console.print("`raqa sweep` with the same words runs what is not done.", highlight=False)


def _cell_lines(cell: PlannedCell, width: int) -> Iterator[Text]:
    """A cell with its state and what it lacks; below it who runs it, or what went wrong."""
    lacking = ", ".join(need.name for need in cell.lacks)
    yield Text.assemble(
        f"{cell.cell.label:{width}}  ",
        (cell.state, _STYLE[cell.state]),
        (f"  needs {lacking}" if lacking else "", "dim"),
    )
    for detail in cell.details:
        yield Text(f"    {detail}")


def _print_needs(planned: Plan, console: Console) -> None:
    present = [f"{need.kind} {need.name}" for need in planned.needs if not need.absent]
    console.print()
    if present:
        console.print(Text(f"here: {', '.join(sorted(present))}"), soft_wrap=True)
    for line in _absent(planned):
        console.print(line, soft_wrap=True, highlight=False)


def _absent(planned: Plan) -> Iterator[Text]:
    """What is absent and how to get it, corpora first."""
    for need in sorted(planned.needs, key=lambda each: each.kind):
        for line in need.absent:
            name = (f"{need.kind} {need.name}", "bold")
            yield Text.assemble(("absent: ", "yellow"), name, f": {line}")


def _counts(planned: Plan) -> str:
    states = ", ".join(f"{count} {state}" for state, count in planned.counts.items())
    return f"{count_text(len(planned.cells), 'cell')}: {states}"


@contextmanager
def plan_bar(console: Console) -> Iterator[Advance]:
    """A bar while cells are checked, where somebody looks."""
    with Progress(
        TextColumn("checking cells"), BarColumn(), MofNCompleteColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    ) as progress:  # fmt: skip
        task = progress.add_task("", total=None)
        yield lambda looked_at, total: progress.update(task, completed=looked_at, total=total)


class SweepScreen:
    """What a sweep prints: a line for each cell as it ends, failures at once and at the end."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._total = 0
        self._shown = 0
        self._progress: Progress | None = None

    def busy(self, name: str, owner: Owner) -> None:
        """Say who is running the very same sweep."""
        self._print(Text(f"{name} is being run by {owner}. Nothing was done here."))

    def begin(self, planned: Plan, total: int) -> None:
        """Say what is ahead."""
        self._total = total
        self._print(Text(f"\n{planned.recipe.title}", style="bold"))
        self._print(Text(_counts(planned)))
        for line in _absent(planned):
            self._print(line)

    @contextmanager
    def bar(self, total: int) -> Iterator[None]:
        """A bar below the lines, where somebody looks."""
        with Progress(
            BarColumn(), MofNCompleteColumn(), TextColumn("cells"), TimeElapsedColumn(),
            console=self.console, transient=True,
            disable=not self.console.is_terminal or not total,
        ) as progress:  # fmt: skip
            self._task = progress.add_task("", total=total)
            self._progress = progress
            yield

    def show(self, outcome: Outcome) -> None:
        """Print how one cell ended."""
        self._shown += 1
        if self._progress is not None:
            self._progress.update(self._task, completed=self._shown)
        counter = f"{self._shown:>{len(str(self._total))}}/{self._total}"
        label = outcome.job.label
        for line in outcome.damage:
            self._print(Text(f"{counter}  {label}: done again: {line}", style="yellow"))
        if outcome.result == "ran":
            seconds = (f"  {outcome.seconds:.1f} s", "dim")
            self._print(Text.assemble(f"{counter}  ", (label, "bold"), f"  {outcome.lines[0]}",
                                      seconds))  # fmt: skip
        elif outcome.result == "found":
            self._print(Text(f"{counter}  {label}  finished meanwhile"))
        elif outcome.result == "elsewhere":
            self._print(Text(f"{counter}  {label}  left to {outcome.lines[0]}", style="cyan"))
        else:
            self._failure(counter, outcome)

    def summary(self, done: int, outcomes: Sequence[Outcome], untouched: Sequence[str]) -> None:
        """Repeat what failed, and count."""
        failed = [outcome for outcome in outcomes if outcome.result == "failed"]
        if failed:
            self._print(Text("\nfailed", style="bold red"))
            for outcome in failed:
                self._failure("", outcome)
        count = {result: sum(one.result == result for one in outcomes)
                 for result in ("ran", "found", "failed", "elsewhere")}  # fmt: skip
        parts = [
            (count["ran"], "run now"),
            (done + count["found"], "done before"),
            (count["failed"], "failed"),
            (count["elsewhere"], "still run by other processes"),
            (len(untouched), "not begun after the failure (fail_fast)"),
        ]
        self._print(Text("\n" + ", ".join(f"{number} {what}" for number, what in parts if number)))

    def _failure(self, counter: str, outcome: Outcome) -> None:
        first, *more = outcome.lines or ("no reason given",)
        self._print(Text.assemble(f"{counter}  ", (outcome.job.label, "bold"),
                                  ("  failed: ", "red"), first))  # fmt: skip
        for line in more:
            self._print(Text(f"{' ' * len(counter)}  {line}"))

    def _print(self, text: Text) -> None:
        self.console.print(text, highlight=False, soft_wrap=True)


def overview(table: ReportTable, width: int) -> Group:
    """A report's table with the first line of every place.

    Columns that do not fit beside each other stand below, each time after the first column: cut
    to a letter nobody can read them.

    Args:
        width: letters of a line.
    """
    label, *others = range(len(table.headings))
    blocks: list[list[int]] = [[]]
    for place in others:
        block = blocks[-1]
        if block and sum(_room(table, one) for one in (label, *block, place)) > width:
            blocks.append([place])
        else:
            block.append(place)
    grids = [_grid(table, [label, *block]) for block in blocks]
    return Group(*[part for grid in grids for part in (grid, Text())][:-1])


def _room(table: ReportTable, place: int) -> int:
    """Letters that a column takes with its margin; its heading may stand on several lines."""
    words = table.headings[place].text.split()
    cells = (row[place].lines[0] for row in table.rows)
    return max(map(cell_len, (*words, *cells))) + _MARGIN


def _grid(table: ReportTable, places: Sequence[int]) -> Table:
    grid = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _MARGIN, 0, 0))
    for place in places:
        heading = table.headings[place]
        grid.add_column(Text(heading.text), justify="right" if heading.numeric else "left",
                        vertical="bottom", width=_room(table, place) - _MARGIN)  # fmt: skip
    for row in table.rows:
        shown = (row[place] for place in places)
        grid.add_row(*(Text(one.lines[0], "bold" if one.best else "") for one in shown))
    return grid
