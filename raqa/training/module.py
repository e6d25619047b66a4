"""The LightningModule: the models of all seeds, one loss for each, one optimiser for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytorch_lightning as lightning
import torch
from pytorch_lightning.utilities.types import OptimizerLRSchedulerConfig
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import ExponentialLR

from raqa.heads.base import StackedModel
from raqa.training.datamodule import Batch
from raqa.training.objective import Minimised
from raqa.training.settings import TrainerSettings


class SideBySide(lightning.LightningModule):
    """Trains stacked models; no seed's loss, gradient or update depends on another seed.

    Attributes:
        train_loss: float64 `[seeds]`, the epoch's mean loss.
        validation_error: float64 `[seeds]`, the epoch's mean validation error.
    """

    def __init__(
        self, model: StackedModel, objective: Minimised, settings: TrainerSettings
    ) -> None:
        super().__init__()
        self.model, self.objective, self.settings = model, objective, settings
        self.train_loss = self.validation_error = torch.empty(0)
        self._losses: list[Tensor] = []
        self._errors: list[Tensor] = []
        self._train_count = self._validation_count = 0

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:  # noqa: ARG002
        """The sum of the seeds' losses, so that each seed's gradient is that of its own loss."""
        inputs, labels = batch
        losses = self.objective.loss(self.model(inputs), labels)
        self._losses.append(losses.detach().sum(dim=1))
        self._train_count += labels.shape[1]
        return losses.mean(dim=1).sum()

    def validation_step(self, batch: Batch, batch_idx: int) -> None:  # noqa: ARG002
        """Add up the recordings' errors."""
        inputs, labels = batch
        outputs = self.model(inputs.expand(len(self.model.seeds), -1, -1))
        self._errors.append(self.objective.error(outputs, labels).sum(dim=1))
        self._validation_count += len(labels)

    def on_validation_epoch_end(self) -> None:
        """Close the epoch; validation is its last part, so the training steps are complete."""
        self.train_loss = torch.stack(self._losses).double().sum(dim=0).cpu() / self._train_count
        self.validation_error = torch.stack(self._errors).sum(dim=0).cpu() / self._validation_count
        self._losses, self._errors = [], []
        self._train_count = self._validation_count = 0

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add how far the model's random streams have come."""
        checkpoint["streams"] = self.model.streams_state()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Let the model's random streams go on from there."""
        self.model.continue_streams(checkpoint["streams"])

    def configure_optimizers(self) -> OptimizerLRSchedulerConfig:
        """The optimiser over all seeds and a learning rate that decays each epoch."""
        optimiser = make_optimiser(self.model.parameters(), self.settings)
        schedule = ExponentialLR(optimiser, self.settings.learning_rate_decay)
        return {
            "optimizer": optimiser,
            "lr_scheduler": {"scheduler": schedule, "interval": "epoch"},
        }

    def configure_gradient_clipping(self, *_: Any, **__: Any) -> None:
        """Clip each seed's gradient by its own norm; Lightning would take all seeds together."""
        if self.settings.gradient_clip_norm is not None:
            clip_per_seed(self.model, self.settings.gradient_clip_norm)


def make_optimiser(parameters: Iterable[nn.Parameter], settings: TrainerSettings) -> Optimizer:
    """The optimiser that the settings name; all of them work element by element."""
    kinds: dict[str, Callable[..., Optimizer]] = {
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "sgd": torch.optim.SGD,
    }
    return kinds[settings.optimizer](
        parameters,
        lr=settings.learning_rate,
        weight_decay=settings.weight_decay,
        fused=True,
    )


def clip_per_seed(model: StackedModel, longest: float) -> None:
    """Shorten each seed's gradient, over all its parameters, to at most `longest`."""
    gradients = [one.grad for one in model.parameters() if one.grad is not None]
    squares = torch.stack([gradient.flatten(1).square().sum(dim=1) for gradient in gradients])
    factors = (longest / squares.sum(dim=0).sqrt()).clamp(max=1)
    for gradient in gradients:
        gradient.mul_(factors.view(-1, *[1] * (gradient.ndim - 1)))
