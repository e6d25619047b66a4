"""openSMILE's features, where the package is installed."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from raqa.encoders import opensmile as module
from raqa.encoders.opensmile import OpenSmile
from raqa.errors import UserError

RATE = 16_000

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("opensmile") is None, reason="the extra opensmile is not installed"
)


def _voice(pitch: float, seconds: float = 1.0) -> np.ndarray:
    time = np.arange(round(seconds * RATE)) / RATE
    tones = sum(np.sin(2 * np.pi * pitch * k * time) / k for k in range(1, 6))
    return (0.1 * tones).astype(np.float32)


def test_without_the_package_the_licence_and_the_command_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match=r"research and teaching.*pip install 'raqa\[opensmile\]'"):
        OpenSmile()


@needs_package
def test_egemaps_has_88_functionals_and_hears_the_pitch() -> None:
    encoder = OpenSmile()
    low, high = encoder.embed([_voice(110), _voice(220)], RATE)
    assert low.shape == (encoder.width,) == (88,)
    assert high[0] - low[0] == pytest.approx(12, abs=0.3)  # mean pitch in semitones


@needs_package
def test_frames_are_low_level_descriptors_every_10_ms() -> None:
    encoder = OpenSmile(output="frames")
    assert encoder.embed([_voice(110)] * 2, RATE).shape == (2, 96, 25)
    assert encoder.fingerprint != OpenSmile().fingerprint


@needs_package
@pytest.mark.parametrize("clip", [np.zeros(RATE, np.float32), _voice(110, 0.06)])
def test_silence_and_the_shortest_clip_give_finite_numbers(clip: np.ndarray) -> None:
    assert np.isfinite(OpenSmile().embed([clip], RATE)).all()


@needs_package
def test_a_clip_under_the_window_of_the_pitch_tracker_is_refused() -> None:
    with pytest.raises(ValueError, match=r"at least 0\.06 s"):
        OpenSmile().embed([_voice(110, 0.05)], RATE)


@needs_package
def test_a_clip_gets_the_same_numbers_alone_and_in_a_batch() -> None:
    clips = [_voice(pitch) for pitch in (100, 150, 200)]
    encoder = OpenSmile()
    together = encoder.embed(clips, RATE)
    for row, clip in zip(together, clips, strict=True):
        np.testing.assert_array_equal(encoder.embed([clip], RATE)[0], row)
