"""Heads that say the same for every recording: what an encoder must beat."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.heads.base import DirectHead, FloatArray


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class MedianHead(DirectHead):
    """Always the median training label, which is the best constant for the mean absolute error."""

    uses_audio: ClassVar[bool] = False

    def fit(self, inputs: FloatArray, labels: FloatArray, seed: int) -> dict[str, FloatArray]:  # noqa: ARG002
        """Return the median of `labels` `[recordings]`; inputs and seed are ignored."""
        return {"median": np.asarray(np.median(labels.astype(np.float64)))}

    def predict(self, state: dict[str, FloatArray], inputs: FloatArray) -> FloatArray:
        """Return the median for each of `inputs` `[recordings, any]`."""
        return np.full(len(inputs), float(state["median"]))
