"""The network of the fusion head, all seeds stacked, and what its outputs and errors mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from raqa.heads.base import StackedModel
from raqa.heads.data import FloatArray
from raqa.heads.mlp import Activation, StackedMLP
from raqa.training.objective import Minimised

AUDIO, TEXT, TARGET = range(3)
"""Columns of an input: the row of the audio, the row of the question's text, the target."""

_NEVER = -1e9
"""Logit of a label that is no answer to the question; finite, so that gradients stay numbers."""


@dataclass(frozen=True, eq=False)
class Tables:
    """What inputs point into.

    Attributes:
        audio: standardised embeddings `[recordings, width]`; None: nothing is heard.
        text: standardised embeddings of distinct questions `[texts, width]`.
        valid: bool `[targets, labels]`, which label answers which target.
        number: int64 `[targets]`, which numeric output answers the target; -1: a label does.
        numbers: how many numeric outputs there are.
    """

    audio: FloatArray | None
    text: FloatArray
    valid: NDArray[np.bool_]
    number: NDArray[np.int64]
    numbers: int

    @property
    def width(self) -> int:
        """Length of what the network sees of one question."""
        heard = 0 if self.audio is None else self.audio.shape[1]
        return int(heard + self.text.shape[1])

    @property
    def outputs(self) -> int:
        """Outputs of the network: one for each label, one for each numeric attribute."""
        return int(self.valid.shape[1] + self.numbers)


class FusionModel(StackedModel):
    """Looks audio and question up, and gives the outputs that the question's target allows.

    Its inputs are indices, so that a batch needs no more than three numbers a question.
    """

    def __init__(
        self,
        tables: Tables,
        seeds: Sequence[int],
        *,
        hidden: Sequence[int],
        dropout: float,
        activation: Activation,
    ) -> None:
        super().__init__()
        self.seeds = tuple(seeds)
        self.network = StackedMLP(
            [tables.width, *hidden, tables.outputs], seeds, dropout=dropout, activation=activation
        )
        self.labels = tables.valid.shape[1]
        self.audio: Tensor | None
        self._keep("audio", tables.audio)
        self._keep("text", tables.text)
        self.register_buffer("valid", torch.from_numpy(tables.valid), persistent=False)
        self.register_buffer("number", torch.from_numpy(tables.number), persistent=False)

    def _keep(self, name: str, table: FloatArray | None) -> None:
        made = None if table is None else torch.from_numpy(np.asarray(table, np.float32))
        self.register_buffer(name, made, persistent=False)

    def streams_state(self) -> dict[int, list[Tensor]]:
        """How far the network's streams have come."""
        return self.network.streams_state()

    def continue_streams(self, states: Mapping[int, Sequence[Tensor]]) -> None:
        """Let the network's streams go on from what `streams_state` gave."""
        self.network.continue_streams(states)

    def forward(self, inputs: Tensor) -> Tensor:
        """Map indices `[seeds, batch, 3]` to `[seeds, labels + 2, batch]`.

        The last two rows are the number that the target asks for, and whether it asks for one.
        """
        index = inputs.long()
        target = index[..., TARGET]
        seen = self.get_buffer("text")[index[..., TEXT]]
        if self.audio is not None:
            seen = torch.cat([self.audio[index[..., AUDIO]], seen], dim=-1)
        outputs = self.network(seen.to(self.network.weights[0].dtype))
        valid = self.get_buffer("valid")[target].mT
        logits = outputs[:, : self.labels].masked_fill(~valid, _NEVER)
        number = self.get_buffer("number")[target].unsqueeze(1)
        asked = number >= 0
        rows = self.labels + number.clamp(min=0)
        rows = rows.clamp(max=outputs.shape[1] - 1)  # of a set without any number
        value = outputs.gather(1, rows)
        return torch.cat([logits, value, asked.to(outputs.dtype)], dim=1)


@dataclass(frozen=True)
class FusionObjective(Minimised):
    """Cross-entropy of a label, squared error of a standardised number: their mean selects.

    A label is given as its number, a number in units of its standard deviation in training.
    """

    outputs: int
    error_name: ClassVar[str] = "loss"
    log_name: ClassVar[str] = "validation_loss"

    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Every question's loss `[seeds, batch]`."""
        from torch.nn.functional import cross_entropy

        logits, value, asked = outputs[:, :-2], outputs[:, -2], outputs[:, -1] > 0.5
        squared = (value - labels).square()
        if not logits.shape[1]:
            return squared
        label = torch.where(asked, 0, labels).long()
        rows = logits.mT.flatten(0, 1)
        entropy = cross_entropy(rows, label.flatten(), reduction="none").view(labels.shape)
        return torch.where(asked, squared, entropy)

    def error(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """The same in float64."""
        return self.loss(outputs.double(), labels.expand(len(outputs), -1))
