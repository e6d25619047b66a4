"""k nearest neighbours: what the embedding's own distances know, without training."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.heads.base import DirectHead
from raqa.heads.constant import class_frequencies
from raqa.heads.data import FitData, FloatArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class NeighboursHead(DirectHead):
    """Mean label, or shares of the classes, among the nearest training recordings.

    The shares count the training frequencies as one more neighbour, so that no class of the
    training side has probability 0 and ties go to the more frequent class.

    Attributes:
        neighbours: numbers of neighbours to try; the one with the smallest validation error (MAE
            or cross-entropy) is kept, of equal ones the first. More than there are training
            recordings means all of them.
        metric: distance between standardised embeddings.
    """

    neighbours: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)]
    metric: Literal["euclidean", "cosine"] = "euclidean"

    def fit(self, data: FitData) -> dict[str, FloatArray]:
        """Return the training side as points, what each says, and the number of neighbours."""
        points = data.train_inputs.astype(np.float32)
        says = data.train_labels.astype(np.float64)[:, None]
        prior: FloatArray = np.zeros(0)
        if data.classes:
            says = np.eye(data.classes)[data.train_labels.astype(np.int64)]
            prior = class_frequencies(data.train_labels, data.classes)
        most = min(max(self.neighbours), len(points))
        nearest = says[self._nearest(points, data.validation_inputs, most)]
        errors = [
            _error(_answer(nearest[:, :count], prior), data.validation_labels)
            for count in self.neighbours
        ]
        kept = min(self.neighbours[int(np.argmin(errors))], len(points))
        return {
            "points": points,
            "says": says,
            "prior": prior,
            "neighbours": np.asarray(kept, np.float64),
        }

    def predict(self, state: dict[str, FloatArray], inputs: FloatArray) -> FloatArray:
        """Answer `[recordings]` or `[recordings, classes]` from `[recordings, width]`."""
        count = int(state["neighbours"])
        if not len(inputs):
            return _answer(np.zeros((0, count, state["says"].shape[1])), state["prior"])
        nearest = self._nearest(state["points"], inputs, count)
        return _answer(state["says"][nearest], state["prior"])

    def _nearest(self, points: FloatArray, inputs: FloatArray, count: int) -> NDArray[np.int64]:
        """Rows of the nearest points, nearest first: `[recordings, count]`."""
        from sklearn.neighbors import NearestNeighbors

        search = NearestNeighbors(n_neighbors=count, metric=self.metric, algorithm="brute")
        search.fit(points)
        found = search.kneighbors(inputs.astype(np.float32), return_distance=False)
        return np.asarray(found, np.int64)


def _answer(nearest: FloatArray, prior: FloatArray) -> Floats:
    """What neighbours `[recordings, count, 1 or classes]` say together."""
    if not len(prior):
        return np.asarray(nearest[:, :, 0].mean(axis=1), np.float64)
    return np.asarray((nearest.sum(axis=1) + prior) / (nearest.shape[1] + 1), np.float64)


def _error(answers: Floats, labels: FloatArray) -> float:
    """MAE of `[recordings]`, cross-entropy of `[recordings, classes]`."""
    if answers.ndim == 1:
        return float(np.abs(answers - labels).mean())
    true = np.take_along_axis(answers, labels.astype(np.int64)[:, None], axis=1)
    with np.errstate(divide="ignore"):  # a class that the training side lacks
        return float(-np.log(true).mean())
