"""The training median as a head."""

from __future__ import annotations

import numpy as np
import pytest

from raqa.heads.constant import MedianHead


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_says_the_training_median_whatever_it_hears(dtype: type) -> None:
    head = MedianHead()
    state = head.fit(np.zeros((4, 2), dtype), np.array([90, 20, 31, 30], dtype), seed=0)
    assert head.predict(state, np.ones((3, 2))).tolist() == [30.5, 30.5, 30.5]


def test_it_needs_no_audio() -> None:
    assert MedianHead.uses_audio is False
