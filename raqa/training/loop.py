"""One Lightning fit of all seeds side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning
import torch
from lightning_fabric.plugins.environments.lightning import LightningEnvironment
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import Logger
from rich.console import Console

from raqa.errors import UserError
from raqa.heads.base import GradientHead
from raqa.heads.data import FitData
from raqa.training.callbacks import EpochBar, EpochLog, SeedSelection
from raqa.training.checkpoint import CheckpointFile, Say, Stopping
from raqa.training.datamodule import ArraysDataModule
from raqa.training.fingerprint import fingerprint
from raqa.training.module import SideBySide
from raqa.training.objective import Minimised
from raqa.training.quiet import quiet_lightning, torch_flags_restored
from raqa.training.scaling import Scaling
from raqa.training.settings import TrainerSettings, processes
from raqa.training.threads import threads_that_pay


def train(
    head: GradientHead,
    data: FitData,
    seeds: Sequence[int],
    scaling: Scaling,
    settings: TrainerSettings,
    *,
    objective: Minimised,
    loggers: Sequence[Logger],
    console: Console | None,
    checkpoint: Path | None,
    stop: Callable[[], bool] | None,
) -> SeedSelection:
    """Train and return what each seed's best epoch left.

    Raises:
        UserError: the device is not there, or a seed had no epoch with a finite validation error.
        StoppedError: `stop` asked for it.
    """
    arguments = trainer_arguments(settings)
    if processes(settings) > 1:
        raise UserError(
            f"trainer.devices={settings.devices}: {type(head).__name__} is too small to be worth "
            "several devices. Set trainer.devices=1, or the number of one GPU in brackets."
        )
    model = head.build(data.width, seeds, objective.outputs)
    if settings.precision == 64:  # Lightning would do so after a checkpoint was read into it
        model.double()
    selection = SeedSelection(model, settings.patience)
    callbacks: list[Callback] = [selection]
    if loggers:
        callbacks.append(EpochLog(selection, objective.log_name))
    if console is not None:
        callbacks.append(EpochBar(console, selection, objective.error_name))
    file = None
    if checkpoint is not None:
        belongs = fingerprint(head, data, seeds, settings, arguments["accelerator"])
        file = CheckpointFile(checkpoint, belongs, say_to(console))
        arguments["plugins"].append(file)
    callbacks.append(Stopping(file, stop))
    found = file is not None and file.found()
    rows = min(settings.batch_size, len(data.train_labels))
    with torch_flags_restored(), quiet_lightning(), threads_that_pay(model, rows):
        trainer = lightning.Trainer(**arguments, callbacks=callbacks, logger=list(loggers) or False)
        trainer.fit(
            SideBySide(model, objective, settings),
            datamodule=ArraysDataModule(data, scaling, seeds, settings),
            ckpt_path=checkpoint if found else None,
        )
    best = zip(seeds, selection.best_error, strict=True)
    diverged = [seed for seed, error in best if error.isinf()]
    if diverged:
        raise UserError(
            f"Training diverged for seed(s) {', '.join(map(str, diverged))}: no epoch had a finite "
            f"validation {objective.error_name} at learning_rate {settings.learning_rate:g}. Lower "
            "it, or set gradient_clip_norm."
        )
    return selection


def trainer_arguments(settings: TrainerSettings) -> dict[str, Any]:
    """What the settings and raqa's ways mean to a Lightning Trainer.

    Raises:
        UserError: the device asked for is not there.
    """
    return {
        **_device(settings),
        "precision": f"{settings.precision}-true",
        "max_epochs": settings.max_epochs,
        "deterministic": True,
        # One process, one device: Slurm's variables are the launcher's business.
        "plugins": [LightningEnvironment()],
        "num_sanity_val_steps": 0,
        "log_every_n_steps": 1,  # epochs are logged; fewer steps than the default would warn
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }


def say_to(console: Console | None) -> Say:
    """Tell the user on the console, or as a warning where there is none."""
    if console is None:
        return partial(warnings.warn, stacklevel=2)
    return partial(console.print, highlight=False, markup=False, soft_wrap=True)


def _device(settings: TrainerSettings) -> dict[str, Any]:
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    accelerator = settings.accelerator
    if accelerator == "auto":
        accelerator = "cuda" if found else "cpu"
    if accelerator == "cpu":
        return {"accelerator": "cpu", "devices": processes(settings)}
    devices = settings.devices
    wanted = list(range(devices)) if isinstance(devices, int) else devices
    absent = [device for device in wanted if device >= found]
    if absent:
        raise UserError(
            f"There is no CUDA device {absent[0]}: {found} found. Choose accelerator auto or cpu, "
            "or another device."
        )
    return {"accelerator": "cuda", "devices": wanted}
