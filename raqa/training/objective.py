"""What training minimises and what selects the epoch: squared error and MAE, or cross-entropy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from raqa.heads.data import FloatArray
from raqa.training.scaling import Scaling

if TYPE_CHECKING:
    from torch import Tensor

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predicted:
    """What fitted heads say.

    Attributes:
        values: `[seeds, recordings]`, in label units or the number of the most probable class.
        probabilities: `[seeds, recordings, classes]` of a classification, else None.
    """

    values: Floats
    probabilities: Floats | None = None

    @property
    def columns(self) -> dict[str, Floats]:
        """The arrays under the names of their columns in a table of predictions."""
        if self.probabilities is None:
            return {"prediction": self.values}
        return {"prediction": self.values, "probabilities": self.probabilities}


class Minimised(ABC):
    """What training needs to know of a model's outputs.

    Attributes:
        outputs: how many outputs a model has.
        error_name: of the validation error, in words.
        log_name: of the validation error, for loggers.
    """

    outputs: int
    error_name: ClassVar[str]
    log_name: ClassVar[str]

    @abstractmethod
    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Every recording's loss `[seeds, batch]`.

        Args:
            outputs: `[seeds, outputs, batch]`.
            labels: `[seeds, batch]`, scaled as for training.
        """

    @abstractmethod
    def error(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Every recording's validation error, float64 `[seeds, batch]`.

        Args:
            outputs: `[seeds, outputs, batch]`.
            labels: `[batch]`, in label units.
        """


class Objective(Minimised):
    """The meaning of a model's outputs, beyond training as well.

    Answers are what outputs become: `[seeds, recordings]` in label units, or probabilities
    `[seeds, recordings, classes]`.
    """

    @abstractmethod
    def answers(self, outputs: FloatArray) -> Floats:
        """Answers from outputs `[seeds, outputs, recordings]`."""

    @abstractmethod
    def predicted(self, answers: Floats) -> Predicted:
        """What a fitted head says, from answers."""

    @abstractmethod
    def measured(self, answers: Floats, labels: FloatArray) -> Floats:
        """The validation error `[seeds]` of answers, given labels `[recordings]`."""


@dataclass(frozen=True)
class NumberObjective(Objective):
    """Squared error of the scaled label; the MAE in label units selects."""

    scaling: Scaling
    outputs: int = 1
    error_name: ClassVar[str] = "MAE"
    log_name: ClassVar[str] = "validation_mae"

    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Squared error in the units trained in."""
        return (outputs.squeeze(1) - labels).square()

    def error(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Absolute error in label units."""
        predictions = outputs.squeeze(1).double()
        predictions = predictions * self.scaling.label_scale + self.scaling.label_mean
        return (predictions - labels).abs()

    def answers(self, outputs: FloatArray) -> Floats:
        """Bring outputs back to label units."""
        return self.scaling.label_units(outputs[:, 0])

    def predicted(self, answers: Floats) -> Predicted:
        """Answers are the prediction."""
        return Predicted(answers)

    def measured(self, answers: Floats, labels: FloatArray) -> Floats:
        """The MAE of every seed."""
        return np.asarray(np.abs(answers - labels).mean(axis=1), np.float64)


@dataclass(frozen=True)
class ClassObjective(Objective):
    """Cross-entropy (nat) of a logit for each class, which also selects."""

    outputs: int
    error_name: ClassVar[str] = "cross-entropy"
    log_name: ClassVar[str] = "validation_cross_entropy"

    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Cross-entropy of every recording."""
        from torch.nn.functional import cross_entropy

        # Two dimensions: the gradient of more is not deterministic on a GPU.
        rows = outputs.mT.flatten(0, 1)
        flat = cross_entropy(rows, labels.long().flatten(), reduction="none")
        return flat.view(labels.shape)

    def error(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Cross-entropy of every recording, whatever the precision in float64."""
        return self.loss(outputs.double(), labels.expand(len(outputs), -1))

    def answers(self, outputs: FloatArray) -> Floats:
        """The softmax of logits."""
        from scipy.special import softmax

        return np.asarray(softmax(outputs.astype(np.float64).swapaxes(1, 2), axis=-1), np.float64)

    def predicted(self, answers: Floats) -> Predicted:
        """The most probable class; of equal ones the first."""
        return Predicted(answers.argmax(axis=-1).astype(np.float64), answers)

    def measured(self, answers: Floats, labels: FloatArray) -> Floats:
        """The cross-entropy of every seed; infinite where a true class has probability 0."""
        true = answers[:, np.arange(len(labels)), labels.astype(np.int64)]
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(true).mean(axis=1), np.float64)


def objective_for(classes: int, scaling: Scaling) -> Objective:
    """The objective of a label that numbers `classes` classes, or is a number where there are 0."""
    return ClassObjective(classes) if classes else NumberObjective(scaling)
