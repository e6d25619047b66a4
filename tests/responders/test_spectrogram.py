"""The image of a recording shows what its axes say, checked on its pixels."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from raqa.audio.waveform import Waveform
from raqa.responders.spectrogram import (
    TICKS_HZ,
    SpectrogramSettings,
    mel_levels,
    spectrogram_image,
)

RATE, SECONDS, LOW, HIGH = 16_000, 16.0, 100.0, 4100.0
SETTINGS = SpectrogramSettings()


def _chirp() -> Waveform:
    """A tone that rises evenly from LOW to HIGH."""
    time = np.arange(round(RATE * SECONDS)) / RATE
    phase = LOW * time + (HIGH - LOW) / (2 * SECONDS) * time**2
    return Waveform(np.sin(2 * np.pi * phase).astype(np.float32) / 2, RATE)


def _pixels(waveform: Waveform) -> NDArray[np.int64]:
    """Brightness of every pixel, `[height, width]`."""
    image = Image.open(io.BytesIO(spectrogram_image(waveform, SETTINGS)))
    assert image.mode == "RGB"
    assert image.size == (SETTINGS.width, SETTINGS.height)
    return np.asarray(image).astype(np.int64).sum(axis=2)


def _runs(dark: NDArray[np.bool_]) -> list[float]:
    """The middles of runs of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], dark.astype(int), [0]])))
    return [float(first + last - 1) / 2 for first, last in edges.reshape(-1, 2)]


def _box(pixels: NDArray[np.int64]) -> tuple[int, int, int, int]:
    """The axes' left, right, top and bottom, found as the dark rectangle on white."""
    dark = pixels < 600
    columns = np.flatnonzero(dark[: SETTINGS.height * 3 // 4].mean(axis=0) > 0.6)
    left = columns[0]
    right = columns[np.flatnonzero(np.diff(columns) > 5)[0]]
    rows = np.flatnonzero(dark[:, left:right].mean(axis=1) > 0.6)
    return int(left), int(right), int(rows[0]), int(rows[-1])


def test_a_chirp_crosses_every_tick_of_the_frequency_axis_when_it_has_that_frequency() -> None:
    pixels = _pixels(_chirp())
    left, right, top, bottom = _box(pixels)
    ticks_y = _runs(pixels[: bottom + 3, left - 3] < 300)[::-1]  # marks left of the axes, from 0 Hz
    ticks_x = _runs(pixels[bottom + 3, left - 2 : right + 3] < 300)  # and below them, every 2 s
    assert len(ticks_x) == 9
    shown = [hertz for hertz in (*TICKS_HZ, RATE / 2) if hertz <= RATE / 2 and hertz != 8192]
    assert len(ticks_y) == len(shown)
    width = (ticks_x[-1] - ticks_x[0]) / SECONDS
    for hertz, y in zip(shown, ticks_y, strict=True):
        if not 200 < hertz < HIGH - 200:
            continue
        x = left - 2 + ticks_x[0] + width * (hertz - LOW) * SECONDS / (HIGH - LOW)
        column = pixels[top + 2 : bottom - 1, round(x)]
        bright = np.clip(column - 0.6 * column.max(), 0, None)  # between two bands: their middle
        line = top + 2 + (bright * np.arange(len(column))).sum() / bright.sum()
        assert abs(line - y) <= 2, hertz


def test_silence_around_a_tone_is_dark_and_its_band_is_bright() -> None:
    time = np.arange(RATE) / RATE
    levels = mel_levels(
        Waveform(np.sin(2 * np.pi * 1000 * time).astype(np.float32), RATE), SETTINGS
    )
    assert levels.shape == (256, 1 + RATE // 512)
    assert levels.max() == 0
    assert levels.min() == -SETTINGS.range_db
    brightest = levels[:, 10].argmax()
    assert (levels[:, 10] > -20).sum() < 15
    assert (levels.argmax(axis=0)[2:-2] == brightest).all()


@pytest.mark.parametrize("hertz", [20.0, 47.0, 90.0, 300.0])
def test_no_band_is_left_empty_at_low_frequencies(hertz: float) -> None:
    time = np.arange(RATE) / RATE
    noise = np.random.default_rng(0).normal(0, 1e-3, RATE)
    wave = (np.sin(2 * np.pi * hertz * time) + noise).astype(np.float32)
    levels = mel_levels(Waveform(wave, RATE), SETTINGS)
    assert (levels.max(axis=1) > -SETTINGS.range_db).all()


def test_the_same_recording_gives_the_same_bytes() -> None:
    assert spectrogram_image(_chirp(), SETTINGS) == spectrogram_image(_chirp(), SETTINGS)


@pytest.mark.parametrize("samples", [400, 513])
def test_a_recording_shorter_than_a_frame_is_drawn(samples: int) -> None:
    wave = np.random.default_rng(0).normal(0, 0.1, samples).astype(np.float32)
    assert _pixels(Waveform(wave, 4000)).shape == (600, 1000)


def test_a_silent_recording_is_dark_not_an_error() -> None:
    levels = mel_levels(Waveform(np.zeros(4000, np.float32), 4000), SETTINGS)
    assert (levels == -SETTINGS.range_db).all()
