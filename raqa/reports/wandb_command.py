"""`raqa wandb ...` as it is typed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from raqa.reports.wandb_push import Pushed

FAILED = 1
"""Exit status: something was not pushed."""

app = typer.Typer(
    help="Weights & Biases: push what was followed without a network.\n\n"
    "`python train.py logger=wandb` shows a run while it is trained (`wandb login` once, or "
    "WANDB_API_KEY). `logger=wandb_offline`, or logger=wandb where the service can not be reached, "
    "keeps it in files below the runs folder, and `raqa wandb push` sends those. "
    "`raqa report RECIPE --wandb` adds a paper's table.",
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Keep `push` a command of its own, though it is the only one."""


@app.command()
def push(
    places: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUNS", help="The runs folder (by default paths.runs), or several."),
    ] = None,
) -> None:
    """Send runs that were followed offline; each once, however often this is called.

    Of a run that was interrupted and begun again the last attempt is sent, which has everything.
    Runs that are still being written are left for later. Nothing is deleted.

    Exit status: 0 all was pushed, 1 something was not, 2 no key, no network, or a mistake.
    """
    from rich.progress import Progress

    from raqa.configuration.overrides import compose_config
    from raqa.reports.wandb_push import push as push_runs

    where = places or [Path(compose_config([]).paths.runs)]
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task("pushing", total=None)
        pushed = push_runs(
            where, lambda done, total: progress.update(task, completed=done, total=total)
        )
    _print(pushed, Console())
    if pushed.failed:
        sys.exit(FAILED)


def _print(pushed: Pushed, console: Console) -> None:
    lines = [f"pushed  {one.run}" for one in pushed.sent]
    lines += [f"[red]failed[/red]  {one.run}: {escape(said)}" for one, said in pushed.failed]
    lines += [
        f"[yellow]left[/yellow]    {one.run}: it is still being written, or its process was killed "
        "and the run not begun again"
        for one in pushed.unfinished
    ]
    counts = f"{len(pushed.sent)} pushed, {pushed.before} before"
    if pushed.failed:
        counts += f", {len(pushed.failed)} failed; the same command tries them again"
    if pushed.superseded:
        counts += f"; {len(pushed.superseded)} earlier attempts are not needed"
    for line in [*lines, counts]:
        console.print(line, highlight=False, soft_wrap=True)
