"""From channels to one: the mean, unless a channel is dead or two cancel each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A channel this far below the loudest one (40 dB in power) only halves what the other has.
DEAD_POWER = 1e-4
# Two channels whose correlation is under -0.9 leave less than 5 % of their power in the mean
# ((1 + r) / 2); uncorrelated ones leave 50 %.
CANCELLED_POWER = 0.05

_NAMES = {1: ("only",), 2: ("left", "right")}


def to_mono(channels: NDArray[np.float32]) -> tuple[NDArray[np.float32], list[str]]:
    """Mix `[samples, channels]` down to `[samples]`, and say what was unusual about it."""
    count = channels.shape[1]
    if count == 1:
        return np.ascontiguousarray(channels[:, 0]), []
    names = _NAMES.get(count) or tuple(f"number {i + 1}" for i in range(count))
    powers = channels.var(axis=0, dtype=np.float64)  # a constant offset is not a signal
    live = powers > powers.max() * DEAD_POWER
    if not live.any():  # all silent: nothing to choose
        return np.ascontiguousarray(channels[:, 0]), []
    notes = [f"{names[i]} channel is dead and left out" for i in np.flatnonzero(~live)]
    channels, powers = channels[:, live], powers[live]
    mean = channels.mean(axis=1, dtype=np.float64).astype(np.float32)
    if mean.var(dtype=np.float64) < CANCELLED_POWER * 2 / len(powers) * powers.mean():
        loudest = int(powers.argmax())
        kept = names[int(np.flatnonzero(live)[loudest])]
        notes.append(f"its channels cancel each other (one is inverted); {kept} channel used")
        return np.ascontiguousarray(channels[:, loudest]), notes
    return mean, notes
