"""The LightningModule: one seed's model, its loss over answers and its optimiser."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as lightning
import torch
from torch import Tensor
from torch.optim import Optimizer

from raqa.answering.soft_prefix.batches import Batch
from raqa.answering.soft_prefix.loaders import TrainPasses
from raqa.answering.soft_prefix.model import SoftPrefixModel
from raqa.training.module import make_optimiser
from raqa.training.settings import TrainerSettings


class SoftPrefixModule(lightning.LightningModule):
    """Trains a soft prefix; every answer counts the same, however long it is.

    Attributes:
        train_loss, validation_error: the last complete epoch's mean loss of an answer, in nat a
            token, over all processes.
    """

    strict_loading = False  # a checkpoint holds only what is trained

    def __init__(
        self, model: SoftPrefixModel, passes: TrainPasses, settings: TrainerSettings
    ) -> None:
        super().__init__()
        self.model, self.passes, self.settings = model, passes, settings
        self.train_loss = self.validation_error = float("nan")
        # Sum of losses and how many: float64, so that where a fit was stopped leaves no trace.
        self.trained_sum = torch.zeros(2, dtype=torch.float64)
        self._validated_sum = torch.zeros(2, dtype=torch.float64)

    def training_step(self, batch: Batch, batch_idx: int) -> Tensor:
        """The part of the step's mean loss that this pass of this process gives."""
        position, place = self.passes.position, self.passes.place
        done = position.step * self.passes.passes + batch_idx % self.passes.passes
        self.model.source.begin(self.passes.seed, self.device, position.epoch, done, place.rank)
        losses = self.model(batch) * batch.weights
        self.trained_sum += _sums(losses, batch)
        # Lightning divides by the number of passes, the mean over processes by theirs.
        share: Tensor = losses.sum() * (place.ranks * self.passes.passes / batch.step_rows)
        return share

    def validation_step(self, batch: Batch, batch_idx: int) -> None:  # noqa: ARG002
        """Add up the answers' losses."""
        self._validated_sum += _sums(self.model(batch) * batch.weights, batch)

    def on_train_epoch_start(self) -> None:
        """Set the epoch's learning rate: a power of the decay, whatever came before."""
        optimiser = self.optimizers()
        assert isinstance(optimiser, Optimizer | lightning.core.optimizer.LightningOptimizer)
        for group in optimiser.param_groups:
            decay = self.settings.learning_rate_decay**self.passes.position.epoch
            group["lr"] = self.settings.learning_rate * decay

    def on_validation_epoch_end(self) -> None:
        """Close the epoch; validation is its last part, so the training steps are complete."""
        self.train_loss = self._mean(self.trained_sum)
        self.validation_error = self._mean(self._validated_sum)
        self.trained_sum, self._validated_sum = (
            torch.zeros_like(one) for one in (self.trained_sum, self._validated_sum)
        )

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what is trained, and nothing else of the model."""
        names = {f"model.{name}" for name in self.model.trained}
        state = checkpoint["state_dict"]
        checkpoint["state_dict"] = {name: state[name] for name in state if name in names}
        gathered = self.trainer.strategy.all_gather(self.trained_sum.to(self.device))
        checkpoint["trained_sums"] = gathered.view(self.passes.place.ranks, 2)

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on with this process's sum of the epoch."""
        self.trained_sum = checkpoint["trained_sums"][self.passes.place.rank].clone()

    def configure_optimizers(self) -> Optimizer:
        """The optimiser that the settings name, over what is trained."""
        return make_optimiser(self.model.trained.values(), self.settings)

    def _mean(self, sums: Tensor) -> float:
        """The mean over all processes."""
        reduced = self.trainer.strategy.reduce(sums.to(self.device), reduce_op="sum")
        total, count = reduced.tolist()
        return float(total / count)


def _sums(losses: Tensor, batch: Batch) -> Tensor:
    both = torch.stack([losses.detach().double().sum(), batch.weights.double().sum()])
    return both.cpu()
