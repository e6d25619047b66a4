"""Every setting is checked when it is given, and a wrong one is answered with what is known."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.settings import (
    GenerationSettings,
    LoraSettings,
    MapperSettings,
    PromptSettings,
)
from raqa.configuration.build import build_node
from raqa.configuration.overrides import compose_config
from raqa.errors import UserError


def test_the_shipped_file_builds_the_head_without_loading_a_model() -> None:
    head = build_node(compose_config(["head=soft_prefix"]), "head")
    assert isinstance(head, SoftPrefixHead)
    assert head.language_model.model == "gpt2"
    assert head.generation == GenerationSettings(max_new_tokens=30, beams=1)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["head.mapper.kind=mlpp"], r"head\.mapper\.kind=mlpp"),
        (["head.prefixes=0"], r"head\.prefixes=0"),
        (["head.lora.rank=-1"], r"head\.lora\.rank=-1"),
        (["head.generation.beams=half"], r"head\.generation\.beams=half"),
        (["head.prompt.text='Answer:'"], "has to stand in it once, not 0 times"),
        (
            ["head.prompt.text='{questoin}'"],
            r"\{questoin\} is not known. Did you mean question\?",
        ),
        (["head.prompt.text='{question} {question}'"], "once, not 2 times"),
        (["head.prompt.text='{question'"], "braces have to be in pairs"),
        (["head.mapper.kind=transformer", "head.mapper.hidden=100"], "multiple of twice its"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(overrides: list[str], message: str) -> None:
    config = compose_config(["head=soft_prefix", *overrides])
    with pytest.raises(UserError, match=message):
        build_node(config, "head")


def test_layers_to_change_can_be_listed() -> None:
    config = compose_config(["head=soft_prefix", "head.lora.target_modules=[c_attn,c_proj]"])
    head = build_node(config, "head")
    assert head.lora == LoraSettings(rank=8, target_modules=("c_attn", "c_proj"))


def test_a_question_may_hold_braces() -> None:
    assert PromptSettings("Q: {question}{{}}").ask("{x} {question}?") == "Q: {x} {question}?{}"


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ValidationError):
        MapperSettings(width=3)  # type: ignore[call-arg]
