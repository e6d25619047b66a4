"""Pengi hears seven seconds at 44.1 kHz: resampled, cut or repeated, as mel bands in decibels."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from torch.nn.functional import interpolate

from raqa.audio.resample import resample as soxr
from raqa.audio.waveform import AudioError, Waveform
from raqa.responders.pengi.audio import RATE, SAMPLES, clip_heard, crop_start, join_channels
from raqa.responders.pengi.audio import resample as sinc
from raqa.responders.pengi.model import Pengi
from tests.responders.pengi.small import noise


def test_resampling_is_torchaudio_s_and_not_that_of_the_encoders() -> None:
    wave = noise(0.5)
    given = sinc(wave.samples, 16_000)
    assert given.shape == (22_050,)
    ours = soxr(wave, RATE).samples
    assert np.linalg.norm(given - ours) > 0.01 * np.linalg.norm(ours)
    assert sinc(np.zeros(16_001, np.float32), 16_000).shape == (44_103,)  # rounded up


def test_a_short_recording_is_repeated_and_not_followed_by_zeros() -> None:
    wave = noise(2.5, rate=RATE)
    heard = clip_heard(wave, 0)
    assert heard.shape == (SAMPLES,)
    assert np.array_equal(heard, np.tile(wave.samples, 3)[:SAMPLES])


def test_seven_seconds_stay_as_they_are() -> None:
    wave = noise(7, rate=RATE)
    assert np.array_equal(clip_heard(wave, 0), wave.samples)


def _start(wave: Waveform, seed: int = 0) -> int:
    """Where the part that is heard begins, for a ramp at 44.1 kHz."""
    heard = clip_heard(wave, seed)
    start = round(float(heard[0] - wave.samples[0]) * (1 << 20))
    assert np.array_equal(heard, wave.samples[start : start + SAMPLES])
    return start


def _ramp(spare: int, offset: float = 0.0) -> Waveform:
    values = np.arange(SAMPLES + spare, dtype=np.float64) / (1 << 20) + offset
    return Waveform(values.astype(np.float32), RATE)


def test_which_part_of_a_long_recording_is_heard_depends_on_its_content_alone() -> None:
    wave = _ramp(100_000)
    starts = []
    for seed in range(3):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - it must not matter
        starts.append(_start(Waveform(wave.samples.copy(), RATE)))
    assert len(set(starts)) == 1
    assert len({_start(_ramp(100_000, offset)) for offset in (0.0, 0.25, 0.5)}) == 3
    assert len({_start(wave, seed) for seed in range(5)}) == 5


def test_the_part_heard_is_drawn_from_all_but_the_very_last() -> None:
    starts = [crop_start(noise(0.01), 4, seed) for seed in range(64)]
    assert set(starts) == {0, 1, 2, 3}
    assert _start(_ramp(1)) == 0


def test_channels_follow_each_other_where_they_are_not_mixed_before() -> None:
    left, right = noise(1, 1).samples, noise(1, 2).samples
    joined = join_channels(np.stack([left, right]), 16_000)
    assert joined.rate == RATE
    assert np.array_equal(joined.samples, np.concatenate([sinc(left, 16_000), sinc(right, 16_000)]))


def test_a_recording_without_samples_is_refused() -> None:
    with pytest.raises(AudioError, match="no samples"):
        clip_heard(Waveform(np.zeros(0, np.float32), RATE), 0)


def test_bands_are_decibels_of_a_reflected_spectrogram(pengi: Pengi) -> None:
    clip = torch.from_numpy(clip_heard(noise(2), 0))[None]
    seen = pengi.network.audio.spectrogram
    spectrum = torch.stft(
        clip, 1024, 320, window=torch.hann_window(1024), pad_mode="reflect", return_complex=True
    )
    wanted = 10 * (spectrum.abs().square().transpose(1, 2) @ seen.mel).clamp(min=1e-10).log10()
    given = seen(clip)
    assert given.shape == (1, 965, 64)
    assert (given - wanted).abs().max() < 1e-2


def test_bands_have_no_reference_and_no_lowest_level_but_one(pengi: Pengi) -> None:
    seen = pengi.network.audio.spectrogram
    clip = torch.from_numpy(clip_heard(noise(7), 0))[None]
    assert torch.allclose(seen(10 * clip), seen(clip) + 20, atol=1e-2)
    clip[:, : SAMPLES // 2] = 0
    assert seen(clip).min() == -100
    assert seen(clip).max() > -20


def test_time_is_stretched_to_1024_frames_by_bicubic_interpolation(pengi: Pengi) -> None:
    htsat = pengi.network.audio.htsat
    bands = torch.randn(1, 965, 64, generator=torch.Generator().manual_seed(0))
    normal = htsat.bn0(bands.transpose(1, 2).unsqueeze(-1)).squeeze(-1)[:, None]
    stretched = interpolate(normal, (64, 1024), mode="bicubic", align_corners=True)
    quarters = stretched[0, 0].split(256, dim=1)
    assert torch.allclose(htsat.picture(bands)[0, 0], torch.cat(quarters), atol=1e-4)
