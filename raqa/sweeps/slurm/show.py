"""Submissions and standings in the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from raqa.reports.text import count_text
from raqa.sweeps.slurm.standing import Overview, Standing, State
from raqa.sweeps.slurm.submit import Submitted

_STYLE: dict[State, str] = {
    "done": "green",
    "running": "cyan",
    "pending": "blue",
    "failed": "red",
    "damaged": "yellow",
    "missing": "dim",
}


def print_overview(seen: Overview, console: Console) -> None:
    """Print every cell with its state; below it the cause, and where its job's log is."""
    console.print(Text(f"\n{seen.plan.recipe.title}\n", style="bold"))
    width = max(len(one.planned.cell.label) for one in seen.standings)
    for one in seen.standings:
        _print_standing(one, width, console)
    for line in seen.extractions:
        _print(Text(f"\n{line}"), console)
    _print(Text(f"\n{counts_text(seen.counts, len(seen.standings))}"), console)


def print_gathered(seen: Overview, console: Console) -> None:
    """Say how many cells there are to report on, and which are not among them."""
    total = len(seen.standings)
    _print(Text(f"gathered {seen.counts.get('done', 0)} of {count_text(total, 'cell')}"), console)
    for one in seen.standings:
        if one.state != "done":
            _print(Text(f"    not yet: {one.planned.cell.label}, {one.state}"), console)


def print_submitted(done: Submitted, console: Console) -> None:
    """Say what was handed to Slurm, what was left out, and how to follow it."""
    console.print(Text(f"\n{done.before.plan.recipe.title}", style="bold"))
    before = counts_text(done.before.counts, len(done.before.standings))
    _print(Text(f"before: {before}"), console)
    for name in done.fetched:
        _print(Text(f"fetched the weights of {name}"), console)
    for one in done.left_out:
        _print(Text(f"left out: {one.planned.cell.label}", style="yellow"), console)
        for line in (*one.details, *_lacks(one)):
            _print(Text(f"    {line}"), console)
    submission = done.submission
    if submission is None:
        _print(Text("Nothing was submitted: no cell is open that can run."), console)
        return
    cells = sum(map(len, submission.packs))
    for line in (
        f"embeddings: {count_text(len(submission.extractions), 'task')}, "
        f"Slurm job {submission.job('embeddings')}",
        f"heads: {count_text(cells, 'cell')} in {count_text(len(submission.packs), 'task')}, "
        f"Slurm job {submission.job('heads')}, after the embeddings",
        f"scripts and logs: {submission.folder}",
        "`raqa status` with the same words says how far it is; nothing here has to stay open.",
    ):
        _print(Text(line), console)


def counts_text(counts: Mapping[State, int], cells: int) -> str:
    """`12 cells: 10 done, 1 running, 1 failed`."""
    states = ", ".join(f"{count} {state}" for state, count in counts.items())
    return f"{count_text(cells, 'cell')}: {states}"


def _print_standing(one: Standing, width: int, console: Console) -> None:
    label = one.planned.cell.label
    _print(Text.assemble(f"{label:{width}}  ", (one.state, _STYLE[one.state])), console)
    for line in (*one.details, *_lacks(one)):
        _print(Text(f"    {line}"), console)
    if one.log is not None and one.state in {"running", "failed"}:
        _print(Text(f"    log: {one.log}"), console)


def _lacks(one: Standing) -> list[str]:
    return [
        f"{need.kind} {need.name}: {line}" for need in one.planned.lacks for line in need.absent
    ]


def _print(text: Text, console: Console) -> None:
    console.print(text, highlight=False, soft_wrap=True)
