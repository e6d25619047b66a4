"""What every encoder promises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from raqa.encoders.base import Encoder


class Means(Encoder):
    """Means of ten parts of a clip; takes clips of one second at 1 kHz."""

    sample_rate = 1_000
    window_s = 1.0
    width = 10

    def __init__(self, output: str = "vector") -> None:
        super().__init__()
        self.output = output  # type: ignore[assignment]
        self.dropout = torch.nn.Dropout(0.5)

    @property
    def settings(self) -> Mapping[str, Any]:
        return {}

    def forward(self, waveforms: Tensor) -> Tensor:
        self.check_input(waveforms)
        parts = self.dropout(waveforms.reshape(len(waveforms), 10, -1))
        return parts.mean(2) if self.output == "vector" else parts


def test_embed_gives_float32_rows_in_the_order_of_the_clips() -> None:
    clips = [np.full(1_000, value, np.float64) for value in (3, 1, 2)]
    rows = Means().embed(clips, 1_000)
    assert rows.dtype == np.float32
    assert rows[:, 0].tolist() == [3, 1, 2]
    assert Means().embed([], 1_000).shape == (0, 10)


def test_embed_evaluates_without_gradients_and_leaves_the_mode_as_it_was() -> None:
    encoder = Means().train()
    assert encoder.embed([np.ones(1_000, np.float32)], 1_000).tolist() == [[1.0] * 10]
    assert encoder.training


def test_frames_are_an_array_of_three_dimensions() -> None:
    clips = [np.ones(1_000, np.float32)] * 2
    assert Means("frames").embed(clips, 1_000).shape == (2, 10, 100)


def test_a_clip_of_another_length_is_refused_and_the_right_one_named() -> None:
    with pytest.raises(ValueError, match="clips of 1 s at 1000 Hz, not 900 samples"):
        Means().embed([np.ones(900, np.float32)], 1_000)
    with pytest.raises(ValueError, match=r"float \[clips, samples\]"):
        Means()(torch.ones(1_000))


def test_the_fingerprint_tells_encoders_weights_and_outputs_apart() -> None:
    encoder, other = Means(), Means()
    other.weights = "random"
    assert not other.weights_real
    assert len({encoder.fingerprint, other.fingerprint, Means("frames").fingerprint}) == 3
