"""Ridge: least squares with a penalty that the validation side chooses."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from raqa.heads.data import FitData
from raqa.heads.ridge import RidgeHead


def by_hand(data: FitData, strength: float) -> np.ndarray:
    """The normal equations with a centred design: the intercept is not penalised."""
    centre, level = data.train_inputs.mean(axis=0), data.train_labels.mean()
    inputs = data.train_inputs - centre
    penalised = inputs.T @ inputs + strength * np.eye(data.width)
    coefficients = np.linalg.solve(penalised, inputs.T @ (data.train_labels - level))
    return (data.validation_inputs - centre) @ coefficients + level


def test_it_solves_the_normal_equations(data: FitData) -> None:
    head = RidgeHead(strengths=(7.0,))
    predicted = head.predict(head.fit(data), data.validation_inputs)
    assert np.allclose(predicted, by_hand(data, 7.0))


def test_the_validation_side_chooses_the_strength(data: FitData) -> None:
    strengths = (1e-3, 30.0, 1e6)
    errors = [np.abs(by_hand(data, one) - data.validation_labels).mean() for one in strengths]
    state = RidgeHead(strengths=strengths).fit(data)
    assert state["strength"] == strengths[int(np.argmin(errors))]


def test_equal_strengths_of_the_list_are_one_choice_the_first_wins() -> None:
    nothing = np.zeros((4, 2))
    data = FitData(nothing, np.arange(4.0), nothing, np.arange(4.0))
    assert RidgeHead(strengths=(5.0, 1.0)).fit(data)["strength"] == 5.0


@pytest.mark.parametrize("wrong", [(), (0.0,), (-1.0,), (float("nan"),), ("strong",)])
def test_strengths_are_positive_numbers_at_least_one(wrong: object) -> None:
    with pytest.raises(ValidationError, match="strengths"):
        RidgeHead(strengths=wrong)
