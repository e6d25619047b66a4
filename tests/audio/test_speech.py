"""espeak-ng says every word, always in the same way, and obeys nothing that it is given to say."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from raqa.audio.speech import Espeak, spoken
from raqa.audio.spoken import SpokenQuestions
from raqa.audio.waveform import AudioError, Waveform
from raqa.errors import UserError

needs_espeak = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="the program espeak-ng is not installed"
)

QUESTION = "Which adventitious sound is heard in the left lung of this person?"
OPTIONS = ["fine crackles", "a polyphonic wheeze", "no abnormal sound", "a pleural rub"]


@needs_espeak
def test_speech_lasts_as_long_as_its_words_must_and_has_energy_throughout() -> None:
    said = Espeak(words_per_minute=150).say(QUESTION)
    assert said.rate == 22_050
    assert len(QUESTION.split()) / 250 * 60 < said.seconds < len(QUESTION.split()) / 100 * 60
    blocks = said.samples[: len(said.samples) // 4410 * 4410].reshape(-1, 4410)
    assert (np.abs(blocks).max(axis=1) > 0.02).all()  # every fifth of a second
    assert np.abs(said.samples).max() < 1
    assert said.samples[0] != 0
    assert said.samples[-1] != 0


@needs_espeak
def test_the_part_after_a_recording_is_the_question_and_each_option() -> None:
    recording = Waveform(np.random.default_rng(0).normal(0, 0.1, 48_000).astype(np.float32), 16_000)
    whole = SpokenQuestions().after(recording, QUESTION, OPTIONS)
    after = whole.samples[48_000:]
    words = len(QUESTION.split()) + sum(1 + len(one.split()) for one in OPTIONS)
    assert words / 250 * 60 < len(after) / whole.rate < words / 60 * 60
    blocks = np.abs(after[: len(after) // 1600 * 1600].reshape(-1, 1600)).max(axis=1) > 0.01
    pieces = np.flatnonzero(np.diff(blocks.astype(int)) == 1)
    assert len(pieces) >= 1 + 2 * len(OPTIONS)  # a letter and a text each, pauses between
    assert np.abs(whole.samples).max() < 1


@needs_espeak
def test_letters_are_said_as_letters() -> None:
    alone, article = Espeak().say("A."), Espeak().say("A. wheeze")
    assert alone.seconds > 0.15
    # In one breath the letter would be the article, which is why it is said by itself.
    assert article.seconds < alone.seconds + Espeak().say("wheeze").seconds - 0.1


@needs_espeak
def test_the_same_text_and_settings_give_the_same_samples() -> None:
    first, again = Espeak().say(QUESTION), Espeak().say(QUESTION)
    assert first.samples.tobytes() == again.samples.tobytes()
    for other in (Espeak(voice="en-gb"), Espeak(words_per_minute=120)):
        assert other.say(QUESTION).samples.tobytes() != first.samples.tobytes()
        assert other.identity != Espeak().identity
    assert Espeak().identity["version"][0].isdigit()


@needs_espeak
def test_what_is_said_once_is_not_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: (calls.append(a), run(*a, **k))[1])
    for _ in range(3):
        spoken(Espeak(words_per_minute=151), "a text that no other test says")
    assert len(calls) == 1


@needs_espeak
def test_texts_are_said_and_never_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = ["-w made", "; touch made", "$(touch made)", "`touch made`", "--version", "größer",
             "<audio src='made'/> 5", "\x00a\x1b[2J\nb", "\ud800 c", "≥ 5 °C"]  # fmt: skip
    for text in texts:
        assert Espeak().say(text).seconds > 0.1
    assert list(tmp_path.iterdir()) == []
    # [[...]] would be phonemes; what is in it is read like any word.
    bracketed, plain = Espeak().say("[[wheeze]]"), Espeak().say("wheeze")
    assert bracketed.seconds == pytest.approx(plain.seconds, abs=0.02)


@needs_espeak
@pytest.mark.parametrize("text", ["", " ", "\x00"])
def test_nothing_to_say_is_an_error_and_no_silent_question(text: str) -> None:
    with pytest.raises(AudioError, match="nothing that can be spoken"):
        Espeak().say(text)


@needs_espeak
def test_a_voice_that_there_is_not_is_named_with_how_to_see_those_there_are() -> None:
    with pytest.raises(UserError, match="-v nobody.*espeak-ng --voices"):
        Espeak(voice="nobody").say("a")


def test_a_voice_is_a_name() -> None:
    for voice in ("", "-w", "a b", "../x", "x;y"):
        with pytest.raises(ValidationError):
            Espeak(voice=voice)


def test_without_the_program_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UserError, match="apt install espeak-ng"):
        _ = Espeak(words_per_minute=152).identity


def test_a_program_that_does_not_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(arguments: list[str], timeout: float, **_: Any) -> None:
        raise subprocess.TimeoutExpired(arguments, timeout)

    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", hangs)
    with pytest.raises(AudioError, match="within 120 s"):
        Espeak().say("a")
