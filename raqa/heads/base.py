"""What a head is: a recipe for a model on embeddings, and the fitted models of all seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

FloatArray = NDArray[np.float32] | NDArray[np.float64]


class StackedModel(nn.Module, ABC):
    """The models of several seeds as one module; every parameter's first dimension is the seed."""

    seeds: tuple[int, ...]

    @abstractmethod
    def forward(self, inputs: Tensor) -> Tensor:
        """Map `[seeds, batch, width]` to predictions `[seeds, batch]`."""


class GradientHead(ABC):
    """A head that Lightning trains by gradient descent, all seeds side by side."""

    @abstractmethod
    def build(self, width: int, seeds: Sequence[int]) -> StackedModel:
        """Make untrained models, each initialised from its seed's own generator.

        The global random generator is neither read nor moved.
        """


class DirectHead(ABC):
    """A head with a fit of its own (a constant, closed form, scikit-learn)."""

    uses_audio: ClassVar[bool] = True

    @abstractmethod
    def fit(self, inputs: FloatArray, labels: FloatArray, seed: int) -> dict[str, FloatArray]:
        """Fit on `[recordings, width]` and `[recordings]`; return named arrays to keep."""

    @abstractmethod
    def predict(self, state: dict[str, FloatArray], inputs: FloatArray) -> FloatArray:
        """Predict `[recordings]` from what `fit` returned."""


Head = GradientHead | DirectHead
