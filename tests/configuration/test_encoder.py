"""Encoders from Python, by the names of their config files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from raqa import load_encoder
from raqa.encoders.mel_stats import MelStats
from raqa.errors import UserError


def test_three_lines_give_an_array_of_clips_by_width() -> None:
    encoder = load_encoder("mel_stats")
    waveforms = [np.ones(32_000, np.float32), np.ones(16_000, np.float32)]
    assert encoder.embed(waveforms, sample_rate=16_000).shape == (2, encoder.width)


def test_settings_are_those_of_the_file_unless_given() -> None:
    assert load_encoder("mel_stats").fingerprint == MelStats().fingerprint
    assert load_encoder("mel_stats", bands=32).fingerprint == MelStats(bands=32).fingerprint


def test_weights_are_as_in_the_config() -> None:
    assert not load_encoder("m2d_resp", weights="random", output="frames").weights_real


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    path = tmp_path / "a=b, {c} d.pth"
    with pytest.raises(UserError, match=r"a=b, \{c\} d\.pth is no file"):
        load_encoder("m2d_resp", weights=path)


def test_an_unknown_name_or_setting_is_answered_with_the_choices() -> None:
    with pytest.raises(UserError, match="Did you mean opera_ct"):
        load_encoder("opera_ctt")
    with pytest.raises(UserError, match=r"mel_stats has no setting weights\. Choices: bands"):
        load_encoder("mel_stats", weights="hub")
    with pytest.raises(UserError, match=r"encoder\.bands=2: input should be greater"):
        load_encoder("mel_stats", bands=2)


def test_importing_raqa_stays_light() -> None:
    code = "import raqa, sys; print('load_encoder' in dir(raqa), 'torch' in sys.modules)"
    code += "; assert callable(raqa.load_encoder)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.stdout.split()[1] == "False"
