"""What happens after each epoch: best weights and early stopping per seed, logs, the bar."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytorch_lightning as lightning
import torch
from pytorch_lightning.callbacks import Callback
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from torch import Tensor

from raqa.heads.base import StackedModel
from raqa.training.history import HISTORY, epoch_metrics
from raqa.training.module import SideBySide


class SeedSelection(Callback):
    """Keeps each seed's best epoch and ends training when no seed has improved for long enough.

    A seed stops after `patience` epochs in a row without a lower validation error. It is still
    computed along with the others, but nothing of it is kept any more.

    Attributes:
        best: the parameters of each seed's best epoch, stacked like the model's.
        training: bool `[seeds]`, which seeds have not stopped.
        best_error: float64 `[seeds]`; infinite before the first finite epoch.
    """

    def __init__(self, model: StackedModel, patience: int) -> None:
        self.seeds, self.patience = model.seeds, patience
        self.best = {name: value.detach().clone() for name, value in model.named_parameters()}
        self.training = torch.ones(len(self.seeds), dtype=torch.bool)
        self.best_error = torch.full((len(self.seeds),), math.inf, dtype=torch.float64)
        self._waited = torch.zeros(len(self.seeds), dtype=torch.int64)
        self._rows: list[tuple[int, int, float | None, float | None]] = []

    def on_fit_start(self, _: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Put the kept parameters where the model's are, in its precision."""
        assert isinstance(pl_module, SideBySide)
        self.best = {
            name: self.best[name].to(value) for name, value in pl_module.model.named_parameters()
        }

    def on_train_start(self, trainer: lightning.Trainer, _: lightning.LightningModule) -> None:
        """Train nothing where a checkpoint holds seeds that have all stopped."""
        trainer.should_stop = not bool(self.training.any())

    def state_dict(self) -> dict[str, Any]:
        """Everything that a fit which was stopped goes on with."""
        return {
            "best": self.best,
            "training": self.training,
            "best_error": self.best_error,
            "waited": self._waited,
            "rows": self._rows,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with what `state_dict` gave."""
        self.best, self._rows = state_dict["best"], state_dict["rows"]
        self.training, self.best_error = state_dict["training"], state_dict["best_error"]
        self._waited = state_dict["waited"]

    def on_validation_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule
    ) -> None:
        """Judge the epoch that has just been validated."""
        assert isinstance(pl_module, SideBySide)
        epoch = trainer.current_epoch + 1
        self.judge(epoch, pl_module.model, pl_module.train_loss, pl_module.validation_error)
        trainer.should_stop = not bool(self.training.any())

    def judge(self, epoch: int, model: StackedModel, loss: Tensor, error: Tensor) -> None:
        """Record the epoch of every seed in training, keep what improved, stop what waited."""
        for index in self.training.nonzero().flatten().tolist():
            row = (self.seeds[index], epoch, _finite(loss[index]), _finite(error[index]))
            self._rows.append(row)
        improved = self.training & (error < self.best_error)
        self.best_error = torch.where(improved, error, self.best_error)
        self._waited = torch.where(improved, 0, self._waited + 1)
        for name, value in model.named_parameters():
            for index in improved.nonzero().flatten().tolist():
                self.best[name][index].copy_(value.detach()[index])
        self.training &= self._waited < self.patience

    @property
    def history(self) -> pl.DataFrame:
        """HISTORY columns; a seed's rows end where it stopped."""
        return pl.DataFrame(self._rows, schema=dict(HISTORY), orient="row").sort("seed", "epoch")


class EpochLog(Callback):
    """Tells the loggers of each epoch; the step is the epoch, from 1."""

    def __init__(self, selection: SeedSelection, error_name: str) -> None:
        self.selection, self.error_name = selection, error_name

    def on_validation_end(self, trainer: lightning.Trainer, _: lightning.LightningModule) -> None:
        """Log the epoch just judged."""
        epoch = trainer.current_epoch + 1
        rows = self.selection.history.filter(pl.col("epoch") == epoch)
        metrics = epoch_metrics(rows, self.error_name)
        for logger in trainer.loggers:
            logger.log_metrics(metrics, step=epoch)


class EpochBar(Callback):
    """One line on the console: epochs, best validation error so far, seeds still in training."""

    def __init__(self, console: Console, selection: SeedSelection, error_name: str) -> None:
        self.selection, self.error_name = selection, error_name
        self.progress = Progress(
            TextColumn("training"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("epochs, {task.fields[state]}"),
            console=console,
            transient=True,
            refresh_per_second=4,
            disable=not console.is_terminal,
        )
        self.task = TaskID(0)

    def on_fit_start(self, trainer: lightning.Trainer, _: lightning.LightningModule) -> None:
        """Show the bar."""
        self.task = self.progress.add_task(
            "", total=trainer.max_epochs, completed=trainer.current_epoch, state=""
        )
        self.progress.start()

    def on_validation_end(self, *_: Any) -> None:
        """Advance by the epoch just judged."""
        best, training = self.selection.best_error.mean().item(), self.selection.training
        seeds = f"{int(training.sum())} seed(s) in training"
        state = f"best validation {self.error_name} {best:.3g}, {seeds}"
        self.progress.update(self.task, advance=1, state=state)

    def on_fit_end(self, *_: Any) -> None:
        """Take the bar away."""
        self.progress.stop()

    def on_exception(self, *_: Any) -> None:
        """Take the bar away, so that the message is not overwritten."""
        self.progress.stop()


def _finite(value: Tensor) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
