"""Constants as heads: the training median, and the classes' frequencies in training."""

from __future__ import annotations

import numpy as np
import pytest

from raqa.heads.constant import MedianHead, PriorHead
from raqa.heads.data import FitData


def given(labels: list[float], dtype: type, classes: int = 0) -> FitData:
    inputs = np.zeros((len(labels), 2), dtype)
    return FitData(inputs, np.array(labels, dtype), inputs, np.zeros(len(labels), dtype), classes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_says_the_training_median_whatever_it_hears(dtype: type) -> None:
    head = MedianHead()
    state = head.fit(given([90, 20, 31, 30], dtype))
    assert head.predict(state, np.ones((3, 2))).tolist() == [30.5, 30.5, 30.5]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_says_how_frequent_classes_are_whatever_it_hears(dtype: type) -> None:
    head = PriorHead()
    state = head.fit(given([1, 1, 0, 1], dtype, classes=3))
    assert head.predict(state, np.ones((2, 2))).tolist() == [[0.25, 0.75, 0.0]] * 2


def test_they_need_no_audio_and_know_what_they_can_do() -> None:
    assert MedianHead.uses_audio is PriorHead.uses_audio is False
    assert (MedianHead.kinds, PriorHead.kinds) == (("regression",), ("classification",))
