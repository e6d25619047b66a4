"""Synthetic sounds whose every fact is known: they say nothing about people."""

from __future__ import annotations

import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RATE = 8_000
"""Of every sound, in Hz."""

Floats = NDArray[np.float64]
GAP_S = 0.45
"""Between the beginnings of two events."""


@dataclass(frozen=True)
class Sound:
    """Some events one after another.

    Attributes:
        kind: cough, heart, lung or speech.
        events: how many there are.
        loudest: which of them, from 1.
        pitch: of what is voiced, in Hz.
        wheeze: whether a tone goes through all of a lung sound.
        start_s: when the first event begins.
    """

    kind: str
    events: int
    loudest: int
    pitch: int
    wheeze: bool
    start_s: float

    @property
    def length_s(self) -> float:
        """How long it lasts."""
        return self.start_s + self.events * GAP_S + 0.3


def draw_sound(kind: str, draw: np.random.Generator) -> Sound:
    """A sound of 2 to 9 events."""
    events = int(draw.integers(2, 10))
    return Sound(
        kind, events, int(draw.integers(1, events + 1)), int(draw.integers(5, 15)) * 20,
        kind == "lung" and bool(draw.random() < 0.5), round(float(draw.uniform(0.1, 0.6)), 1),
    )  # fmt: skip


def samples_of(sound: Sound, draw: np.random.Generator) -> Floats:
    """Synthesise a sound at RATE, between -1 and 1."""
    made = 0.003 * draw.standard_normal(round(sound.length_s * RATE))
    for event in range(sound.events):
        loud = 0.8 if event + 1 == sound.loudest else 0.35
        one = loud * _event(sound, draw)
        start = round((sound.start_s + event * GAP_S) * RATE)
        made[start : start + len(one)] += one[: len(made) - start]
    if sound.wheeze:
        made += 0.1 * np.sin(2 * np.pi * 2 * sound.pitch * np.arange(len(made)) / RATE)
    return np.clip(made, -1, 1)


def _event(sound: Sound, draw: np.random.Generator) -> Floats:
    since = np.arange(round(0.3 * RATE)) / RATE
    tone = np.sin(2 * np.pi * sound.pitch * since)
    noise = draw.standard_normal(len(since))
    match sound.kind:
        case "cough":
            made = noise * np.exp(-since / 0.04)
        case "heart":
            made = np.sin(2 * np.pi * 55 * since) * np.exp(-(((since - 0.05) / 0.03) ** 2))
        case "lung":
            made = 0.5 * noise * np.sin(np.pi * since / since[-1]) ** 2
        case _:
            made = np.sign(tone) * np.sin(np.pi * since / since[-1])
    return np.asarray(made / np.abs(made).max(), np.float64)


def write_wav(file: Path, samples: Floats) -> None:
    """Write 16-bit samples at RATE; the same samples give the same bytes."""
    with wave.open(str(file), "wb") as stream:
        stream.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        stream.writeframes(np.rint(samples * 32_000).astype("<i2").tobytes())
