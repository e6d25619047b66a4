"""How OPERA-CT and OPERA-CE fill up a clip: as the clip policy does, or the authors' code."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from raqa.encoders.opera import RATE, cut_silence, repeat_before, tile_then_zeros

Padding = Literal["none", "upstream_2s", "upstream_8s", "upstream_8s_zeros"]
"""Kinds of padding.

- none: the clip is embedded as the clip policy cut and filled it.
- upstream_2s, upstream_8s: silence is cut off both ends, a clip shorter than 2 s or 8 s is repeated
  up to that length (the repetition stands in front), a longer one stays whole.
- upstream_8s_zeros: the same with whole copies and then zeros behind.
"""


def clip_heard(waveform: Tensor, padding: str) -> Tensor:
    """Cut and fill up one waveform `[samples]` the way the authors' code does."""
    samples = (2 if padding == "upstream_2s" else 8) * RATE
    clip = cut_silence(waveform)
    if padding == "upstream_8s_zeros":
        return tile_then_zeros(clip, samples)
    return repeat_before(clip, samples)
