"""What a head is: a recipe for a model on embeddings, and the fitted models of all seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from torch import Tensor, nn

from raqa.heads.data import FitData, FloatArray
from raqa.tables import TaskKind

BOTH: tuple[TaskKind, ...] = ("regression", "classification")


class StackedModel(nn.Module, ABC):
    """The models of several seeds as one module; every parameter's first dimension is the seed."""

    seeds: tuple[int, ...]

    @abstractmethod
    def forward(self, inputs: Tensor) -> Tensor:
        """Map `[seeds, batch, width]` to `[seeds, outputs, batch]`."""


class GradientHead(ABC):
    """A head that Lightning trains by gradient descent, all seeds side by side."""

    kinds: ClassVar[tuple[TaskKind, ...]] = BOTH

    @abstractmethod
    def build(self, width: int, seeds: Sequence[int], outputs: int = 1) -> StackedModel:
        """Make untrained models, each initialised from its seed's own generator.

        The global random generator is neither read nor moved.

        Args:
            outputs: 1 for a number, one for each class of a classification.
        """


class DirectHead(ABC):
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
