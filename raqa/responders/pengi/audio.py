"""What Pengi hears of a recording: seven seconds at 44.1 kHz, as mel bands in decibels."""

from __future__ import annotations

import functools
import hashlib

import numpy as np
import torch
import torchaudio
from numpy.typing import NDArray
from torch import Tensor, nn

from raqa.audio.waveform import AudioError, Waveform

RATE = 44_100
SECONDS = 7
SAMPLES = SECONDS * RATE

FFT = 1024  # samples; the Hann window has the same length
BINS = FFT // 2 + 1
HOP = 320  # samples
BANDS = 64
FLOOR = 1e-10  # power under which nothing is told apart


@functools.lru_cache(maxsize=8)
def _resampler(rate: int) -> nn.Module:
    """A windowed sinc with torchaudio's defaults; its kernel is computed in float64."""
    made: nn.Module = torchaudio.transforms.Resample(rate, RATE)
    return made


def resample(samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """Resample `[..., samples]` to 44.1 kHz.

    By torchaudio, not by soxr as for the encoders of raqa: that moves the embedding by 19 %.
    """
    if rate == RATE:
        return samples
    resampled: NDArray[np.float32] = _resampler(rate)(torch.from_numpy(samples)).numpy()
    return resampled


def join_channels(channels: NDArray[np.float32], rate: int) -> Waveform:
    """Make one waveform at 44.1 kHz of `[channels, samples]`, as Pengi's authors do.

    Their code does not mix channels: the right one follows the left in time.
    """
    return Waveform(resample(channels, rate).reshape(-1), RATE)


def crop_start(waveform: Waveform, spare: int, seed: int) -> int:
    """Where seven seconds of a longer recording begin, in samples at 44.1 kHz.

    The authors draw it anew in each call. Here the content decides, so that an evaluation can be
    repeated and no file's place among others matters; `seed` makes another draw.

    Args:
        spare: samples that are left out; the start is below it.
    """
    digest = hashlib.sha256(f"{seed} {waveform.rate} ".encode())
    digest.update(waveform.samples.astype("<f4", copy=False).tobytes())
    return int.from_bytes(digest.digest()[:8], "little") % spare


def clip_heard(waveform: Waveform, seed: int) -> NDArray[np.float32]:
    """Cut or repeat a recording to `[308700]` samples at 44.1 kHz.

    Raises:
        AudioError: it has no samples.
    """
    if not len(waveform.samples):
        raise AudioError("holds no samples")
    samples = resample(waveform.samples, waveform.rate)
    spare = len(samples) - SAMPLES
    if spare <= 0:
        return np.resize(samples, SAMPLES)
    start = crop_start(waveform, spare, seed)
    return samples[start : start + SAMPLES]


class LogMel(nn.Module):
    """Mel bands in decibels, by tables that the checkpoint holds.

    They are read and not computed: the published bank was made for 32 kHz and 50 to 14000 Hz and
    is applied to 44.1 kHz, whatever the published settings say.
    """

    real: Tensor
    imaginary: Tensor
    mel: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("real", torch.zeros(BINS, 1, FFT))
        self.register_buffer("imaginary", torch.zeros(BINS, 1, FFT))
        self.register_buffer("mel", torch.zeros(BINS, BANDS))

    def forward(self, clips: Tensor) -> Tensor:
        """Turn `[clips, samples]` into `[clips, frames, 64]`, frames = 1 + samples // 320."""
        padded = nn.functional.pad(clips, (FFT // 2, FFT // 2), mode="reflect")
        frames = padded.unfold(1, FFT, HOP)
        real, imaginary = frames @ self.real[:, 0].T, frames @ self.imaginary[:, 0].T
        power = (real.square() + imaginary.square()) @ self.mel
        return 10 * power.clamp(min=FLOOR).log10()
