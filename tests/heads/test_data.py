"""What a fit is given: nothing missing, nothing that is not a number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from raqa.errors import UserError
from raqa.heads.data import FitData


@pytest.mark.parametrize("side", ["train", "validation"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_a_number_is_refused_with_side_and_count(
    side: str, bad: float, data: FitData
) -> None:
    inputs, labels = (getattr(data, f"{side}_{what}").copy() for what in ("inputs", "labels"))
    inputs[[1, 2], [0, 3]] = bad
    labels[:3] = bad
    with pytest.raises(UserError) as error:
        replace(data, **{f"{side}_inputs": inputs, f"{side}_labels": labels})
    word = "training" if side == "train" else side
    assert f"{word} side has 3 of {len(labels)} labels" in str(error.value)
    assert f"{word} side has 2 of {len(labels)} embeddings" in str(error.value)


def test_empty_sides_are_refused_together() -> None:
    with pytest.raises(UserError) as error:
        FitData(np.zeros((0, 4)), np.zeros(0), np.zeros((0, 4)), np.zeros(0))
    assert "The training side has 0 recordings" in str(error.value)
    assert "The validation side has 0 recordings" in str(error.value)


@pytest.mark.parametrize(
    "shape_or_type",
    [
        {"train_inputs": np.zeros(90)},
        {"train_inputs": np.zeros((90, 7))},
        {"train_labels": np.zeros(89)},
        {"validation_labels": np.zeros((40, 1))},
        {"train_labels": np.zeros(90, dtype=int)},
    ],
)
def test_arrays_that_do_not_belong_together_are_the_callers_fault(
    shape_or_type: dict[str, np.ndarray], data: FitData
) -> None:
    with pytest.raises(ValueError, match="train|validation"):
        replace(data, **shape_or_type)


def test_labels_number_the_classes(data: FitData, class_data: FitData) -> None:
    with pytest.raises(ValueError, match="do not number 3 classes"):
        replace(data, classes=3)
    with pytest.raises(ValueError, match="do not number 2 classes"):
        replace(class_data, classes=2)
