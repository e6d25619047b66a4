"""The encoder without weights."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from raqa.encoders.mel_stats import MelStats
from raqa.errors import UserError


def _burst(seconds: float, decay: float = 8.0, pitch: float = 400.0) -> np.ndarray:
    time = np.arange(round(seconds * 16_000)) / 16_000
    noise = 1e-4 * np.random.default_rng(0).standard_normal(len(time))
    return (0.5 * np.sin(2 * np.pi * pitch * time) * np.exp(-decay * time) + noise).astype("f4")


def _embed(*waveforms: np.ndarray) -> np.ndarray:
    return MelStats().embed(waveforms, 16_000)


def test_the_width_is_what_comes_out() -> None:
    for bands in (16, 64):
        encoder = MelStats(bands=bands)
        assert encoder.embed([_burst(2)] * 3, 16_000).shape == (3, encoder.width)


def test_it_is_deterministic_and_does_not_touch_the_global_generator() -> None:
    state = torch.get_rng_state()
    np.testing.assert_array_equal(_embed(_burst(1)), _embed(_burst(1)))
    assert torch.equal(torch.get_rng_state(), state)


def test_a_clip_gets_the_same_numbers_alone_and_in_a_batch() -> None:
    clips = [_burst(1, decay, 200 * decay) for decay in range(1, 30)]
    together = _embed(*clips)
    for row, clip in zip(together, clips, strict=True):
        np.testing.assert_allclose(_embed(clip)[0], row, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("padding", [1.0, 7.0])
def test_zeros_after_a_cough_hardly_change_it(padding: float) -> None:
    cough = _burst(1, decay=3)
    padded = np.pad(cough, (0, round(padding * 16_000)))
    alone, followed, other = _embed(cough, padded, _burst(1, decay=12, pitch=900))
    assert np.linalg.norm(followed - alone) < 0.05 * np.linalg.norm(other - alone)


@pytest.mark.parametrize(
    "clip",
    [np.zeros(16_000), np.r_[np.zeros(8_000), 1.0, np.zeros(8_000)], np.ones(16_000),
     np.r_[_burst(0.3), np.zeros(16_000), _burst(0.3)], 1e-20 * _burst(1), 99 * _burst(1)],
)  # fmt: skip
def test_silence_within_a_clip_and_any_level_give_finite_numbers(clip: np.ndarray) -> None:
    assert np.isfinite(_embed(clip.astype(np.float32))).all()


def test_decay_and_pitch_show() -> None:
    slow, fast, high = _embed(_burst(1, 2), _burst(1, 20), _burst(1, 2, 3_000))
    assert fast[-2] < 0.5 * slow[-2]  # seconds of sounding frames
    assert high[:64].argmax() > slow[:64].argmax() + 10  # mean level of the bands


def test_clips_of_different_lengths_down_to_its_minimum() -> None:
    encoder = MelStats()
    shortest = round(encoder.min_s * 16_000)
    assert np.isfinite(encoder.embed([_burst(1), _burst(1)[:shortest]], 16_000)).all()
    with pytest.raises(ValueError, match=r"at least 0\.05 s"):
        encoder.embed([_burst(1)[: shortest - 1]], 16_000)


def test_another_rate_is_refused_and_the_right_one_named() -> None:
    with pytest.raises(ValueError, match="16000 Hz, not 22050 Hz"):
        MelStats().embed([_burst(1)], 22_050)


def test_its_settings_are_its_identity() -> None:
    encoder = MelStats()
    assert json.loads(json.dumps(encoder.settings)) == encoder.settings
    assert encoder.fingerprint == MelStats().fingerprint
    assert encoder.fingerprint != MelStats(hop_ms=20).fingerprint
    assert (encoder.weights, encoder.weights_real) == ("none", True)


@pytest.mark.parametrize("wrong", [{"bands": 0}, {"bands": "many"}, {"high_hz": 9_000.0}])
def test_a_wrong_setting_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        MelStats(**wrong)


def test_settings_that_do_not_fit_together_say_what_would() -> None:
    with pytest.raises(UserError, match="low_hz"):
        MelStats(low_hz=8_000)
    with pytest.raises(UserError, match="fewer bands"):
        MelStats(bands=256)
