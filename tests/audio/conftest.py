"""Sounds and files that the audio tests make for themselves."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

Sound = NDArray[np.float32]


def make_sound(seconds: float = 1.0, rate: int = 16_000, seed: int = 0) -> Sound:
    """A decaying burst over a little noise, within ±0.7."""
    time = np.arange(round(seconds * rate)) / rate
    burst = 0.6 * np.sin(2 * np.pi * 300 * time) * np.exp(-4 * time)
    noise = 0.02 * np.random.default_rng(seed).standard_normal(len(time))
    return (burst + noise).astype(np.float32)


@pytest.fixture
def sound() -> Callable[..., Sound]:
    return make_sound


@pytest.fixture
def wav(tmp_path: Path) -> Callable[..., Path]:
    """Write samples as a file that libsndfile knows, and return its path."""

    def write(samples: NDArray[np.generic], rate: int = 16_000, name: str = "a.wav",
              subtype: str = "PCM_16", container: str = "WAV") -> Path:  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        soundfile.write(path, samples, rate, format=container, subtype=subtype)
        return path

    return write


class _Pipe(io.RawIOBase):
    """Something that can be written to but not gone back in, like a browser's recorder."""

    def __init__(self) -> None:
        self.written = b""

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.written += bytes(data)
        return len(data)

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


@pytest.fixture
def ffmpeg(tmp_path: Path) -> Callable[..., Path]:
    """Encode samples with FFmpeg; with `live` no duration is written, as browsers do it."""
    import av

    def write(samples: Sound, rate: int, codec: str, container: str, sample_format: str = "s16",
              name: str = "a.bin", live: bool = False) -> Path:  # fmt: skip
        out = _Pipe() if live else io.BytesIO()
        with av.open(out, "w", format=container) as file:
            stream = file.add_stream(codec, rate=rate)
            stream.layout = "mono"
            frame = av.AudioFrame.from_ndarray(
                (samples[None] * 32767).astype(np.int16), format="s16", layout="mono"
            )
            frame.sample_rate = rate
            stream.format = sample_format
            for packet in [*stream.encode(frame), *stream.encode(None)]:
                file.mux(packet)
        path = tmp_path / name
        path.write_bytes(out.written if isinstance(out, _Pipe) else out.getvalue())
        return path

    return write
