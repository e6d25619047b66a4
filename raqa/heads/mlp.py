"""Linear heads and multilayer perceptrons, the models of all seeds stacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Literal

import torch
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass
from torch import Tensor, nn
from torch.nn import functional

from raqa.heads.base import GradientHead, StackedModel
from raqa.heads.streams import Stream, generator

Activation = Literal["relu", "gelu", "tanh"]

_ACTIVATIONS: Mapping[Activation, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "tanh": torch.tanh,
}


class StackedMLP(StackedModel):
    """Fully connected layers of several seeds.

    Weights are `[seeds, out, in]`, biases `[seeds, 1, out]`.

    Args:
        sizes: width of the input, of every hidden layer and of the output.
        dropout: probability of a hidden unit to be dropped, applied after each activation.
    """

    def __init__(
        self, sizes: Sequence[int], seeds: Sequence[int], *, dropout: float, activation: Activation
    ) -> None:
        super().__init__()
        self.seeds = tuple(seeds)
        self.dropout = dropout
        self.activation = _ACTIVATIONS[activation]
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        draws = [generator(seed, Stream.INITIALISATION) for seed in self.seeds]
        for fan_in, fan_out in pairwise(sizes):
            # nn.Linear's initialisation: weight and bias uniform within 1 / sqrt(fan in).
            bound = fan_in**-0.5
            self.weights.append(_stacked_uniform(draws, (fan_out, fan_in), bound))
            self.biases.append(_stacked_uniform(draws, (1, fan_out), bound))

    def forward(self, inputs: Tensor) -> Tensor:
        """Map `[seeds, batch, width]` to `[seeds, outputs, batch]`."""
        # Units before batch: weight times input gives gradients in the weights' own layout, and
        # copying those of a wide head into it would take a fifth of the time.
        columns = inputs.mT
        *hidden_layers, output = zip(self.weights, self.biases, strict=True)
        for weight, bias in hidden_layers:
            columns = self.activation(torch.baddbmm(bias.mT, weight, columns))
            if self.training and self.dropout:
                columns = columns * self._dropout_factors(columns)
        weight, bias = output
        return torch.baddbmm(bias.mT, weight, columns)

    def _dropout_factors(self, like: Tensor) -> Tensor:
        """0 for a dropped unit, 1 / (1 - dropout) for a kept one, each seed from its own stream."""
        # float32 whatever the precision, so that both precisions drop the same units.
        draws = torch.empty(like.shape, dtype=torch.float32, device=like.device)
        for row, source in zip(draws, self.streams(Stream.DROPOUT, like.device), strict=True):
            row.uniform_(generator=source)
        return draws.ge_(self.dropout).div_(1 - self.dropout).to(like.dtype)


def _stacked_uniform(
    draws: Sequence[torch.Generator], shape: tuple[int, ...], bound: float
) -> nn.Parameter:
    rows = [torch.empty(shape).uniform_(-bound, bound, generator=source) for source in draws]
    return nn.Parameter(torch.stack(rows))


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class MLPHead(GradientHead):
    """A multilayer perceptron from an embedding to its outputs; linear without hidden layers.

    Attributes:
        hidden: units of every hidden layer; "width" stands for the embedding's own width.
        dropout: probability of a hidden unit to be dropped in training.
        activation: what follows each hidden layer.
    """

    hidden: tuple[Annotated[int, Field(ge=1)] | Literal["width"], ...] = ()
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    activation: Activation = "relu"

    def build(self, width: int, seeds: Sequence[int], outputs: int = 1) -> StackedMLP:
        """Make untrained models for embeddings `[width]`, each initialised from its own seed."""
        hidden = [width if size == "width" else size for size in self.hidden]
        return StackedMLP(
            [width, *hidden, outputs], seeds, dropout=self.dropout, activation=self.activation
        )
