"""Which part of a recording is heard, and how a short one is filled up."""

from __future__ import annotations

import json

import numpy as np
import pytest
from pydantic import ValidationError

from raqa.audio.clip import ClipPolicy
from raqa.audio.waveform import Waveform


def _ramp(samples: int, rate: int = 10) -> Waveform:
    return Waveform(np.arange(1, samples + 1, dtype=np.float32), rate)


@pytest.mark.parametrize(
    ("part", "first", "last"), [("first", 1, 20), ("centre", 6, 25), ("last", 11, 30)]
)
def test_a_long_recording_is_cut_to_the_part(part: str, first: int, last: int) -> None:
    clip = ClipPolicy(length_s=2, part=part).apply(_ramp(30))
    assert clip.rate == 10
    assert (clip.samples[0], clip.samples[-1], len(clip.samples)) == (first, last, 20)


def test_the_loudest_part_holds_the_burst_and_is_the_first_of_equals() -> None:
    samples = np.zeros(100, np.float32)
    samples[55:60] = -1
    samples[80:85] = 1
    clip = ClipPolicy(length_s=1, part="loudest").apply(Waveform(samples, 10))
    assert clip.samples.tolist() == samples[50:60].tolist()


@pytest.mark.parametrize(
    ("padding", "expected"),
    [("zeros", [1, 2, 3, 0, 0, 0, 0]), ("repeat", [1, 2, 3, 1, 2, 3, 1]), ("none", [1, 2, 3])],
)
@pytest.mark.parametrize("part", ["first", "centre", "last", "loudest"])
def test_a_short_recording_is_followed_by_the_padding(
    padding: str, expected: list[int], part: str
) -> None:
    clip = ClipPolicy(length_s=0.7, part=part, padding=padding).apply(_ramp(3))
    assert clip.samples.tolist() == expected
    assert clip.samples.dtype == np.float32


def test_without_a_length_a_recording_stays_whole() -> None:
    waveform = _ramp(33)
    assert ClipPolicy(length_s=None).apply(waveform) is waveform


def test_a_clip_does_not_hold_on_to_the_recording() -> None:
    assert ClipPolicy(length_s=0.5).apply(_ramp(1000)).samples.base is None


@pytest.mark.parametrize(
    ("policy", "slug"),
    [
        (ClipPolicy(), "first_2s"),
        (ClipPolicy(length_s=8.18, part="loudest", padding="repeat"), "loudest_8.18s_repeat"),
        (ClipPolicy(length_s=None, part="last"), "whole"),
    ],
)
def test_it_names_and_records_itself(policy: ClipPolicy, slug: str) -> None:
    assert policy.slug == slug
    assert ClipPolicy(**json.loads(json.dumps(policy.settings))).slug == slug


def test_what_makes_no_difference_to_whole_recordings_is_not_recorded() -> None:
    assert ClipPolicy(length_s=None, part="last").settings == ClipPolicy(length_s=None).settings


@pytest.mark.parametrize(
    "wrong",
    [{"length_s": 0}, {"length_s": "two"}, {"length_s": float("nan")}, {"part": "middle"},
     {"padding": "zero"}, {"lenght_s": 2}],
)  # fmt: skip
def test_a_wrong_value_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        ClipPolicy(**wrong)
