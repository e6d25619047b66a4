"""One cell, run or found finished, with whatever went wrong kept for the summary."""

from __future__ import annotations

import hashlib
import io
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from omegaconf import DictConfig
from rich.console import Console

from raqa.configuration.overrides import compose_choices
from raqa.reports.headline import kind_of
from raqa.reports.run_tables import Run
from raqa.reports.text import number_text, seeds_text
from raqa.run import Prepared, execute, prepare
from raqa.sweeps.claim import ClaimedError, claimed
from raqa.sweeps.failure import forget, record_error
from raqa.sweeps.places import claims_folder

Result = Literal["ran", "found", "failed", "elsewhere"]


@dataclass(frozen=True)
class Job:
    """A cell to run, in a form that other processes can be given.

    Attributes:
        name: the run folder's, where it is known before the cell's data and weights are.
        group: equal for cells on the same embeddings.
        force: run it also if it is finished.
        recipe: what it is a cell of, for trackers that group runs; empty: of none.
    """

    label: str
    overrides: tuple[str, ...]
    config_folders: tuple[Path, ...]
    runs: Path
    name: str | None
    group: str
    force: bool
    recipe: str = ""

    @property
    def known_as(self) -> str:
        """The run folder's name, or one made of what was typed."""
        if self.name is not None:
            return self.name
        digest = hashlib.sha256(repr(self.overrides).encode()).hexdigest()[:10]
        slug = re.sub(r"[^\w.=-]+", "-", self.label)
        return f"{slug}-{digest}"


@dataclass(frozen=True)
class Outcome:
    """What became of a job.

    Attributes:
        lines: the numbers, the causes of the failure, or who else is running it.
        damage: what was wrong with the files of an earlier run, which was done again.
    """

    job: Job
    result: Result
    lines: tuple[str, ...]
    seconds: float = 0.0
    damage: tuple[str, ...] = ()


def run_cell(
    job: Job, console: Console | None = None, stop: Callable[[], bool] | None = None
) -> Outcome:
    """Run a cell unless it is finished and sound, or another process is running it.

    No error of the cell leaves this function; an unexpected one leaves its traceback on disk.

    Args:
        console: where extraction and training show their progress; None: nowhere.
        stop: asked after each epoch whether to stop; the cell then goes on there next time.

    Raises:
        StoppedError: `stop` asked for it.
    """
    begun = time.monotonic()
    name = job.known_as
    try:
        config, choices = compose_choices(job.overrides, job.config_folders)
        _group_by_recipe(config, job.recipe)
        prepared = prepare(config, choices)
        name = prepared.folder.path.name
        with claimed(claims_folder(job.runs), name):
            outcome = _run_claimed(job, prepared, begun, console or _nowhere(), stop)
            forget(job.runs, name)
            return outcome
    except ClaimedError as busy:
        return Outcome(job, "elsewhere", (str(busy.owner),))
    except Exception as error:  # whatever it is, the other cells shall go on
        failure = record_error(job.runs, name, error)
        return Outcome(job, "failed", failure.lines(), time.monotonic() - begun)


def _run_claimed(
    job: Job,
    prepared: Prepared,
    begun: float,
    console: Console,
    stop: Callable[[], bool] | None,
) -> Outcome:
    folder = prepared.folder
    damage = tuple(folder.verify()) if folder.finished else ()
    if folder.finished and not damage and not job.force:
        return Outcome(job, "found", ())
    run = execute(prepared, console, stop=stop)
    return Outcome(job, "ran", (headline(run),), time.monotonic() - begun, damage)


def _group_by_recipe(config: DictConfig, recipe: str) -> None:
    """Let a logger that groups runs do so by recipe, unless the user named a group.

    Loggers are no part of a run's identity.
    """
    logger = config.get("logger") or {}
    if recipe and "group" in logger and logger["group"] is None:
        logger["group"] = recipe


def headline(run: Run) -> str:
    """The run's number and its baseline's: `MAE 8.08 ± 0.16 year, training median 16.34`."""
    number = kind_of(run).headline(run)
    value = f"{number.name} {seeds_text(number.value, number.places)} {number.unit}".rstrip()
    return f"{value}, {run.scores.baseline} {number_text(number.baseline, number.places)}"


def _nowhere() -> Console:
    return Console(file=io.StringIO(), force_terminal=False)
