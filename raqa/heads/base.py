"""What a head is: a recipe for a model on embeddings, and the fitted models of all seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn

from raqa.heads.abilities import Abilities
from raqa.heads.data import FitData, FloatArray
from raqa.heads.streams import Stream, generator
from raqa.tables import TaskKind

BOTH: tuple[TaskKind, ...] = ("regression", "classification")


class StackedModel(nn.Module, ABC):
    """The models of several seeds as one module; every parameter's first dimension is the seed."""

    seeds: tuple[int, ...]

    def __init__(self) -> None:
        super().__init__()
        self._streams: dict[Stream, list[torch.Generator]] = {}
        self._continued: dict[Stream, list[Tensor]] = {}

    @abstractmethod
    def forward(self, inputs: Tensor) -> Tensor:
        """Map `[seeds, batch, width]` to `[seeds, outputs, batch]`."""

    def streams(self, use: Stream, device: torch.device) -> list[torch.Generator]:
        """Each seed's generator for what happens in training, dropout for example.

        A fit that is stopped goes on with these; random numbers from elsewhere would begin anew.
        """
        if use not in self._streams:
            made = [generator(seed, use, device) for seed in self.seeds]
            if use in self._continued:
                for source, state in zip(made, self._continued.pop(use), strict=True):
                    source.set_state(state)
            self._streams[use] = made
        return self._streams[use]

    def streams_state(self) -> dict[int, list[Tensor]]:
        """How far the streams have come."""
        reached = {use: [one.get_state() for one in made] for use, made in self._streams.items()}
        return {int(use): states for use, states in {**self._continued, **reached}.items()}

    def continue_streams(self, states: Mapping[int, Sequence[Tensor]]) -> None:
        """Let the streams go on from what `streams_state` gave."""
        self._continued = {Stream(use): list(one) for use, one in states.items()}
        self._streams.clear()


class GradientHead(Abilities, ABC):
    """A head that Lightning trains by gradient descent, all seeds side by side."""

    kinds: ClassVar[tuple[TaskKind, ...]] = BOTH

    @abstractmethod
    def build(self, width: int, seeds: Sequence[int], outputs: int = 1) -> StackedModel:
        """Make untrained models, each initialised from its seed's own generator.

        The global random generator is neither read nor moved.

        Args:
            outputs: 1 for a number, one for each class of a classification.
        """


class DirectHead(Abilities, ABC):
    """A head with a fit of its own, in which nothing is random (a constant, closed form, ...).

    Attributes:
        kinds: the kinds of task that it can do.
        uses_audio: whether it looks at its inputs; if so they are standardised.
    """

    kinds: ClassVar[tuple[TaskKind, ...]] = BOTH
    uses_audio: ClassVar[bool] = True

    @abstractmethod
    def fit(self, data: FitData) -> dict[str, FloatArray]:
        """Fit on the training side, choose on the validation side; return named arrays to keep."""

    @abstractmethod
    def predict(self, state: dict[str, FloatArray], inputs: FloatArray) -> FloatArray:
        """Predict `[recordings, width]` from what `fit` returned.

        Returns:
            `[recordings]` in label units, or `[recordings, classes]`, the classes' probabilities.
        """


Head = GradientHead | DirectHead
