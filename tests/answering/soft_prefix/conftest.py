"""A tiny language model of each kind, and a head on it."""

from __future__ import annotations

import pytest

from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.language_model import LanguageModel, load_language_model
from raqa.answering.soft_prefix.settings import (
    GenerationSettings,
    LanguageModelSettings,
    LoraSettings,
)
from soft_prefix.tiny import CHAT, MAPPER, tiny_model


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LanguageModelSettings]:
    """Settings by kind of model."""
    return {
        "gpt2": tiny_model(tmp_path_factory.mktemp("gpt2"), "gpt2"),
        "llama": tiny_model(tmp_path_factory.mktemp("llama"), "llama"),
        "chat": tiny_model(tmp_path_factory.mktemp("chat"), "gpt2", chat=CHAT),
    }


@pytest.fixture(params=["gpt2", "llama"])
def language(
    request: pytest.FixtureRequest, tiny_models: dict[str, LanguageModelSettings]
) -> LanguageModel:
    """A language model of each kind, fresh: LoRA changes it."""
    return load_language_model(tiny_models[request.param])


@pytest.fixture
def head(tiny_models: dict[str, LanguageModelSettings]) -> SoftPrefixHead:
    """A head with LoRA and with dropout."""
    return SoftPrefixHead(
        language_model=tiny_models["gpt2"],
        mapper=MAPPER,
        lora=LoraSettings(rank=4, dropout=0.1),
        generation=GenerationSettings(max_new_tokens=10),
        prefixes=3,
        rows_at_a_time=16,
    )
