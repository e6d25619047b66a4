"""Clip policy: which part of a recording an encoder hears, and how a short one is filled up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.audio.waveform import Waveform

Part = Literal["first", "centre", "last", "loudest"]
Padding = Literal["zeros", "repeat", "none"]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ClipPolicy:
    """Cuts every waveform to one length, or leaves it whole.

    Args:
        length_s: seconds of a clip; None: the whole recording, whatever its length.
        part: which part of a longer recording; "loudest" is the window with the most energy, the
            first of several.
        padding: what follows a shorter recording: zeros, the recording again and again, or
            nothing (clips then differ in length).
    """

    length_s: Annotated[float, Field(ge=0.05, le=600, allow_inf_nan=False)] | None = 2.0
    part: Part = "first"
    padding: Padding = "zeros"

    @property
    def settings(self) -> Mapping[str, Any]:
        """What changes the clip, as plain JSON values; a whole recording has no part or padding."""
        if self.length_s is None:
            return {"length_s": None}
        return {"length_s": self.length_s, "part": self.part, "padding": self.padding}

    @property
    def slug(self) -> str:
        """A short name for folders and tables, for example `first_2s` or `centre_2s_repeat`."""
        if self.length_s is None:
            return "whole"
        slug = f"{self.part}_{self.length_s:g}s"
        return slug if self.padding == "zeros" else f"{slug}_{self.padding}"

    def apply(self, waveform: Waveform) -> Waveform:
        """Cut or fill the waveform to the policy's length at its own rate."""
        if self.length_s is None:
            return waveform
        length = round(self.length_s * waveform.rate)
        samples = waveform.samples
        if len(samples) > length:
            start = _start(samples, length, self.part)
            samples = samples[start : start + length].copy()  # not a view of a long recording
        elif len(samples) < length and self.padding != "none":
            samples = _fill(samples, length, self.padding)
        return Waveform(samples, waveform.rate)


def _start(samples: NDArray[np.float32], length: int, part: Part) -> int:
    """Where the part of `length` samples begins."""
    spare = len(samples) - length
    if part == "first":
        return 0
    if part == "centre":
        return spare // 2
    if part == "last":
        return spare
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    return int(np.argmax(energy[length:] - energy[:-length]))


def _fill(samples: NDArray[np.float32], length: int, padding: Padding) -> NDArray[np.float32]:
    """Make a short recording `length` samples long."""
    if padding == "repeat":
        return np.resize(samples, length)
    return np.pad(samples, (0, length - len(samples)))
