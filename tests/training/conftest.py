"""Small data with something to learn, and a fit that runs on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from raqa.training.data import FitData


@pytest.fixture
def data() -> FitData:
    """Features of differing scale; a label like an age, half of it in the features."""
    recordings, width, validation = 90, 8, 40
    random = np.random.default_rng(0)
    inputs = random.normal(size=(recordings + validation, width))
    labels = 35 + 10 * (inputs[:, 0] + random.normal(size=len(inputs)))
    inputs = inputs * np.logspace(-2, 2, width) + np.arange(width)
    return FitData(inputs[:recordings], labels[:recordings],
                   inputs[recordings:], labels[recordings:])  # fmt: skip


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Models this small only wait for each other's threads on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
