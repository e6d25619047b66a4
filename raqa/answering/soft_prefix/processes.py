"""Several processes that train together, one for each device; one of them writes.

They are started here and not by Lightning, so that a run stays one process to everything else:
only this one asks whether to stop, talks to the user and writes the run's folder.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import queue
import socket
import traceback
from dataclasses import replace
from typing import Any, NamedTuple

from raqa.answering.soft_prefix.fit import Job, Outcome, train_seeds
from raqa.answering.soft_prefix.loaders import Place
from raqa.answering.soft_prefix.selection import Events
from raqa.errors import UserError
from raqa.training.interrupt import StoppedError
from raqa.training.settings import processes

ASKED_EVERY_S = 0.2


class Told(NamedTuple):
    """What a process says: one of the events, or how it ended."""

    what: str
    content: tuple[Any, ...]


def train_together(job: Job, events: Events) -> Outcome:
    """Train in as many processes as the settings have devices.

    Raises:
        UserError: as train_seeds does, or a process died.
        StoppedError: asked for.
    """
    context = multiprocessing.get_context("spawn")
    told, stop = context.Queue(), context.Event()
    ranks, port = processes(job.settings), _free_port()
    started = [
        context.Process(target=_work, args=(job, Place(rank, ranks), port, told, stop), daemon=True)
        for rank in range(ranks)
    ]
    for process in started:
        process.start()
    try:
        while True:
            if events.stop is not None and events.stop():
                stop.set()
            try:
                said = told.get(timeout=ASKED_EVERY_S)
            except queue.Empty:
                if not all(process.is_alive() or process.exitcode == 0 for process in started):
                    codes = [process.exitcode for process in started]
                    raise UserError(
                        f"A process that trained on one of {ranks} devices died (exit codes "
                        f"{codes}); was memory too small? Lower head.rows_at_a_time."
                    ) from None
                continue
            outcome = _heard(Told(*said), events)
            if outcome is not None:
                return outcome
    finally:
        for process in started:
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()
                process.join()


def _heard(said: Told, events: Events) -> Outcome | None:
    """Pass an event on; the outcome ends the training."""
    if said.what in {"epoch", "step", "say"}:
        getattr(events, said.what)(*said.content)
        return None
    if said.what == "stopped":
        raise StoppedError(*said.content)
    if said.what == "refused":
        raise UserError(*said.content)
    if said.what == "failed":
        raise RuntimeError(*said.content)
    outcome: Outcome = said.content[0]
    return outcome


def _work(job: Job, place: Place, port: int, told: Any, stop: Any) -> None:
    """One process: its place is told to Lightning by the environment, as torchrun would."""
    os.environ.update(
        MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), LOCAL_RANK=str(place.rank),
        NODE_RANK="0", WORLD_SIZE=str(place.ranks),
    )  # fmt: skip
    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # it names every process
    first = place.rank == 0

    def tell(what: str, *content: Any) -> None:
        if first:
            told.put(Told(what, content))

    events = Events(
        epoch=lambda row: tell("epoch", row),
        step=lambda *reached: tell("step", *reached),
        say=lambda text: tell("say", text),
        stop=stop.is_set,
    )
    try:
        outcome = train_seeds(job, job.head.language(), events, place)
        tell("done", replace(outcome, model=None))
    except StoppedError as stopped:
        tell("stopped", *stopped.args)
    except UserError as error:
        told.put(Told("refused", (list(error.problems),)))
    except Exception:
        told.put(Told("failed", (traceback.format_exc(),)))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
