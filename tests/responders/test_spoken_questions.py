"""Spoken questions are in what is heard and shown, never in what is written."""

from __future__ import annotations

import base64
import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from raqa.audio import speech
from raqa.audio.clip import ClipPolicy
from raqa.audio.spoken import SpokenQuestions
from raqa.errors import UserError
from raqa.responders.hearing import Hearing, Place
from raqa.responders.plain import RandomResponder
from raqa.responders.usage import usage_text
from tests.audio.tone_speech import WORD_S, ToneSpeech
from tests.responders.asking import ask, asked, choice, openai, outcomes, tone
from tests.responders.fake_server import serving

TONES = SpokenQuestions(synthesiser=ToneSpeech())
WORDS = 5 + (1 + 2) * 2
PAUSES_S = 1.0 + 2 * (0.6 + 0.2)
QUESTION = "Which of these is it?"


def voice(name: str, audio_row: int = 0, **changes: Any) -> dict[str, Any]:
    return choice(name, audio_row, **{"question_type": "voice_qa", "question": QUESTION, **changes})


@pytest.fixture
def tones(tmp_path: Path) -> list[Path]:
    return [tone(tmp_path / f"{hertz}.wav", hertz, 3.0) for hertz in (200, 400)]


def heard(body: dict[str, Any]) -> tuple[np.ndarray, int]:
    part = next(one for one in body["messages"][-1]["content"] if one["type"] == "input_audio")
    samples, rate = soundfile.read(io.BytesIO(base64.b64decode(part["input_audio"]["data"])))
    return samples, rate


def test_the_question_is_heard_after_the_recording_and_nowhere_written(
    tones: list[Path], tmp_path: Path
) -> None:
    with serving() as server:
        ask(asked([voice("q")], tones), openai(server.url), tmp_path / "s", "audio", spoken=TONES)
    (body,) = server.bodies
    samples, rate = heard(body)
    assert rate == 16_000
    assert len(samples) / rate == pytest.approx(3.0 + PAUSES_S + WORDS * WORD_S, abs=0.02)
    assert np.abs(samples[5 * rate :]).max() > 0.05
    words = body["messages"][-1]["content"][-1]["text"]
    assert not any(one in words for one in (QUESTION, "wheeze", "cough"))


def test_the_clip_cuts_the_recording_and_never_the_question(
    tones: list[Path], tmp_path: Path
) -> None:
    clip = ClipPolicy(length_s=1.0, part="last", padding="none")
    with serving() as server:
        ask(asked([voice("q")], tones), openai(server.url), tmp_path / "s", "audio", spoken=TONES,
            clip=clip)  # fmt: skip
    samples, rate = heard(server.bodies[0])
    assert len(samples) / rate == pytest.approx(1.0 + PAUSES_S + WORDS * WORD_S, abs=0.02)


def test_it_is_in_the_image_too(tones: list[Path]) -> None:
    aloud = (QUESTION, ("a wheeze", "a cough"))
    hearing = Hearing(given="both", spoken=TONES, rate=24_000)
    alone, spoken = (hearing.hear(Place(tones[0], aloud=said)) for said in (None, aloud))
    assert alone.image != spoken.image
    assert spoken.waveform is not None
    assert spoken.waveform.rate == 24_000
    seconds = 3.0 + PAUSES_S + WORDS * WORD_S
    assert spoken.waveform.seconds == pytest.approx(seconds, abs=0.02)


def test_other_words_another_voice_or_another_recording_are_another_request_and_no_other_is(
    tones: list[Path], tmp_path: Path
) -> None:
    def put(row: dict[str, Any], spoken: SpokenQuestions = TONES) -> None:
        ask(asked([row], tones), openai(server.url), tmp_path / "s", "audio", spoken=spoken)

    with serving() as server:
        put(voice("q"))
        put(voice("the same by another name"))
        assert len(server.bodies) == 1
        for count, changed in enumerate(
            [voice("q", question="Which is it now?"), voice("q", options=["a cough", "a wheeze"]),
             voice("q", 1)], start=2,
        ):  # fmt: skip
            put(changed)
            put(changed)
            assert len(server.bodies) == count
        put(voice("q"), SpokenQuestions(synthesiser=ToneSpeech(hertz=300.0)))
        put(voice("q"), SpokenQuestions(synthesiser=ToneSpeech(), pause_s=2.0))
        assert len(server.bodies) == 6
        put(choice("q"))
        put(choice("q"), SpokenQuestions(synthesiser=ToneSpeech(hertz=300.0)))
        assert len(server.bodies) == 7


def test_questions_about_one_recording_are_each_spoken_after_it(
    tones: list[Path], tmp_path: Path
) -> None:
    rows = [voice(str(n), question="word " * n, options=["yes", "no"]) for n in range(1, 6)]
    with serving() as server:
        ask(asked([*rows, choice("written")], tones), openai(server.url), tmp_path / "s", "audio",
            spoken=TONES)  # fmt: skip
    seconds = sorted(len(heard(body)[0]) / 16_000 for body in server.bodies)
    each = [3.0 + PAUSES_S + (n + 4) * WORD_S for n in range(1, 6)]
    assert seconds == pytest.approx([3.0, *each], abs=0.02)


def test_where_nothing_is_heard_there_is_no_question_so_it_is_unscored(
    tones: list[Path], tmp_path: Path
) -> None:
    with serving() as server:
        found = ask(asked([voice("q"), choice("w")], tones), openai(server.url), tmp_path / "s")
    assert len(server.bodies) == 1
    assert outcomes(found) == {"answered": 1, "failed": 1}
    assert "1 prompts asked now, 0 from the store" in usage_text(found.usage)
    assert found.usage.filter(outcome="failed")["reason"][0].startswith(
        "the question is only spoken"
    )
    assert found.answers["response"].null_count() == 1


def test_chance_needs_no_voice(
    tones: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    found = ask(asked([voice("q")], tones), RandomResponder(), tmp_path / "s", "audio")
    assert found.answers["response"][0] in {"A", "B"}


def test_a_missing_program_is_told_before_anything_is_asked(
    tones: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    speech.spoken.cache_clear()
    rows = asked([choice("written"), voice("q")], tones)
    with serving() as server:
        with pytest.raises(UserError, match="apt install espeak-ng"):
            ask(rows, openai(server.url), tmp_path / "s", "audio")
        assert not server.bodies
        written = asked([choice("written")], tones)
        ask(written, openai(server.url), tmp_path / "s", "audio")


def test_what_can_not_be_spoken_is_a_failure_with_a_reason(
    tones: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mute(_: ToneSpeech, text: str) -> Any:
        if text == "unspeakable":
            raise speech.AudioError("there is nothing that can be spoken")
        return say(ToneSpeech(), text)

    say = ToneSpeech.say
    monkeypatch.setattr(ToneSpeech, "say", mute)
    rows = [voice("q"), voice("r", options=["unspeakable", "a cough"])]
    with serving() as server:
        found = ask(asked(rows, tones), openai(server.url), tmp_path / "s", "audio", spoken=TONES)
    assert outcomes(found) == {"answered": 1, "failed": 1}
    assert "nothing that can be spoken" in found.usage.filter(outcome="failed")["reason"][0]
