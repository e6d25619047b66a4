"""Random streams: each seed's own generators, so that no head reads or moves the global one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
import torch


class Stream(IntEnum):
    """What a seed's random numbers are used for; the values are part of every result."""

    INITIALISATION = 0
    ORDER = 1
    DROPOUT = 2


def generator(
    seed: int,
    stream: Stream,
    device: torch.device | str = "cpu",
    place: Sequence[int] = (),
) -> torch.Generator:
    """A generator that depends on the seed, the stream and the place only, not on other seeds.

    Args:
        seed: any non-negative integer.
        place: where in a training a stream begins anew, for example an epoch and a step.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(int(stream), *place))
    made = torch.Generator(device)
    made.manual_seed(int(sequence.generate_state(1, np.uint64)[0]))
    return made
