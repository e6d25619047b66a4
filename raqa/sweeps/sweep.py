"""Run what of a recipe is missing, in one process or several, and say how it went."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile

from rich.console import Console

from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.sweeps.claim import ClaimedError, claimed
from raqa.sweeps.places import claims_folder
from raqa.sweeps.plan import Plan, PlannedCell, plan, runs_folder
from raqa.sweeps.recipe import Recipe
from raqa.sweeps.show import SweepScreen, plan_bar
from raqa.sweeps.work import Job, Outcome
from raqa.sweeps.workers import run_here, run_in_processes

FAILED = 1
"""Exit status: at least one cell failed."""

BUSY = 3
"""Exit status: another process is running the sweep, or a cell of it."""


@dataclass(frozen=True)
class SweepSettings:
    """How a recipe is run.

    Attributes:
        workers: processes; 1: this one.
        fail_fast: begin no cell after one has failed.
        force: also run cells that are done.
    """

    workers: int = 1
    fail_fast: bool = False
    force: bool = False


@dataclass
class Swept:
    """How a sweep went.

    Attributes:
        done: cells that were done before.
        begun: outcomes of the others, in the order in which they came.
        untouched: labels of cells that were not begun, after a failure with `fail_fast`.
    """

    done: int
    begun: list[Outcome] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)

    def of(self, result: str) -> list[Outcome]:
        """The outcomes with this result."""
        return [outcome for outcome in self.begun if outcome.result == result]

    @property
    def status(self) -> int:
        """The exit status."""
        if self.of("failed"):
            return FAILED
        return BUSY if self.of("elsewhere") else 0


def sweep(recipe: Recipe, settings: SweepSettings, console: Console) -> int:
    """Run every cell of a recipe that is not done, and print how it goes.

    Returns:
        the exit status: 0 all is done, 1 cells failed, 3 another process is at it.

    Raises:
        UserError: cells can not work as they are written; nothing was run.
    """
    screen = SweepScreen(console)
    runs = runs_folder(recipe)
    _check_writable(runs)
    try:
        with claimed(claims_folder(runs), _claim_name(recipe)):
            with plan_bar(console) as advance:
                planned = plan(recipe, advance)
            swept = _run(planned, settings, screen)
    except ClaimedError as busy:
        screen.busy(recipe.name, busy.owner)
        return BUSY
    screen.summary(swept.done, swept.begun, swept.untouched)
    return swept.status


def _run(planned: Plan, settings: SweepSettings, screen: SweepScreen) -> Swept:
    jobs = _jobs(planned, settings)
    swept = Swept(done=len(planned.cells) - len(jobs))
    screen.begin(planned, len(jobs))
    with screen.bar(len(jobs)):
        with closing(
            _outcomes(jobs, settings, screen.console)
        ) as outcomes:  # ends the workers, whatever comes
            for outcome in outcomes:
                if outcome.result != "elsewhere":
                    screen.show(outcome)
                swept.begun.append(outcome)
        swept.untouched = [job.label for job in jobs if job not in {one.job for one in swept.begun}]
        _ask_again(swept, settings, screen)
    return swept


def _ask_again(swept: Swept, settings: SweepSettings, screen: SweepScreen) -> None:
    """Take cells that others were running once more: they may have ended, or died."""
    others = swept.of("elsewhere")
    if not others or swept.untouched:
        return
    swept.begun = [outcome for outcome in swept.begun if outcome not in others]
    with closing(
        _outcomes([outcome.job for outcome in others], settings, screen.console)
    ) as outcomes:
        for outcome in outcomes:
            screen.show(outcome)
            swept.begun.append(outcome)


def _outcomes(
    jobs: Sequence[Job], settings: SweepSettings, console: Console
) -> Generator[Outcome, None, None]:
    if settings.workers == 1 or len(jobs) < 2:
        yield from run_here(jobs, console, fail_fast=settings.fail_fast)
    else:
        yield from run_in_processes(jobs, settings.workers, fail_fast=settings.fail_fast)


def _jobs(planned: Plan, settings: SweepSettings) -> list[Job]:
    """What is to be run, cells on the same embeddings next to each other, each run once.

    Cells that somebody else is running come last.
    """
    wanted = [cell for cell in planned.cells if settings.force or cell.state != "done"]
    wanted.sort(key=lambda cell: (cell.state == "running", cell.group))
    jobs = {_identity(cell): _job(planned.recipe, cell, settings) for cell in wanted}
    return list(jobs.values())


def _identity(cell: PlannedCell) -> object:
    return cell.cell.overrides if cell.folder is None else cell.folder.path


def _job(recipe: Recipe, cell: PlannedCell, settings: SweepSettings) -> Job:
    return Job(
        label=cell.cell.label,
        overrides=cell.cell.overrides,
        config_folders=recipe.config_folders,
        runs=cell.runs,
        name=None if cell.folder is None else cell.folder.path.name,
        group=cell.group,
        force=settings.force,
        recipe=recipe.slug,
    )


def _check_writable(runs: Path) -> None:
    """Refuse a runs folder that nothing can be written into.

    Raises:
        UserError: naming it and the system's reason.
    """
    try:
        make_folder(claims_folder(runs))
        with TemporaryFile(dir=claims_folder(runs)) as probe:  # a full disk can still make folders
            probe.write(bytes(4096))
    except OSError as error:
        raise UserError(
            f"paths.runs={runs}: {error.strerror or error}. Choose a folder that can be written to."
        ) from error


def _claim_name(recipe: Recipe) -> str:
    """The same for the same recipe with the same settings."""
    text = repr([cell.overrides for cell in recipe.cells])
    slug = re.sub(r"[^\w-]+", "-", recipe.path.with_suffix("").name)
    return f"sweep-{slug}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
