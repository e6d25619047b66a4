"""Dropout from a seed's own generator, which begins anew at every step.

Nothing of it has to be kept for a fit to go on after a stop: the seed and the step say it all.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from raqa.heads.streams import Stream, generator


class DropoutSource:
    """The generator that all dropout layers of one model draw from, one after another."""

    def __init__(self) -> None:
        self.generator: torch.Generator | None = None

    def begin(self, seed: int, device: torch.device, *place: int) -> None:
        """Begin anew.

        Args:
            place: whole numbers that differ for every forward pass.
        """
        self.generator = generator(seed, Stream.DROPOUT, device, place)


class SeededDropout(nn.Module):
    """What nn.Dropout does, without the global generator."""

    def __init__(self, probability: float, source: DropoutSource) -> None:
        super().__init__()
        self.probability, self.source = probability, source

    def forward(self, inputs: Tensor) -> Tensor:
        """Drop values in training; the rest grows, so that the mean stays."""
        if not self.training or not self.probability:
            return inputs
        # float32 whatever the precision, so that both precisions drop the same values.
        draws = torch.empty(inputs.shape, dtype=torch.float32, device=inputs.device)
        draws.uniform_(generator=self.source.generator)
        kept = draws.ge_(self.probability).div_(1 - self.probability)
        return inputs * kept.to(inputs.dtype)
