"""A waveform and its sample rate, which never travel apart, and why a file could not become one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


class AudioError(Exception):
    """A file that can not be used as audio; the message is the reason, without the path."""


@dataclass(frozen=True)
class Waveform:
    """Mono audio: `samples` float32 `[samples]`, finite, nominally within ±1, at `rate` Hz."""

    samples: NDArray[np.float32]
    rate: int

    def __post_init__(self) -> None:
        if self.samples.dtype != np.float32 or self.samples.ndim != 1:
            raise ValueError(f"a waveform is float32 [samples], not {self.samples.dtype} "
                             f"{list(self.samples.shape)}")  # fmt: skip
        if self.rate <= 0:
            raise ValueError(f"a sample rate is positive, not {self.rate}")

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate
