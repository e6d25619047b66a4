"""Seconds of noise that stand for recordings in miniatures of corpora."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import numpy as np
import soundfile


def write_sound(
    path: Path,
    seconds: float,
    *,
    rate: int = 4000,
    wheeze: bool = False,
    crackle: bool = False,
    subtype: str = "PCM_16",
) -> None:
    """Write quiet noise, another in every file; a wheeze is a tone in it, crackles are clicks."""
    random = np.random.default_rng(crc32(path.name.encode()))
    count = round(seconds * rate)
    sound = random.normal(0, 0.02, count)
    if wheeze:
        sound += 0.2 * np.sin(2 * np.pi * 400 * np.arange(count) / rate)
    if crackle:
        sound[random.integers(0, count, 40)] += 0.7
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, sound.clip(-1, 1), rate, subtype=subtype)


def write_twin(path: Path) -> None:
    """Write the AppleDouble twin that macOS puts beside a file or below `__MACOSX/`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(f"._{path.name}").write_bytes(b"\x00\x05\x16\x07Mac OS X")
