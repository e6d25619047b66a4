"""Heads that say the same for every recording: what an encoder must beat."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.heads.base import DirectHead
from raqa.heads.data import FitData, FloatArray
from raqa.tables import TaskKind


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class MedianHead(DirectHead):
    """Always the median training label, which is the best constant for the mean absolute error."""

    kinds: ClassVar[tuple[TaskKind, ...]] = ("regression",)
    uses_audio: ClassVar[bool] = False

    def fit(self, data: FitData) -> dict[str, FloatArray]:
        """Return the median of the training labels."""
        return {"median": np.asarray(np.median(data.train_labels.astype(np.float64)))}

    def predict(self, state: dict[str, FloatArray], inputs: FloatArray) -> FloatArray:
        """Return the median for each of `inputs` `[recordings, any]`."""
        return np.full(len(inputs), float(state["median"]))


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class PriorHead(DirectHead):
    """Always the classes' frequencies in training, the best constant for the cross-entropy."""

    kinds: ClassVar[tuple[TaskKind, ...]] = ("classification",)
    uses_audio: ClassVar[bool] = False

    def fit(self, data: FitData) -> dict[str, FloatArray]:
        """Return the frequencies `[classes]` of the training labels."""
        return {"prior": class_frequencies(data.train_labels, data.classes)}

    def predict(self, state: dict[str, FloatArray], inputs: FloatArray) -> FloatArray:
        """Return the frequencies for each of `inputs` `[recordings, any]`."""
        return np.tile(state["prior"].astype(np.float64), (len(inputs), 1))


def class_frequencies(labels: FloatArray, classes: int) -> FloatArray:
    """The share of every class `[classes]` among labels `[recordings]`, which number them."""
    counts = np.bincount(labels.astype(np.int64), minlength=classes)
    return np.asarray(counts / len(labels), np.float64)
