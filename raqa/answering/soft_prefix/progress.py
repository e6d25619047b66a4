"""Follows a training from the process that asked for it: the bar, the loggers, the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import polars as pl
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from raqa.answering.base import Fitting, QuestionPairs
from raqa.answering.soft_prefix.fit import Job, frames_of, train_seeds
from raqa.answering.soft_prefix.fitted import FittedSoftPrefix
from raqa.answering.soft_prefix.selection import Events, Row
from raqa.training.history import HISTORY
from raqa.training.loop import say_to
from raqa.training.settings import processes

if TYPE_CHECKING:
    from raqa.answering.soft_prefix.head import SoftPrefixHead


def follow(
    head: SoftPrefixHead, train: QuestionPairs, validation: QuestionPairs, fitting: Fitting
) -> FittedSoftPrefix:
    """Train in this process, or in several on several devices, and collect what they leave."""
    job = Job(head, train, validation, tuple(fitting.seeds), fitting.settings, fitting.checkpoint)
    with Follower(fitting) as follower:
        if processes(fitting.settings) == 1:
            outcome = train_seeds(job, head.language(), follower.events)
        else:
            from raqa.answering.soft_prefix.processes import train_together

            outcome = train_together(job, follower.events)
    shape = frames_of(train.audio).shape[1:]
    model = outcome.model or head.model(head.language(), shape)
    if fitting.settings.precision == 64:
        model.double()
    history = pl.DataFrame(outcome.rows, schema=dict(HISTORY), orient="row")
    return FittedSoftPrefix(
        head=head,
        model=model,
        shape=shape,
        scaling=outcome.scaling,
        parameters=outcome.parameters,
        history=history.sort("seed", "epoch"),
        device=outcome.device,
    )


class Follower:
    """Shows a bar and tells the loggers while a training goes on.

    Loggers count epochs over all seeds, since these are trained one after another.
    """

    def __init__(self, fitting: Fitting) -> None:
        self.fitting = fitting
        self._epochs = 0
        console = fitting.console
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("steps, {task.fields[state]}"),
            console=console or Console(quiet=True),
            transient=True,
            refresh_per_second=4,
            disable=console is None or not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None, state="")
        self._best: dict[int, float] = {}

    @property
    def events(self) -> Events:
        """What a training is to call."""
        return Events(
            epoch=self._epoch, step=self._step, say=say_to(self.fitting.console),
            stop=self.fitting.stop,
        )  # fmt: skip

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def _step(self, seed: int, epoch: int, done: int, steps: int) -> None:
        best = f", best validation loss {self._best[seed]:.3g}" if seed in self._best else ""
        state = f"epoch {epoch} of seed {seed}{best}"
        self._bar.update(self._task, completed=done, total=steps, state=state)

    def _epoch(self, row: Row) -> None:
        seed, epoch, loss, error = row
        self._epochs += 1
        if error is not None:
            self._best[seed] = min(error, self._best.get(seed, error))
        measured = {
            f"train_loss/seed_{seed}": loss,
            f"validation_loss/seed_{seed}": error,
            "epoch": float(epoch),
        }
        metrics = {name: value for name, value in measured.items() if value is not None}
        for logger in self.fitting.loggers:
            logger.log_metrics(metrics, step=self._epochs)
