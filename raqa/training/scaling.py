"""Standardising inputs and label, learnt on the training recordings only, and its inverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raqa.errors import UserError
from raqa.heads.data import FitData, FloatArray
from raqa.training.settings import TrainerSettings

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scaling:
    """Inputs become `(inputs - input_mean) * input_factor`, labels `(labels - mean) / scale`.

    A feature that is constant over the training recordings says nothing there, and whatever it
    says elsewhere was not learnt: its factor is 0, so that it is 0 everywhere. A constant label
    keeps scale 1.

    Attributes:
        input_mean, input_factor: float64 `[width]`.
        label_mean, label_scale: in label units; 0 and 1 where the label is not standardised, as
            numbers of classes never are.
    """

    input_mean: Float64
    input_factor: Float64
    label_mean: float
    label_scale: float

    @classmethod
    def learn(cls, data: FitData, settings: TrainerSettings) -> Scaling:
        """Learn from the training side; population SD (ddof 0)."""
        inputs = cls.of_inputs(data.train_inputs, settings)
        label_mean, label_scale = 0.0, 1.0
        if settings.standardise_label and not data.classes:
            means, deviations = _moments(data.train_labels[:, None])
            label_mean, label_scale = float(means[0]), float(deviations[0]) or 1.0
        return cls(inputs.input_mean, inputs.input_factor, label_mean, label_scale)

    @classmethod
    def of_inputs(cls, inputs: FloatArray, settings: TrainerSettings) -> Scaling:
        """Learn from training inputs `[rows, width]` only; labels stay as they are."""
        width = inputs.shape[1]
        mean, factor = np.zeros(width), np.ones(width)
        if settings.standardise_inputs:
            mean, deviation = _moments(inputs)
            factor = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 0)
        return cls(mean, factor, 0.0, 1.0)

    def inputs(self, raw: FloatArray) -> Float64:
        """Standardise `[recordings, width]`.

        Raises:
            UserError: the inputs are not as wide as those that this was learnt on.
        """
        if raw.ndim != 2 or raw.shape[1] != len(self.input_mean):
            raise UserError(
                f"This head was fitted on embeddings of width {len(self.input_mean)}, "
                f"not on {list(raw.shape)}. Use the encoder that it was fitted with."
            )
        return (raw.astype(np.float64) - self.input_mean) * self.input_factor

    def labels(self, raw: FloatArray) -> Float64:
        """Standardise labels of any shape."""
        return (raw.astype(np.float64) - self.label_mean) / self.label_scale

    def label_units(self, standardised: FloatArray) -> Float64:
        """Bring predictions of any shape back to label units."""
        return standardised.astype(np.float64) * self.label_scale + self.label_mean


def _moments(values: FloatArray) -> tuple[Float64, Float64]:
    """Mean and SD over the first dimension; SD is exactly 0 where nothing but rounding varies."""
    # Seen from the first value: the mean of many equal values would itself be rounded.
    from_first = values.astype(np.float64) - values[0]
    mean, deviation = values[0] + from_first.mean(axis=0), from_first.std(axis=0)
    rounding = 8 * np.finfo(values.dtype).eps * np.abs(values).max(axis=0)
    return mean, np.where(deviation > rounding, deviation, 0.0)
