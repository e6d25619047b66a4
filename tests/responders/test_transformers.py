"""Local language models answer the same alone and in a batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from raqa.audio.waveform import Waveform
from raqa.errors import UserError
from raqa.responders import transformers
from raqa.responders.base import Heard, Prompt
from raqa.responders.spectrogram import SpectrogramSettings, spectrogram_image
from raqa.responders.transformers import TransformersResponder
from raqa.responders.transformers_reader import messages
from tests.answering.soft_prefix.tiny import CHAT, tiny_model
from tests.responders.asking import ask, asked, outcomes, question

QUESTIONS = asked(
    [question(f"q{n}", question="what is heard in the recording ? " + "cough " * n)
     for n in range(5)]
)  # fmt: skip


def _responder(folder: Path, **changes: Any) -> TransformersResponder:
    return TransformersResponder(**{"model": str(folder), "max_tokens": 4, **changes})


@pytest.mark.parametrize(("kind", "chat"), [("gpt2", None), ("llama", CHAT)])
def test_a_batch_padded_on_the_left_says_what_each_says_alone(
    kind: Literal["gpt2", "llama"], chat: str | None, tmp_path: Path
) -> None:
    tiny_model(tmp_path / "model", kind, chat=chat)
    alone, together = (
        ask(QUESTIONS, _responder(tmp_path / "model", batch_size=size), tmp_path / str(size))
        for size in (1, 5)
    )
    assert outcomes(alone) == {"answered": 5}
    assert alone.answers.equals(together.answers)
    if kind == "gpt2":  # this Llama says the same to everything
        assert alone.answers["response"].n_unique() > 1
    assert alone.usage["tokens_in"].n_unique() == 5
    assert (alone.usage["tokens_out"] <= 4).all()


def test_the_same_questions_again_load_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_model(tmp_path / "model")
    first = ask(QUESTIONS, _responder(tmp_path / "model"), tmp_path / "s")
    monkeypatch.setattr(transformers, "load_model", None)
    again = ask(QUESTIONS, _responder(tmp_path / "model"), tmp_path / "s")
    assert first.answers.equals(again.answers)


def test_answers_of_another_model_are_never_handed_out(tmp_path: Path) -> None:
    """Other weights, other files, other settings: whatever could answer differently asks anew."""
    folder = tmp_path / "model"
    tiny_model(folder, "llama", chat=CHAT)
    seen = [_responder(folder).identity]

    def new(**changes: Any) -> bool:
        now = _responder(folder, **changes).identity
        seen.append(now)
        return now not in seen[:-1]

    tiny_model(folder, "llama", chat=CHAT, words=("another",))
    assert new()
    (folder / "chat_template.jinja").rename(folder / "chat_template.txt")  # the same content
    assert new()
    for setting in ({"system": "Be brief."}, {"max_tokens": 5}, {"dtype": "bfloat16"}):
        assert new(**setting)
    (folder / ".cache").mkdir()
    (folder / ".cache" / "download.metadata").write_text("2026-11-01")
    assert not new()  # hidden files are of other programs
    assert not new(batch_size=3, device="cpu", takes=["none"])
    assert _responder(Path("a/name")).identity != _responder(Path("a/name"), revision="x").identity


def test_the_model_is_told_what_the_system_prompt_says(tmp_path: Path) -> None:
    tiny_model(tmp_path / "model", "llama", chat=CHAT)
    plain, told = (
        ask(QUESTIONS, _responder(tmp_path / "model", system=system), tmp_path / "s")
        for system in (None, "this is heard ")
    )
    assert (told.usage["tokens_in"] - plain.usage["tokens_in"]).to_list() == [
        4
    ] * 5  # with the role


def test_media_stand_before_the_words_and_only_parts_hold_them() -> None:
    png = spectrogram_image(Waveform(np.ones(800, np.float32), 8000), SpectrogramSettings())
    heard = Heard(Waveform(np.zeros(800, np.float32), 8000), png)
    system, user = messages(Prompt("q", "heard?", heard=heard), "be brief", parts=True)
    assert system == {"role": "system", "content": [{"type": "text", "text": "be brief"}]}
    assert [part["type"] for part in user["content"]] == ["audio", "image", "text"]
    assert user["content"][1]["image"].size == (1000, 600)
    assert messages(Prompt("q", "heard?"), None, parts=False) == [
        {"role": "user", "content": "heard?"}
    ]


def test_a_prompt_that_is_too_long_fails_alone(tmp_path: Path) -> None:
    tiny_model(tmp_path / "model")
    questions = asked([question("a"), question("b", question="cough " * 100)])
    found = ask(questions, _responder(tmp_path / "model"), tmp_path / "s")
    assert outcomes(found) == {"answered": 1, "failed": 1}
    assert "the model reads 60 beside its answer" in found.usage["reason"][1]


def test_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="responder.model=/nowhere/model"):
        ask(QUESTIONS, _responder(Path("/nowhere/model")), tmp_path)
