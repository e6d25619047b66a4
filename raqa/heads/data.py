"""What one fit is given: training and validation inputs with labels, checked."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from raqa.errors import UserError

FloatArray = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FitData:
    """Embeddings `[recordings, width]` and labels `[recordings]`, float32 or float64.

    Attributes:
        classes: how many classes the labels number, from 0; 0 where labels are numbers to predict.
        epoch_recordings: an epoch is as many updates long as with so many training recordings;
            None: as there are.

    Raises:
        UserError: a side is empty, or holds NaN or infinite values (says which side, how many).
        ValueError: shapes or types that do not belong together; a fault of the caller.
    """

    train_inputs: FloatArray
    train_labels: FloatArray
    validation_inputs: FloatArray
    validation_labels: FloatArray
    classes: int = 0
    epoch_recordings: int | None = None

    def __post_init__(self) -> None:
        self._check_shapes()
        problems = [
            *_problems("training", self.train_inputs, self.train_labels),
            *_problems("validation", self.validation_inputs, self.validation_labels),
        ]
        if problems:
            raise UserError(problems)

    @property
    def width(self) -> int:
        """Length of one input."""
        return int(self.train_inputs.shape[1])

    def _check_shapes(self) -> None:
        for field in fields(self):
            if field.name in {"classes", "epoch_recordings"}:
                continue
            array = getattr(self, field.name)
            dimensions = 2 if field.name.endswith("inputs") else 1
            if array.ndim != dimensions or array.dtype not in (np.float32, np.float64):
                raise ValueError(
                    f"{field.name} has {dimensions} dimension(s) of float32 or float64, "
                    f"not {array.dtype} {list(array.shape)}"
                )
        if self.train_inputs.shape[1] != self.validation_inputs.shape[1]:
            raise ValueError(
                f"training inputs are {self.train_inputs.shape[1]} wide, "
                f"validation inputs {self.validation_inputs.shape[1]}"
            )
        for side in ("train", "validation"):
            inputs, labels = (len(getattr(self, f"{side}_{what}")) for what in ("inputs", "labels"))
            if inputs != labels:
                raise ValueError(f"{side}: {inputs} inputs but {labels} labels")
            numbers = np.unique(getattr(self, f"{side}_labels"))
            if self.classes and not np.isin(numbers, np.arange(self.classes)).all():
                raise ValueError(f"{side}: labels {numbers} do not number {self.classes} classes")


def _problems(side: str, inputs: FloatArray, labels: FloatArray) -> list[str]:
    if not len(labels):
        return [
            f"The {side} side has 0 recordings; a head needs at least 1 there. "
            "Widen the cohort or change the split."
        ]
    problems = []
    bad_labels = int((~np.isfinite(labels)).sum())
    if bad_labels:
        problems.append(
            f"The {side} side has {bad_labels} of {len(labels)} labels that are NaN or infinite; "
            "every label must be a number. Mend or leave out these recordings."
        )
    bad_inputs = int((~np.isfinite(inputs)).any(axis=1).sum())
    if bad_inputs:
        problems.append(
            f"The {side} side has {bad_inputs} of {len(inputs)} embeddings with NaN or infinite "
            "values; every value must be a number. Look at the encoder and these recordings."
        )
    return problems
