"""A task's share of a submission: extract, or work through the cells of a pack."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from raqa.errors import UserError
from raqa.reports.run_folder import RunFolder
from raqa.reports.run_tables import METRICS
from raqa.sweeps.claim import SILENT_S, give_up
from raqa.sweeps.failure import record
from raqa.sweeps.places import claims_folder
from raqa.sweeps.slurm.submission import (
    Extraction,
    Kind,
    Submission,
    code_digest,
    failure_since,
)
from raqa.sweeps.work import Job, Outcome
from raqa.training.interrupt import StoppedError

FAILED = 1
REFUSED = 2
ASK_AGAIN_S = 20.0
"""How often a task asks whether others have done, or dropped, the cells they were at."""

Stop = Callable[[], bool]


def do(submission: Submission, kind: Kind, index: int, stop: Stop) -> int:
    """Do a task's share, or refuse; begin nothing after `stop` says so."""
    jobs = share_of(submission, kind, index)
    try:
        check(submission)
        if kind == "embeddings":
            _extract(submission.extractions[index])
            return 0
    except UserError as error:
        for problem in error.problems:
            say(f"error: {problem}")
        for job in jobs:
            record(job.runs, job.known_as, error.problems)
        return REFUSED
    failed = _failed_before_requeue(submission, jobs)
    todo = [_unforced(submission, job) for job in jobs if job not in failed]
    results = _run(todo, stop)
    return FAILED if failed or "failed" in results else 0


def share_of(submission: Submission, kind: Kind, index: int) -> Sequence[Job]:
    """The cells of a task; of one that extracts, none."""
    return submission.packs[index] if kind == "heads" else ()


def check(submission: Submission) -> None:
    """Refuse to run other code than was submitted, or several times at once.

    Raises:
        UserError: with every reason.
    """
    from raqa.provenance import commit
    from raqa.single import check_single

    check_single()
    if code_digest(submission.extractions[0].config_folders) == submission.code:
        return
    then, now = submission.commit or "no commit", commit() or "no commit"
    raise UserError(
        f"The code or its configs have changed since this was submitted (then {then}, now {now}), "
        f"so its results would not be what was asked for. `raqa sweep {submission.recipe} --on "
        "slurm` submits again with the code as it is now."
    )


def _extract(wanted: Extraction) -> None:
    from rich.console import Console

    from raqa.configuration.overrides import compose_config
    from raqa.embed import embed

    shard = [] if wanted.shard is None else [f"embed.shard={wanted.shard}"]
    say(wanted.label)
    config = compose_config([*wanted.overrides, *shard], wanted.config_folders)
    embeddings = embed(config, Console(), place=wanted.place)
    say(f"{embeddings.computed} computed, {embeddings.reused} were there")


def _run(jobs: Sequence[Job], stop: Stop) -> set[str]:
    """Work through cells; those that others are at are asked for again until they are done."""
    from raqa.configuration.reuse import reusing_parts
    from raqa.sweeps.work import run_cell

    results = set[str]()
    patience_ends = None
    waiting = list(jobs)
    with reusing_parts():
        while waiting:
            others = []
            for job in waiting:
                if stop():
                    return results
                try:
                    outcome = run_cell(job, stop=stop)
                except StoppedError as stopped:
                    say(f"{job.label}  stopped {stopped}")
                    return results
                _say_outcome(outcome)
                results.add(outcome.result)
                others += [job] if outcome.result == "elsewhere" else []
            waiting = others
            if waiting:
                # A task that was killed on another node holds its cells until it counts as dead.
                patience_ends = patience_ends or time.monotonic() + SILENT_S + ASK_AGAIN_S
                if time.monotonic() > patience_ends:
                    break
                time.sleep(ASK_AGAIN_S)
    return results


def release(jobs: Sequence[Job]) -> None:
    """Leave no claim behind that others would have to wait for."""
    for job in jobs:
        give_up(claims_folder(job.runs), job.known_as)


def _failed_before_requeue(submission: Submission, jobs: Sequence[Job]) -> list[Job]:
    """Cells that this submission has tried; a requeued task goes on behind them."""
    return [job for job in jobs if failure_since(submission, job.runs, job.known_as)]


def _unforced(submission: Submission, job: Job) -> Job:
    """A cell that is to run although it is done does so once, however often its task begins."""
    metrics = job.runs / job.known_as / METRICS
    submitted = datetime.fromisoformat(submission.when).timestamp()
    ran = job.force and metrics.exists() and metrics.stat().st_mtime >= submitted
    return replace(job, force=False) if ran else job


def record_unfinished(jobs: Sequence[Job], why: str) -> None:
    """Every cell of the task that has no result has failed for this reason."""
    for job in jobs:
        if job.force or not RunFolder(job.runs / job.known_as).finished:
            record(job.runs, job.known_as, (why,))


def _say_outcome(outcome: Outcome) -> None:
    words = {"ran": "", "found": "finished before", "failed": "failed: ", "elsewhere": "left to "}
    text = words[outcome.result] + "; ".join(outcome.lines)
    say(f"{outcome.job.label}  {text}  {outcome.seconds:.1f} s")


def say(text: str) -> None:
    """Add a line to the task's log."""
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)
