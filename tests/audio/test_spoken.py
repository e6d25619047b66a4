"""A spoken recording is the recording, then the whole question, loud enough and no louder."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from raqa.audio.spoken import LOWEST_RATE, SpokenQuestions
from raqa.audio.waveform import Waveform
from tests.audio.tone_speech import WORD_S, ToneSpeech

QUESTION, OPTIONS = "Which sound is heard here?", ["a wheeze", "fine crackles at the end"]
WORDS = 5 + (1 + 2) + (1 + 5)  # a letter before each option
PAUSES_S = 1.0 + 2 * (0.6 + 0.2)


def noise(seconds: float = 2.0, rate: int = 16_000, level: float = 0.1) -> Waveform:
    samples = np.random.default_rng(0).normal(0, level, round(seconds * rate))
    return Waveform(samples.astype(np.float32), rate)


def made(recording: Waveform, **settings: object) -> Waveform:
    spoken = SpokenQuestions(synthesiser=ToneSpeech(), **settings)  # type: ignore[arg-type]
    return spoken.after(recording, QUESTION, OPTIONS)


def rms(samples: np.ndarray) -> float:
    return float(np.sqrt(np.square(samples, dtype=np.float64).mean()))


def tail(whole: Waveform, recording: Waveform) -> np.ndarray:
    return whole.samples[round(recording.seconds * whole.rate) :]


def test_the_recording_comes_first_then_a_pause_then_every_word_of_question_and_options() -> None:
    recording = noise()
    whole = made(recording)
    unfaded = len(recording.samples) - 200
    assert np.array_equal(whole.samples[:unfaded], recording.samples[:unfaded])
    after = tail(whole, recording)
    assert not after[: whole.rate].any()
    assert len(after) / whole.rate == pytest.approx(WORDS * WORD_S + PAUSES_S, abs=0.01)
    sounding = np.abs(after[: len(after) // 160 * 160].reshape(-1, 160)).max(axis=1) > 0.01
    assert sounding.sum() * 0.01 == pytest.approx(WORDS * WORD_S, abs=0.08)


def test_nothing_clicks_where_the_recording_ends() -> None:
    steady = Waveform(np.full(16_000, 0.5, np.float32), 16_000)
    assert np.abs(np.diff(made(steady).samples[:20_000])).max() < 0.01


def test_pauses_are_as_long_as_they_are_set() -> None:
    short, long = made(noise()), made(noise(), pause_s=2.0, option_pause_s=1.6)
    assert long.seconds - short.seconds == pytest.approx(1.0 + 2 * 1.0, abs=0.01)


@pytest.mark.parametrize("level", [0.0, 0.001, 0.05, 0.09, 0.3, 0.9])
def test_speech_is_as_loud_as_the_recording_within_what_is_heard_well(level: float) -> None:
    recording = noise(level=level)
    after = tail(made(recording), recording)
    wanted = float(np.clip(rms(recording.samples), 10 ** (-30 / 20), 10 ** (-18 / 20)))
    assert rms(after[after != 0]) == pytest.approx(wanted, rel=0.05)


def test_speech_never_clips_however_loud_it_is_asked_for() -> None:
    recording = noise(level=0.3)
    after = tail(made(recording, quietest_db=-6.0, loudest_db=-6.0), recording)
    assert rms(after[after != 0]) > 0.4
    click = np.zeros(800, np.float32)
    click[400] = 0.01  # nearly all of its level is in one sample

    class Click(ToneSpeech):
        def say(self, text: str) -> Waveform:  # noqa: ARG002
            return Waveform(click, 16_000)

    spoken = SpokenQuestions(synthesiser=Click(), quietest_db=-20.0)
    loud = spoken.after(recording, QUESTION, OPTIONS)
    assert 0.9 < np.abs(tail(loud, recording)).max() < 1


@pytest.mark.parametrize("rate", [4000, 8000, 16_000, 44_100])
def test_slow_recordings_are_raised_to_a_rate_at_which_speech_is_understood(rate: int) -> None:
    whole = made(noise(rate=rate))
    assert whole.rate == max(rate, LOWEST_RATE)
    assert whole.seconds == pytest.approx(2.0 + WORDS * WORD_S + PAUSES_S, abs=0.02)


def test_the_same_gives_the_same_samples_and_every_setting_is_in_the_facts() -> None:
    assert made(noise()).samples.tobytes() == made(noise()).samples.tobytes()
    known = SpokenQuestions(synthesiser=ToneSpeech()).facts
    for changes in (
        {"synthesiser": ToneSpeech(hertz=300.0)}, {"pause_s": 2.0}, {"option_pause_s": 2.0},
        {"quietest_db": -40.0}, {"loudest_db": -10.0},
    ):  # fmt: skip
        other = SpokenQuestions(**{"synthesiser": ToneSpeech(), **changes})  # type: ignore[arg-type]
        assert other.facts != known


def test_a_recording_shorter_than_its_fade_is_kept() -> None:
    assert made(Waveform(np.ones(3, np.float32), 16_000)).seconds > 3


def test_levels_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ValidationError, match="quietest_db=-10 is above -20"):
        SpokenQuestions(quietest_db=-10.0, loudest_db=-20.0)
