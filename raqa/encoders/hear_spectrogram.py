"""What HeAR's network sees: per-channel normalised energies of 128 mel bands, 192 x 128."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

SAMPLE_RATE = 16_000
SAMPLES = 2 * SAMPLE_RATE
WINDOW, HOP = 400, 160  # samples: 25 ms and 10 ms
FRAMES = 200  # of two seconds; the last window reaches beyond the end, over zeros
BANDS, HIGH_HZ = 128, 8000.0
IMAGE = (192, BANDS)
"""The front end that Google published for HeAR (Google-Health/hear, audio_utils)."""

SMOOTHING, GAIN, BIAS, ROOT, FLOOR = 0.04, 0.8, 2.0, 0.5, 1e-8
"""Per-channel energy normalisation as Wang et al. 2017 write it: s, alpha, delta, r, epsilon."""


def scale(waveforms: Tensor) -> Tensor:
    """Stretch every clip of `[clips, samples]` so that it runs from -1 to 1.

    Google's helper takes minimum and maximum over all clips of a call, so that clips change with
    their neighbours (2.6 % of the embedding); for a single clip both are the same.
    """
    return stretch(waveforms, waveforms.amin(1, keepdim=True), waveforms.amax(1, keepdim=True))


def stretch(waveforms: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Map `low` to -1 and `high` to 1; digital silence becomes -1."""
    return (waveforms - low) / (high - low + FLOOR) * 2 - 1


class HearSpectrogram(nn.Module):
    """Turns scaled clips `[clips, 32000]` into images `[clips, 1, 192 time, 128 mel]`."""

    window: Tensor
    bands: Tensor
    smoother: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        self.register_buffer("bands", mel_bands(), persistent=False)
        self.register_buffer("smoother", smoothing_matrix(), persistent=False)

    def forward(self, scaled: Tensor) -> Tensor:
        """Compute the images; `scaled` is what `scale` returns."""
        padded = functional.pad(scaled, (0, (FRAMES - 1) * HOP + WINDOW - SAMPLES))
        spectrum = torch.stft(
            padded, WINDOW, HOP, window=self.window, center=False, return_complex=True
        )
        power = spectrum.real.square() + spectrum.imag.square()
        energy = power.transpose(1, 2) @ self.bands  # [clips, time, mel]
        image = self.normalise(energy)[:, None]
        return functional.interpolate(image, IMAGE, mode="bilinear", align_corners=False)

    def normalise(self, energy: Tensor) -> Tensor:
        """Divide the energies `[clips, time, mel]` by their running mean, and compress them."""
        mean = self.smoother @ energy
        compressed: Tensor = (energy / (FLOOR + mean) ** GAIN + BIAS) ** ROOT - BIAS**ROOT
        return compressed


def mel_bands() -> Tensor:
    """Triangles `[201 bins, 128 bands]` as TensorFlow draws them: linear in mel, peak 1, no DC."""
    mel = 1127.0 * torch.log1p(torch.linspace(0, HIGH_HZ, WINDOW // 2 + 1).double() / 700.0)
    edges = torch.linspace(0, 1127.0 * math.log1p(HIGH_HZ / 700.0), BANDS + 2).double()
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    rising = (mel[:, None] - low) / (centre - low)
    falling = (high - mel[:, None]) / (high - centre)
    bands = torch.minimum(rising, falling).clamp(min=0)
    bands[0] = 0
    return bands.float()


def smoothing_matrix() -> Tensor:
    """The recursion m[t] = s E[t] + (1 - s) m[t-1], m[0] = E[0], as one matrix `[time, time]`."""
    frame = torch.arange(FRAMES).double()
    age = frame[:, None] - frame
    matrix = torch.where(age >= 0, SMOOTHING * (1 - SMOOTHING) ** age.clamp(min=0), 0.0)
    matrix[:, 0] = (1 - SMOOTHING) ** frame
    return matrix.float()
