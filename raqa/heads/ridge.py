"""Ridge regression in closed form: the classical linear baseline."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.heads.base import DirectHead
from raqa.heads.data import FitData, FloatArray
from raqa.tables import TaskKind


@dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
class RidgeHead(DirectHead):
    """Least squares with an L2 penalty through scikit-learn; an intercept is not penalised.

    Attributes:
        strengths: penalties to try; the one with the smallest validation MAE is kept, of equal
            ones the first.
    """

    strengths: Annotated[tuple[Annotated[float, Field(gt=0)], ...], Field(min_length=1)]
    kinds: ClassVar[tuple[TaskKind, ...]] = ("regression",)

    def fit(self, data: FitData) -> dict[str, FloatArray]:
        """Return the coefficients `[width]`, the intercept and the strength that was chosen."""
        from sklearn.linear_model import Ridge

        best, smallest = None, np.inf
        for strength in self.strengths:
            model = Ridge(alpha=strength).fit(data.train_inputs, data.train_labels)
            errors = np.abs(model.predict(data.validation_inputs) - data.validation_labels)
            if best is None or errors.mean() < smallest:
                best, smallest = model, errors.mean()
        assert best is not None
        return {
            "coefficients": np.asarray(best.coef_, np.float64),
            "intercept": np.asarray(best.intercept_, np.float64),
            "strength": np.asarray(best.alpha, np.float64),
        }

    def predict(self, state: dict[str, FloatArray], inputs: FloatArray) -> FloatArray:
        """Predict `[recordings]` from `[recordings, width]`."""
        return np.asarray(inputs @ state["coefficients"] + state["intercept"], np.float64)
