"""The rate changes, the sound does not."""

from __future__ import annotations

import numpy as np
import pytest

from raqa.audio.resample import resample
from raqa.audio.waveform import Waveform


@pytest.mark.parametrize("rate", [4_000, 8_000, 11_025, 44_100, 48_000, 47_999])
def test_a_tone_keeps_its_pitch_level_and_length(rate: int) -> None:
    def tone(at: int) -> np.ndarray:
        return np.sin(2 * np.pi * 440 * np.arange(at) / at)

    waveform = resample(Waveform(tone(rate).astype(np.float32), rate), 16_000)
    assert waveform.rate == 16_000
    assert waveform.samples.dtype == np.float32
    assert abs(len(waveform.samples) - 16_000) <= 1
    middle = slice(2_000, 14_000)  # the ends ring
    np.testing.assert_allclose(waveform.samples[middle], tone(16_000)[middle], atol=1e-3)


def test_the_same_rate_is_left_alone() -> None:
    waveform = Waveform(np.ones(10, np.float32), 16_000)
    assert resample(waveform, 16_000) is waveform


def test_what_the_new_rate_can_not_hold_is_filtered_out() -> None:
    high = np.sin(2 * np.pi * 12_000 * np.arange(48_000) / 48_000).astype(np.float32)
    quiet = resample(Waveform(high, 48_000), 16_000).samples
    assert np.abs(quiet[1_000:-1_000]).max() < 1e-4


def test_samples_beyond_full_scale_are_not_clipped() -> None:
    loud = 3 * np.sin(2 * np.pi * 100 * np.arange(48_000) / 48_000).astype(np.float32)
    assert np.abs(resample(Waveform(loud, 48_000), 16_000).samples).max() > 2.9
