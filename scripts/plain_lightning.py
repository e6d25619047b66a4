"""The other side of bench_heads.py: one Lightning fit after another, as one would write it first.

The same recipe as raqa's: Adam, decay, validation and early-stopping bookkeeping after every
epoch, the best epoch's weights kept.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytorch_lightning as lightning
import torch
from pytorch_lightning.callbacks import Callback, EarlyStopping
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from raqa.heads.data import FitData
from raqa.training.settings import TrainerSettings


class PlainModule(lightning.LightningModule):
    """One seed's model as one would write it for Lightning."""

    def __init__(self, network: nn.Module, settings: TrainerSettings, label_scale: float) -> None:
        super().__init__()
        self.network, self.settings, self.label_scale = network, settings, label_scale

    def training_step(self, batch: list[Tensor], batch_idx: int) -> Tensor:  # noqa: ARG002
        """Mean squared error of one batch."""
        inputs, labels = batch
        return nn.functional.mse_loss(self.network(inputs).squeeze(1), labels)

    def validation_step(self, batch: list[Tensor], batch_idx: int) -> None:  # noqa: ARG002
        """Log the mean absolute error in label units, which early stopping watches."""
        inputs, labels = batch
        errors = (self.network(inputs).squeeze(1) - labels).abs() * self.label_scale
        self.log("validation_mae", errors.mean(), batch_size=len(labels))

    def configure_optimizers(self) -> Any:
        """Adam with the recipe's decay."""
        optimiser = torch.optim.Adam(
            self.parameters(),
            lr=self.settings.learning_rate,
            weight_decay=self.settings.weight_decay,
        )
        schedule = torch.optim.lr_scheduler.ExponentialLR(
            optimiser, self.settings.learning_rate_decay
        )
        return [optimiser], [schedule]


class KeepBest(Callback):
    """Keeps the best epoch's weights in memory."""

    best = float("inf")
    weights: dict[str, Tensor] | None = None

    def on_validation_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule
    ) -> None:
        """Copy the weights where the epoch is the best so far."""
        mae = float(trainer.callback_metrics["validation_mae"])
        if mae < self.best:
            self.best, self.weights = mae, copy.deepcopy(pl_module.state_dict())


def fit_one_by_one(
    network: Callable[[], nn.Module],
    data: FitData,
    seeds: Sequence[int],
    settings: TrainerSettings,
) -> None:
    """A plain Lightning fit for each seed on standardised inputs and labels."""
    mean, deviation = data.train_inputs.mean(0), data.train_inputs.std(0)
    label_mean, label_scale = float(data.train_labels.mean()), float(data.train_labels.std())

    def dataset(inputs: Any, labels: Any) -> TensorDataset:
        standardised = (inputs - mean) / deviation, (labels - label_mean) / label_scale
        return TensorDataset(*map(torch.from_numpy, standardised))

    train = dataset(data.train_inputs, data.train_labels)
    validation = dataset(data.validation_inputs, data.validation_labels)
    for seed in seeds:
        torch.manual_seed(seed)
        best = KeepBest()
        trainer = lightning.Trainer(
            accelerator="cpu",
            max_epochs=settings.max_epochs,
            callbacks=[EarlyStopping("validation_mae", patience=settings.patience), best],
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
        )
        module = PlainModule(network(), settings, label_scale)
        trainer.fit(
            module,
            DataLoader(train, batch_size=settings.batch_size, shuffle=True),
            DataLoader(validation, batch_size=len(validation)),
        )
        assert best.weights is not None
        module.load_state_dict(best.weights)
