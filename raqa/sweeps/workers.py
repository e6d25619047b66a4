"""Several processes that run cells, each with its libraries loaded once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from rich.console import Console

from raqa.configuration.reuse import reusing_parts
from raqa.sweeps.failure import record
from raqa.sweeps.work import Job, Outcome, run_cell

PATIENCE_S = 10.0
"""How long a process may take to end when it is told to."""


def run_here(jobs: Sequence[Job], console: Console, *, fail_fast: bool) -> Iterator[Outcome]:
    """Run jobs one after another in this process; with `fail_fast` up to the first that fails.

    Args:
        console: shows the progress of each where it is a terminal.
    """
    with reusing_parts():
        for job in jobs:
            outcome = run_cell(job, console if console.is_terminal else None)
            yield outcome
            if fail_fast and outcome.result == "failed":
                return


def run_in_processes(jobs: Sequence[Job], workers: int, *, fail_fast: bool) -> Iterator[Outcome]:
    """Run jobs in so many processes; outcomes as they come.

    A process that is killed costs the cell it was running, and a new one takes its place. With
    `fail_fast` no job is begun after one has failed; those begun are finished.
    """
    crew = _Crew(jobs, workers)
    try:
        while crew.staff():
            for outcome in crew.outcomes():
                if fail_fast and outcome.result == "failed":
                    crew.waiting.clear()
                yield outcome
    finally:
        crew.dismiss()


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job


class _Crew:
    """The processes at work and the jobs that wait for one."""

    def __init__(self, jobs: Sequence[Job], workers: int) -> None:
        self.waiting = list(jobs)
        self.size = workers
        self.busy: list[_Worker] = []
        self._context = multiprocessing.get_context("spawn")  # forks do not go with threads

    def staff(self) -> bool:
        """Give work to as many processes as there may be; False: nothing is left to wait for."""
        while self.waiting and len(self.busy) < self.size:
            job = self._next(None)
            here, there = self._context.Pipe()
            process = self._context.Process(target=_serve, args=(there, self.size), daemon=True)
            process.start()
            there.close()  # so that the end of the process is the end of the connection
            here.send(job)
            self.busy.append(_Worker(process, here, job))
        return bool(self.busy)

    def outcomes(self) -> Iterator[Outcome]:
        """Wait for processes to finish a job, and give them the next one."""
        ready = wait([worker.connection for worker in self.busy])
        for worker in [one for one in self.busy if one.connection in ready]:
            try:
                outcome: Outcome = worker.connection.recv()
            except (EOFError, ConnectionError):
                self.busy.remove(worker)
                outcome = _lost(worker)
            yield outcome
            if worker in self.busy:
                self._continue(worker)

    def dismiss(self) -> None:
        """End the processes that are still at work."""
        for worker in self.busy:
            worker.process.terminate()
        for worker in self.busy:
            worker.process.join(PATIENCE_S)
            worker.process.kill()  # nothing, where it has ended
            worker.process.join()
            worker.connection.close()

    def _continue(self, worker: _Worker) -> None:
        if self.waiting:
            worker.job = self._next(worker.job.group)
            worker.connection.send(worker.job)
            return
        self.busy.remove(worker)
        worker.connection.close()  # which tells it to end
        worker.process.join()

    def _next(self, group: str | None) -> Job:
        """A job on the same embeddings as the last one, else on those that no other works on."""
        taken = {worker.job.group for worker in self.busy}
        job = next(
            (job for job in self.waiting if job.group == group),
            next((job for job in self.waiting if job.group not in taken), self.waiting[0]),
        )
        self.waiting.remove(job)
        return job


def _lost(worker: _Worker) -> Outcome:
    """What is known of a job whose process is gone."""
    worker.process.join()
    worker.connection.close()
    code = worker.process.exitcode or 0
    how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"gone with status {code}"
    hint = " (often: memory ran out; fewer workers need less)" if -code == signal.SIGKILL else ""
    cause = f"the process that ran it was {how}{hint}."
    failure = record(worker.job.runs, worker.job.known_as, (cause,))
    return Outcome(worker.job, "failed", failure.lines())


def _serve(connection: Connection, workers: int) -> None:
    """Run the jobs that come in until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it too, and ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _share_cores(workers)
    with reusing_parts():
        while True:
            try:
                job: Job = connection.recv()
            except EOFError:
                return
            connection.send(run_cell(job))


def _end_with_parent() -> None:
    """A sweep that was killed leaves no process behind that still holds cells."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _share_cores(workers: int) -> None:
    """Divide the cores between the workers, unless the user has said how many threads."""
    if "OMP_NUM_THREADS" not in os.environ:
        import torch

        torch.set_num_threads(max(1, torch.get_num_threads() // workers))
