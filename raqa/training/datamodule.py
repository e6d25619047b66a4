"""Cached arrays as batches: every seed with its own order over the same recordings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pytorch_lightning as lightning
import torch
from torch import Tensor

from raqa.heads.data import FitData
from raqa.heads.streams import Stream, generator
from raqa.training.scaling import Scaling
from raqa.training.settings import TrainerSettings

Batch = tuple[Tensor, Tensor]

VALIDATION_ROWS = 1024  # recordings a step; bounds the memory of wide heads


class TrainBatches:
    """An epoch per iteration: inputs `[seeds, batch, width]`, labels `[seeds, batch]`.

    Each seed meets every recording once an epoch, in an order from its own stream; in an epoch
    of more batches than that the recordings come round again, each time in another order.
    """

    def __init__(
        self,
        inputs: Tensor,
        labels: Tensor,
        seeds: Sequence[int],
        batch_size: int,
        epoch_recordings: int | None = None,
    ) -> None:
        self.inputs, self.labels, self.batch_size = inputs, labels, batch_size
        self._batches = math.ceil((epoch_recordings or len(labels)) / batch_size)
        self.orders = [generator(seed, Stream.ORDER) for seed in seeds]

    def __len__(self) -> int:
        return self._batches

    def __iter__(self) -> Iterator[Batch]:
        for rows in islice(self._rounds(), self._batches):
            chosen = self.inputs.index_select(0, rows.flatten())
            yield chosen.view(*rows.shape, -1), self.labels[rows]

    def _rounds(self) -> Iterator[Tensor]:
        """Rows of one batch after the other, `[seeds, batch]`, over all recordings for ever."""
        count = len(self.labels)
        while True:
            orders = [torch.randperm(count, generator=order) for order in self.orders]
            order = torch.stack(orders).to(self.labels.device)
            yield from torch.split(order, self.batch_size, dim=1)


class ValidationBatches:
    """The same recordings for every seed: inputs `[batch, width]`, labels `[batch]` in turn."""

    def __init__(self, inputs: Tensor, labels: Tensor) -> None:
        self.inputs, self.labels = inputs, labels

    def __len__(self) -> int:
        return math.ceil(len(self.labels) / VALIDATION_ROWS)

    def __iter__(self) -> Iterator[Batch]:
        sides = (torch.split(side, VALIDATION_ROWS) for side in (self.inputs, self.labels))
        yield from zip(*sides, strict=True)


class ArraysDataModule(lightning.LightningDataModule):
    """Standardised inputs and labels of one fit, moved to the device once where they fit."""

    def __init__(
        self, data: FitData, scaling: Scaling, seeds: Sequence[int], settings: TrainerSettings
    ) -> None:
        super().__init__()
        dtype = torch.float64 if settings.precision == 64 else torch.float32
        self.seeds, self.batch_size = tuple(seeds), settings.batch_size
        self.epoch_recordings = data.epoch_recordings
        # Validation labels stay in label units: predictions are brought there before the metric.
        self.tensors = [
            torch.tensor(scaling.inputs(data.train_inputs), dtype=dtype),
            torch.tensor(scaling.labels(data.train_labels), dtype=dtype),
            torch.tensor(scaling.inputs(data.validation_inputs), dtype=dtype),
            torch.tensor(data.validation_labels, dtype=torch.float64),
        ]
        self._train_batches: TrainBatches | None = None
        self._orders: Sequence[Tensor] = ()  # where a fit that was stopped goes on

    def state_dict(self) -> dict[str, Any]:
        """How far each seed's stream of orders has come."""
        assert self._train_batches is not None
        return {"orders": [order.get_state() for order in self._train_batches.orders]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with what `state_dict` gave."""
        self._orders = state_dict["orders"]

    def setup(self, stage: str) -> None:  # noqa: ARG002
        """Move everything to the training device, unless its memory is too small for that."""
        assert self.trainer is not None
        device = self.trainer.strategy.root_device
        if _fits(self.tensors, device):
            self.tensors = [tensor.to(device) for tensor in self.tensors]

    def train_dataloader(self) -> TrainBatches:
        """Batches of the training side, shuffled per seed."""
        inputs, labels, _, _ = self.tensors
        batches = TrainBatches(inputs, labels, self.seeds, self.batch_size, self.epoch_recordings)
        if self._orders:  # of a fit that was stopped
            for order, state in zip(batches.orders, self._orders, strict=True):
                order.set_state(state)
        self._train_batches = batches
        return batches

    def val_dataloader(self) -> ValidationBatches:
        """Batches of the validation side, in order."""
        _, _, inputs, labels = self.tensors
        return ValidationBatches(inputs, labels)


def _fits(tensors: Sequence[Tensor], device: torch.device) -> bool:
    if device.type != "cuda":
        return True
    free, _ = torch.cuda.mem_get_info(device)
    # Half of it stays for parameters, gradients, optimiser state and activations.
    return sum(tensor.nbytes for tensor in tensors) < free / 2
