"""Local models are told what was said before, and hear spoken questions whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from raqa.audio.spoken import SpokenQuestions
from raqa.audio.waveform import Waveform
from raqa.configuration.build import build_node
from raqa.configuration.overrides import compose_config
from raqa.responders.base import Exchange, Heard, Prompt
from raqa.responders.transformers_reader import TextReader, load_reader, messages
from tests.answering.soft_prefix.tiny import CHAT, tiny_model
from tests.audio.tone_speech import ToneSpeech
from tests.responders.asking import ask, asked, choice, outcomes, tone

BEFORE = (Exchange("what is heard ?", "a cough"), Exchange("is it dry ?", "no"))
PROMPT = Prompt("q", "is it long ?", before=BEFORE)


def test_a_conversation_is_told_as_turns_and_what_is_heard_goes_with_the_first() -> None:
    heard = Heard(Waveform(np.zeros(8, np.float32), 8))
    prompt = Prompt("q", "is it long ?", heard=heard, before=BEFORE)
    said = messages(prompt, "Be brief.", parts=True)
    assert [one["role"] for one in said] == ["system", *["user", "assistant"] * 2, "user"]
    assert [[part["type"] for part in one["content"]] for one in said] == [
        ["text"], ["audio", "text"], ["text"], ["text"], ["text"], ["text"],
    ]  # fmt: skip
    assert [one["content"] for one in messages(PROMPT, None, parts=False)] == [
        "what is heard ?", "a cough", "is it dry ?", "no", "is it long ?",
    ]  # fmt: skip


def test_a_model_without_a_chat_template_goes_on_from_questions_and_answers(
    tmp_path: Path,
) -> None:
    tiny_model(tmp_path)
    reader = load_reader(str(tmp_path), "main", None)
    assert isinstance(reader, TextReader)
    (tokens,) = reader.encode([PROMPT])["input_ids"].tolist()
    alone = reader.encode([Prompt("q", "is it long ?")])["input_ids"].tolist()[0]
    assert tokens[-len(alone) :] == alone
    assert reader.tokenizer.decode(tokens).count("Answer") == 3


def test_a_chat_template_puts_all_that_was_said_before(tmp_path: Path) -> None:
    tiny_model(tmp_path, "llama", chat=CHAT)
    reader = load_reader(str(tmp_path), "main", None)
    (tokens,) = reader.encode([PROMPT])["input_ids"].tolist()
    told = reader.tokenizer.decode(tokens).removeprefix("<begin>").replace("<unknown>", "-")
    # This template puts no space between turns, so that the last word of an answer is unknown.
    wanted = "- what is heard ? - a - is - dry ? - - is - long ? Answer :"
    assert told.strip() == wanted


def test_a_spoken_question_that_the_model_would_not_hear_to_its_end_fails_alone(
    tiny_media: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tiny_media("qwen2_audio")
    longest_s = load_reader(str(folder), "main", None).longest_s  # type: ignore[attr-defined]
    overrides = ["responder=qwen2_audio", f"responder.model={folder}", "responder.max_tokens=4",
                 "responder.dtype=float32", "responder.device=cpu"]  # fmt: skip
    responder = build_node(compose_config(overrides), "responder")
    brief = SpokenQuestions(synthesiser=ToneSpeech(), pause_s=0.1, option_pause_s=0.0)
    path = tone(tmp_path / "a.wav", 300, 0.3)
    rows = [
        choice(name, question_type="voice_qa", question="word " * words, options=["x", "y"])
        for name, words in (("short", 1), ("long", round(longest_s * 10)))
    ]
    found = ask(asked(rows, [path]), responder, tmp_path / "s", "audio", spoken=brief,
                clip={"length_s": 0.3, "padding": "none"})  # fmt: skip
    assert outcomes(found) == {"answered": 1, "failed": 1}
    assert (
        f"hears at most {longest_s:g} s"
        in found.usage.filter(pl.col("qa_id") == "long")["reason"][0]
    )
