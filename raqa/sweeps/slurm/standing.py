"""How far each cell is, from the runs, from what was submitted, and from Slurm."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from raqa.sweeps.plan import Advance, Plan, PlannedCell, plan, runs_folder
from raqa.sweeps.recipe import Recipe
from raqa.sweeps.slurm import scheduler
from raqa.sweeps.slurm.scheduler import Place, Queued
from raqa.sweeps.slurm.submission import Submission, failure_since, submissions

State = Literal["done", "running", "pending", "failed", "damaged", "missing"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True)
class Standing:
    """A cell and how far it is.

    Attributes:
        state: "pending": Slurm has it, and it has not begun.
        details: who runs it, what it waits for, why it failed.
        log: of the job that has or had it; None: it was not submitted.
    """

    planned: PlannedCell
    state: State
    details: tuple[str, ...]
    log: Path | None = None


@dataclass(frozen=True)
class Overview:
    """All cells of a recipe, and how the arrays with their embeddings are."""

    plan: Plan
    standings: tuple[Standing, ...]
    extractions: tuple[str, ...]

    @property
    def counts(self) -> Mapping[State, int]:
        """How many cells are in each state that there is."""
        counted = Counter(one.state for one in self.standings)
        return {state: counted[state] for state in STATES if counted[state]}


def overview(recipe: Recipe, advance: Advance | None = None) -> Overview:
    """Look at every cell of a recipe.

    Raises:
        UserError: cells can not work as they are written, or Slurm is needed and does not answer.
    """
    # Before the runs: a cell that ends in between is found done, not gone.
    asked = shutil.which("squeue") and any(submissions(runs_folder(recipe)))
    known = scheduler.queued() if asked else None
    planned = plan(recipe, advance)
    desk = _Desk(known)
    standings = tuple(desk.standing(cell) for cell in planned.cells)
    return Overview(planned, standings, tuple(desk.extractions()))


class _Desk:
    """Looks up cells; each submission is read, and Slurm asked about each array, once."""

    def __init__(self, queued: Mapping[Place, Queued] | None) -> None:
        self._queued = queued
        self._newest: dict[Path, dict[str, tuple[Submission, int]]] = {}
        self._seen: dict[str, Submission] = {}
        self._ended = cache(scheduler.ended)

    def standing(self, cell: PlannedCell) -> Standing:
        """How far one cell is."""
        if cell.folder is None:
            return Standing(cell, cell.state, cell.details)
        found = self._submitted(cell.runs).get(cell.folder.path.name)
        if found is None:
            return Standing(cell, cell.state, cell.details)
        submission, index = found
        log = submission.log("heads", index)
        self._seen[submission.name] = submission
        if cell.state in {"done", "running", "damaged"}:
            return Standing(cell, cell.state, cell.details, log)
        if failure := failure_since(submission, cell.runs, cell.folder.path.name):
            return Standing(cell, "failed", failure.lines(), log)
        return Standing(cell, *self._without_result(submission, index), log)

    def extractions(self) -> Sequence[str]:
        """For each submission of cells that were looked up, how its embeddings are."""
        lines = []
        for submission in self._seen.values():
            job = submission.job("embeddings")
            if job is None:
                continue
            states = Counter[str]()
            for index in range(len(submission.extractions)):
                waiting = self._in_queue((submission.job_name("embeddings"), index))
                if waiting is not None:
                    states["pending" if waiting.waits else "running"] += 1
                    continue
                end = self._ended(job).get(index)
                fine = end is None or end.state == "COMPLETED"
                states[
                    "ended" if fine else f"failed, see {submission.log('embeddings', index)}"
                ] += 1
            text = ", ".join(f"{count} {state}" for state, count in states.items())
            lines.append(f"embeddings, job {job}: {text}")
        return lines

    def _without_result(self, submission: Submission, index: int) -> tuple[State, tuple[str, ...]]:
        """What Slurm says of a cell that left neither a result nor a cause."""
        waiting = self._in_queue((submission.job_name("heads"), index))
        if waiting is not None:
            why = f"waits: {waiting.reason}" if waiting.waits else "its task runs other cells"
            return "pending", (f"Slurm job {waiting.job} {why}",)
        job = submission.job("heads")
        if job is None:
            return "missing", ("the submission ended before this cell was handed to Slurm",)
        end = self._ended(job).get(index)
        return "failed", (
            f"Slurm job {job}_{index} has ended without a result" if end is None else str(end),
        )

    def _in_queue(self, place: Place) -> Queued | None:
        if self._queued is None:
            scheduler.check_here()
        return (self._queued or {}).get(place)

    def _submitted(self, runs: Path) -> Mapping[str, tuple[Submission, int]]:
        """Of every cell that was submitted the newest submission, and the task that has it."""
        if runs not in self._newest:
            newest: dict[str, tuple[Submission, int]] = {}
            for submission in submissions(runs):
                for index, pack in enumerate(submission.packs):
                    for job in pack:
                        newest.setdefault(job.known_as, (submission, index))
            self._newest[runs] = newest
        return self._newest[runs]
