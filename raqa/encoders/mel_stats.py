"""Statistics of log-mel bands: an encoder without weights, the yardstick for all others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Annotated, Any

import torch
import torchaudio
from pydantic import Field, validate_call
from torch import Tensor

from raqa.encoders.base import Encoder
from raqa.errors import UserError

QUANTILES = (0.1, 0.5, 0.9)
"""Low, middle and high level of a band over a clip; the extremes are single frames."""

RANGE_DB = 60.0
"""Frames more than this under the loudest one are pauses or padding; a cough decays by ~40 dB."""

FLOOR = 1e-10
"""Power that counts as silence: -100 dB, under the noise of 16-bit audio."""

STATISTICS = 4 + len(QUANTILES)  # mean, SD and quantiles of levels, mean size and SD of deltas


class MelStats(Encoder):
    """Mean, SD and quantiles of log-mel bands and of their deltas over the sounding frames.

    Padding and pauses are left out (`RANGE_DB`), else a 0.4 s cough in a 2 s clip would be
    described mostly by its zeros. How much of the clip sounds is a feature of its own: the last
    two are the seconds of sounding frames and the level of the loudest frame.

    Args:
        bands: mel bands.
        window_ms: analysis window, milliseconds; the shortest clip has two of them.
        hop_ms: step between windows, milliseconds.
        low_hz, high_hz: edges of the lowest and highest band, Hz.

    Raises:
        UserError: the bands' edges are not in order, or the bands are too narrow for the window.
    """

    sample_rate = 16_000

    @validate_call
    def __init__(
        self,
        bands: Annotated[int, Field(ge=4, le=256)] = 64,
        window_ms: Annotated[float, Field(ge=5, le=200)] = 25.0,
        hop_ms: Annotated[float, Field(ge=1, le=200)] = 10.0,
        low_hz: Annotated[float, Field(ge=0)] = 50.0,
        high_hz: Annotated[float, Field(le=8000)] = 8000.0,
    ) -> None:
        super().__init__()
        if low_hz >= high_hz:
            raise UserError(f"mel_stats: low_hz ({low_hz:g}) must be under high_hz ({high_hz:g})")
        self._settings = {
            "bands": bands, "window_ms": window_ms, "hop_ms": hop_ms,
            "low_hz": low_hz, "high_hz": high_hz,
        }  # fmt: skip
        window = round(window_ms * self.sample_rate / 1000)
        self.hop_s = hop_ms / 1000
        self.min_s = 2 * window_ms / 1000
        self.width = STATISTICS * bands + 2
        self.mel = _mel_spectrogram(
            self.sample_rate, window, bands=bands, hop_ms=hop_ms, low_hz=low_hz, high_hz=high_hz
        )
        self.deltas = torchaudio.transforms.ComputeDeltas()

    @property
    def settings(self) -> Mapping[str, Any]:
        """The constructor's arguments and the module's constants."""
        return {
            **self._settings,
            "quantiles": list(QUANTILES),
            "range_db": RANGE_DB,
            "floor": FLOOR,
        }

    def forward(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` float32 at 16 kHz as `[clips, 7 x bands + 2]`."""
        self.check_input(waveforms)
        power = self.mel(waveforms)  # [clips, bands, frames]
        level = power.sum(dim=1, keepdim=True)
        loudest = level.amax(dim=2, keepdim=True)
        sounding = level >= loudest * 10 ** (-RANGE_DB / 10)  # all frames, if all are silent
        # Bands end at the clip's own floor, so that no delta measures the depth of digital zero.
        floor = (power.amax(dim=(1, 2), keepdim=True) * 10 ** (-RANGE_DB / 10)).clamp(min=FLOOR)
        levels = power.maximum(floor).log()
        deltas = self.deltas(levels)
        count = sounding.sum(dim=2)  # [clips, 1]
        mean, deviation = _moments(levels, sounding, count)
        size, _ = _moments(deltas.abs(), sounding, count)
        _, swing = _moments(deltas, sounding, count)
        at = torch.tensor(QUANTILES, dtype=levels.dtype, device=levels.device)
        quantiles = torch.nanquantile(levels.masked_fill(~sounding, torch.nan), at, dim=2)
        return torch.cat(
            [mean, deviation, *quantiles, size, swing,
             count * self.hop_s, loudest[:, :, 0].clamp(min=FLOOR).log()],
            dim=1,
        )  # fmt: skip


def _mel_spectrogram(
    rate: int, window: int, *, bands: int, hop_ms: float, low_hz: float, high_hz: float
) -> torchaudio.transforms.MelSpectrogram:
    """Make the transform; torchaudio only warns of bands that hold no frequency."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        try:
            return torchaudio.transforms.MelSpectrogram(
                rate,
                # The next power of two; the narrow low bands need its resolution.
                n_fft=1 << (window - 1).bit_length(),
                win_length=window,
                hop_length=round(hop_ms * rate / 1000),
                f_min=low_hz,
                f_max=high_hz,
                n_mels=bands,
                norm="slaney",
                mel_scale="htk",
            )
        except UserWarning as warning:
            raise UserError(
                f"mel_stats: {bands} bands from {low_hz:g} to {high_hz:g} Hz are too narrow for "
                f"windows of {window / rate * 1000:g} ms. Use fewer bands or a longer window."
            ) from warning


def _moments(values: Tensor, sounding: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and SD `[clips, bands]` of `[clips, bands, frames]` over the sounding frames."""
    mean = (values * sounding).sum(dim=2) / count
    centred = (values - mean[:, :, None]) * sounding
    return mean, (centred.square().sum(dim=2) / count).sqrt()
