"""How many threads a fit uses: one where a step is too small to share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from raqa.heads.base import StackedModel

WORTH_SHARING = 3e7
"""Operations of a step, about half a millisecond of one core, that pay for waking other threads.

Below it they gain nothing on a free machine and cost a time slice per operation on a busy one
(measured: a linear head of five seeds takes 26 ms a step with two threads on two busy cores and
1.5 ms with one).
"""


@contextmanager
def threads_that_pay(model: StackedModel, rows: int) -> Iterator[None]:
    """Keep to one thread if a step with `rows` recordings a seed is small, as linear heads' are."""
    before = torch.get_num_threads()
    # Forward, gradient of the weights and gradient of the inputs: two operations a weight each.
    operations = 6 * rows * sum(parameter.numel() for parameter in model.parameters())
    try:
        if operations < WORTH_SHARING:
            torch.set_num_threads(1)
        yield
    finally:
        torch.set_num_threads(before)
