"""Small steps keep to one thread, large ones do not, and the process gets its threads back."""

from __future__ import annotations

import pytest
import torch

from raqa.heads.mlp import MLPHead
from raqa.training.threads import threads_that_pay


@pytest.mark.parametrize(("hidden", "threads"), [((), 1), ((256,), 2)])
def test_only_steps_worth_it_are_shared(hidden: tuple[int, ...], threads: int) -> None:
    torch.set_num_threads(2)
    with threads_that_pay(MLPHead(hidden=hidden).build(768, range(5)), rows=64):
        assert torch.get_num_threads() == threads
    assert torch.get_num_threads() == 2


def test_threads_come_back_after_a_failure() -> None:
    torch.set_num_threads(2)
    with pytest.raises(KeyError), threads_that_pay(MLPHead().build(4, [0]), rows=1):
        raise KeyError
    assert torch.get_num_threads() == 2
