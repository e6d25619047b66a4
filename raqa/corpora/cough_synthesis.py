"""Synthetic cough-like clips: bursts whose decay and formants depend on age, sex and body mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
CLIP_S = 2.0
_SAMPLES = int(RATE * CLIP_S)
_PADDED = 1 << (_SAMPLES - 1).bit_length()  # a power of two makes the transforms quick

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Person:
    """What a synthetic subject sounds like.

    Attributes:
        age: years.
        bmi: kg/m2.
        male: a longer vocal tract.
        voice: what is this person's own, standard normal: tract, decay, brightness,
            voicing.
    """

    age: float
    bmi: float
    male: bool
    voice: tuple[float, float, float, float]


def draw_person(draw: np.random.Generator, youngest: float, oldest: float) -> Person:
    """Draw a subject: age evenly between two ages, body mass index rising a little with it."""
    age = draw.uniform(youngest, oldest)
    bmi = float(np.clip(draw.normal(25.5 + 0.03 * (age - 50), 4.5), 15, 48))
    tract, decay, brightness, voicing = draw.standard_normal(4)
    return Person(age, bmi, bool(draw.random() < 0.5), (tract, decay, brightness, voicing))


def cough_clips(
    person: Person, clips: int, draw: np.random.Generator, tilt_db: float
) -> NDArray[np.int16]:
    """Synthesise clips `[clips, samples]` at RATE.

    Age slows the decay, dulls the spectrum and weakens the voiced phase; body mass lowers and
    widens the formants. Effects overlap with what is a person's own, so that neither can be read
    off exactly.

    Args:
        tilt_db: the microphone's slope in dB per octave above 1 kHz.
    """
    noise = draw.standard_normal((2, clips, _SAMPLES))
    loudness = 10 ** (draw.uniform(-9, -1, (clips, 1)) / 20)
    background = 10 ** (draw.uniform(-45, -22, (clips, 1)) / 20)
    envelope, voiced = _bursts(person, clips, draw)
    source = noise[0] * envelope + voiced
    shaped = _filter(source, _formants(person) * _tilt(person, tilt_db))
    shaped /= np.abs(shaped).max(axis=1, keepdims=True)
    hum = _filter(noise[1], _slope(-3.0 + tilt_db))
    hum /= np.sqrt(np.mean(hum**2, axis=1, keepdims=True))
    clip = loudness * shaped + background * hum
    return np.rint(np.clip(clip, -1, 1) * 32_000).astype(np.int16)


def _bursts(person: Person, clips: int, draw: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the noise's envelope and the voiced phase, both `[clips, samples]`."""
    years = (person.age - 50) / 20
    decay = 0.055 * np.exp(0.30 * years + 0.30 * person.voice[1])
    pitch = (120 if person.male else 205) * (1 - 0.04 * years)
    voicing = 0.25 * np.exp(-0.5 * years + 0.5 * person.voice[3])
    envelope, voiced = np.zeros((clips, _SAMPLES)), np.zeros((clips, _SAMPLES))
    for clip in range(clips):
        onset = draw.uniform(0.05, 0.25)
        for _ in range(draw.integers(2, 5)):
            strength, length = draw.uniform(0.6, 1.0), decay * np.exp(0.1 * draw.standard_normal())
            start = round(onset * RATE)
            stop = min(_SAMPLES, start + round(10 * length * RATE))  # inaudible after ten decays
            since = np.arange(stop - start) / RATE
            envelope[clip, start:stop] += (
                strength * np.minimum(since / 0.004, 1) * np.exp(-since / length)
            )
            late = np.exp(-(((since - 2.2 * length) / (0.9 * length)) ** 2))
            tone = np.sign(np.sin(2 * np.pi * pitch * since))  # rich in harmonics, as voices are
            voiced[clip, start:stop] += voicing * strength * late * tone
            onset += draw.uniform(0.28, 0.5)
    return envelope, voiced


def _formants(person: Person) -> Floats:
    """Gain at every frequency: a floor, and three resonances."""
    mass, tract = (person.bmi - 26) / 5, person.voice[0]
    scale = (0.88 if person.male else 1.0) * np.exp(-0.07 * mass + 0.03 * tract)
    width = np.exp(0.25 * mass)
    gain = np.full(_PADDED // 2 + 1, 0.08)
    frequency = _frequencies()
    for centre, bandwidth, strength in ((650, 160, 1.0), (1650, 250, 0.7), (3100, 400, 0.5)):
        gain += strength / np.sqrt(
            1 + ((frequency - centre * scale) / (bandwidth * width / 2)) ** 2
        )
    return gain


def _tilt(person: Person, tilt_db: float) -> Floats:
    years = (person.age - 50) / 20
    return _slope(-2.0 - 1.6 * years + 1.6 * person.voice[2] + tilt_db)


def _slope(decibel_per_octave: float) -> Floats:
    octaves = np.log2(np.maximum(_frequencies(), 60) / 1000)
    return np.asarray(10 ** (decibel_per_octave * octaves / 20), dtype=np.float64)


def _frequencies() -> Floats:
    return np.asarray(np.fft.rfftfreq(_PADDED, 1 / RATE), dtype=np.float64)


def _filter(signal: Floats, gain: Floats) -> Floats:
    spectrum = np.fft.rfft(signal, _PADDED, axis=1)
    return np.asarray(np.fft.irfft(spectrum * gain, _PADDED, axis=1)[:, :_SAMPLES], np.float64)
