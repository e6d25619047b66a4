"""What the three OPERA encoders share: spectrogram, silence, repetition, published files."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torchaudio
from torch import Tensor, nn

from raqa.encoders.base import OutputKind
from raqa.encoders.published import Published
from raqa.encoders.sources import HubFile
from raqa.encoders.weights import PretrainedEncoder

RATE = 16_000
FFT = 1024  # samples; the Hann window has the same length
HOP = 512  # samples
BANDS = 64
LOW_HZ, HIGH_HZ = 50.0, 8000.0
RANGE_DB = 80.0  # below a clip's loudest band
FLOOR = 1e-10  # power under which nothing is told apart

SILENCE_DB = 60.0  # below the loudest frame
SILENCE_FRAME, SILENCE_HOP = 1600, 800  # samples


def opera_published(name: str, title: str, file: str, sha256: str) -> Published:
    """One of the files in OPERA's repository (Zhang et al. 2024, arXiv 2406.16148)."""
    return Published(
        name=name,
        title=title,
        source=HubFile("evelyn0414/OPERA", file),
        licence="code under the MIT licence; for the weights MIT and CC BY-NC 4.0 are both on "
        "record, so read the model page before you use them commercially.",
        licence_page="https://huggingface.co/evelyn0414/OPERA",
        sha256=sha256,
    )


class OperaSpectrogram(nn.Module):
    """Mel spectrogram in decibels, scaled to [0, 1] for every clip.

    Slaney's mel scale with triangles of equal area, as librosa computes it.
    """

    window: Tensor
    mel: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(FFT), persistent=False)
        mel = torchaudio.functional.melscale_fbanks(
            FFT // 2 + 1, LOW_HZ, HIGH_HZ, BANDS, RATE, norm="slaney", mel_scale="slaney"
        )
        self.register_buffer("mel", mel, persistent=False)

    def forward(self, waveforms: Tensor) -> Tensor:
        """Turn `[clips, samples]` into `[clips, frames, 64]`, frames = 1 + samples // 512."""
        padded = nn.functional.pad(waveforms, (FFT // 2, FFT // 2))
        frames = torch.fft.rfft(padded.unfold(1, FFT, HOP) * self.window)
        power = (frames.real.square() + frames.imag.square()) @ self.mel
        level = 10 * power.clamp(min=FLOOR).log10()
        top = level.amax(dim=(1, 2), keepdim=True)
        level = level.maximum(top - RANGE_DB)
        bottom = level.amin(dim=(1, 2), keepdim=True)
        # Silence is constant and becomes 0.
        scaled: Tensor = (level - bottom) / (top - bottom).clamp(min=FLOOR)
        return scaled


def cut_silence(clip: Tensor) -> Tensor:
    """Cut `[samples]` to what lies between its first and last frame that is not silent."""
    edge = SILENCE_FRAME // 2
    frames = nn.functional.pad(clip, (edge, edge)).unfold(0, SILENCE_FRAME, SILENCE_HOP)
    power = frames.square().mean(dim=1).clamp(min=FLOOR)
    (heard,) = (power > power.max() * 10 ** (-SILENCE_DB / 10)).nonzero(as_tuple=True)
    return clip[int(heard[0]) * SILENCE_HOP : (int(heard[-1]) + 1) * SILENCE_HOP]


def repeat_before(clip: Tensor, samples: int, source: Tensor | None = None) -> Tensor:
    """Fill a short clip up in front with the end of its repetition, or of another's."""
    source = clip if source is None else source
    missing = samples - len(clip)
    if missing <= 0:
        return clip
    ending = torch.arange(-missing, 0, device=clip.device) % len(source)
    return torch.cat([source[ending], clip])


def tile_then_zeros(clip: Tensor, samples: int) -> Tensor:
    """Fill a short clip up with as many whole copies as leave room for zeros, then zeros."""
    if len(clip) >= samples:
        return clip
    copies = clip.repeat(max(1, math.ceil(samples / len(clip)) - 1))
    return nn.functional.pad(copies, (0, samples - len(copies)))


class OperaEncoder(PretrainedEncoder):
    """The steps that OPERA's encoders have in common.

    Args:
        weights: "hub", "random", or a checkpoint's path.
        window_s: seconds of a clip; None: any length.
        padding: how a clip is filled up; each encoder lists its kinds.
        output: "vector", or "frames" for the sequence in time.
    """

    network: Any  # what build_network() returns
    sample_rate = RATE
    min_s = 0.1  # OPERA-GT's smallest patch spans four frames

    def __init__(
        self, weights: str, window_s: float | None, padding: str, output: OutputKind
    ) -> None:
        super().__init__()
        self.window_s = window_s
        self.padding = padding
        self.output = output
        self.spectrogram = OperaSpectrogram()
        self.network = self.load_network(weights)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The kind of padding; the clip's length belongs to the clip policy."""
        return {"padding": self.padding}

    @abstractmethod
    def clips_heard(self, waveform: Tensor) -> list[Tensor]:
        """Turn one waveform `[samples]` into the padded pieces that are embedded and averaged."""

    @abstractmethod
    def embed_waveforms(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` of one length as it is."""

    def forward(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` float32 at 16 kHz as `[clips, width]`.

        With `output == "frames"` as `[clips, frames, width]`, in order of time.

        Raises:
            ValueError: the clips are not of the length this encoder takes.
        """
        self.check_input(waveforms)
        if not self.padding.startswith("upstream"):
            return self.embed_waveforms(waveforms)
        heard = [self.clips_heard(waveform) for waveform in waveforms]
        embedded = iter(self._by_length([piece for pieces in heard for piece in pieces]))
        rows = [torch.stack([next(embedded) for _ in pieces]) for pieces in heard]
        if self.output == "vector":
            return torch.stack([row.mean(dim=0) for row in rows])
        frames = [row.flatten(0, 1) for row in rows]
        if len({len(row) for row in frames}) > 1:
            raise ValueError(
                f"{type(self).__name__}: with padding={self.padding} these clips have different "
                "numbers of frames; use output=vector or another padding"
            )
        return torch.stack(frames)

    def _by_length(self, clips: Sequence[Tensor]) -> list[Tensor]:
        """Embed clips `[samples]` of different lengths, those of one length together."""
        places: dict[int, list[int]] = {}
        for index, clip in enumerate(clips):
            places.setdefault(len(clip), []).append(index)
        rows: list[Tensor] = [torch.empty(0)] * len(clips)
        for indices in places.values():
            batch = torch.stack([clips[index] for index in indices])
            for index, row in zip(indices, self.embed_waveforms(batch), strict=True):
                rows[index] = row
        return rows
