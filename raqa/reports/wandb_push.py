"""Push what was followed without a network to Weights & Biases: once, by W&B's own command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from raqa.errors import UserError
from raqa.reports.wandb_attempts import Attempt, find_attempts
from raqa.reports.wandb_session import first_line, require_key, unreachable

AT_ONCE = 20
"""Runs that one call of W&B's command is given; its start takes a second."""

PATIENCE_S = 600.0
"""How long one call may take; where the network goes away, the command itself never gives up."""


@dataclass(frozen=True)
class Pushed:
    """What a push did.

    Attributes:
        sent: attempts that were pushed now.
        failed: attempts that were not, and what W&B said.
        before: how many had been pushed before.
        superseded: earlier attempts of runs that were begun again; they are not pushed.
        unfinished: attempts without an end: being written, or killed.
    """

    sent: tuple[Attempt, ...]
    failed: tuple[tuple[Attempt, str], ...]
    before: int
    superseded: tuple[Attempt, ...]
    unfinished: tuple[Attempt, ...]


def push(places: Sequence[Path], advance: Callable[[int, int], None] | None = None) -> Pushed:
    """Push the last attempt of every run that has ended and was not pushed yet.

    W&B's command itself marks what it sent (`*.wandb.synced`), so a second push sends nothing,
    and a push that was interrupted goes on.

    Args:
        places: folders of runs, of W&B's files, or of one attempt.
        advance: told how many are done, and of how many.

    Raises:
        UserError: a place is no folder, there is no key, or the service can not be reached;
            nothing was pushed.
    """
    attempts = find_attempts(places)
    last = {one.run: one for one in attempts}  # a later attempt takes the place of an earlier one
    waiting = [one for one in last.values() if one.exit_code is not None and not one.pushed]
    if waiting:
        _check_service()
    sent, failed = list[Attempt](), list[tuple[Attempt, str]]()
    for begin in range(0, len(waiting), AT_ONCE):
        some = waiting[begin : begin + AT_ONCE]
        said = _sync(some)
        marked = {one.folder for one in find_attempts([one.folder for one in some]) if one.pushed}
        sent += [one for one in some if one.folder in marked]
        failed += [(one, said) for one in some if one.folder not in marked]
        if advance is not None:
            advance(begin + len(some), len(waiting))
    return Pushed(
        sent=tuple(sent),
        failed=tuple(failed),
        before=sum(one.pushed for one in last.values()),
        superseded=tuple(one for one in attempts if one not in last.values() and not one.pushed),
        unfinished=tuple(one for one in last.values() if one.exit_code is None and not one.pushed),
    )


def _check_service() -> None:
    require_key("raqa wandb push")
    if reason := unreachable():
        raise UserError(
            f"{reason}. Nothing was pushed and nothing is lost: the same command pushes it from "
            "a machine, or at a time, with a network."
        )


def _sync(attempts: Sequence[Attempt]) -> str:
    """Let W&B send some attempts.

    Returns:
        the last line that it printed.
    """
    folders = [str(one.folder) for one in attempts]
    command = [sys.executable, "-m", "wandb", "sync", "--include-online", *folders]
    try:
        done = subprocess.run(
            command,
            cwd=attempts[0].folder.parents[1],  # its own log goes to the folder wandb there
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not sent in {PATIENCE_S:.0f} s"
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    return lines[-1] if lines else first_line(f"ended with status {done.returncode}")
