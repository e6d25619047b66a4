"""Changing a waveform's sample rate."""

from __future__ import annotations

import numpy as np

from raqa.audio.waveform import Waveform


def resample(waveform: Waveform, rate: int) -> Waveform:
    """Resample to `rate` Hz with soxr's HQ quality (20-bit precision, linear phase).

    soxr, because it is some 25 times faster than torchaudio's resampler.
    """
    if waveform.rate == rate:
        return waveform
    import soxr

    samples = soxr.resample(waveform.samples, waveform.rate, rate, quality="HQ")
    return Waveform(np.ascontiguousarray(samples, dtype=np.float32), rate)
