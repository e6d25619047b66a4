"""Local language models answer the same alone and in a batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from raqa.errors import UserError
from raqa.responders import transformers
from raqa.responders.transformers import TransformersResponder
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


def test_other_weights_in_the_same_folder_are_another_model(tmp_path: Path) -> None:
    tiny_model(tmp_path / "model")
    before = _responder(tmp_path / "model").identity
    tiny_model(tmp_path / "model", words=("another",))
    assert _responder(tmp_path / "model").identity != before


def test_a_prompt_that_is_too_long_fails_alone(tmp_path: Path) -> None:
    tiny_model(tmp_path / "model")
    questions = asked([question("a"), question("b", question="cough " * 100)])
    found = ask(questions, _responder(tmp_path / "model"), tmp_path / "s")
    assert outcomes(found) == {"answered": 1, "failed": 1}
    assert "the model reads 60 beside its answer" in found.usage["reason"][1]


def test_a_model_that_is_not_there_or_asked_to_hear_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="responder.model=/nowhere/model"):
        ask(QUESTIONS, _responder(Path("/nowhere/model")), tmp_path)
    with pytest.raises(UserError, match="is of the class AutoModelForCausalLM, which takes none"):
        ask(QUESTIONS, _responder(tmp_path), tmp_path, "audio")
