"""Every setting that conf/head/soft_prefix.yaml documents does something when it is changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from omegaconf import OmegaConf

from raqa.answering.base import Fitting
from raqa.answering.soft_prefix.head import SoftPrefixHead
from raqa.answering.soft_prefix.settings import LanguageModelSettings
from raqa.configuration.build import build_node
from raqa.configuration.folder import config_folder
from raqa.configuration.overrides import compose_config
from raqa.training.settings import TrainerSettings
from soft_prefix.tiny import pairs

# Another value for each; those of the transformer are tried with one.
OTHER = {
    "mapper.kind": "linear",
    "mapper.hidden": "32",
    "mapper.layers": "1",
    "mapper.attention_heads": "2",
    "mapper.dropout": "0.5",
    "lora.rank": "0",
    "lora.alpha": "64.0",
    "lora.dropout": "0.5",
    "lora.target_modules": "[c_proj]",
    "prompt.text": "'{question} Answer:'",
    "prompt.chat": "true",
    "generation.max_new_tokens": "2",
    "generation.beams": "4",
    "prefixes": "2",
}
ELSEWHERE = {"language_model.model", "language_model.revision", "language_model.gguf_file",
             "rows_at_a_time"}  # fmt: skip
SETTINGS = TrainerSettings(accelerator="cpu", learning_rate=0.02, batch_size=8, max_epochs=2)


def _documented() -> Iterator[str]:
    for key, value in OmegaConf.load(config_folder() / "head" / "soft_prefix.yaml").items():
        if key != "_target_":
            yield from [f"{key}.{one}" for one in value] if OmegaConf.is_dict(value) else [str(key)]


def test_no_knob_is_left_out() -> None:
    assert set(_documented()) == {*OTHER, *ELSEWHERE}


def _answers(model: LanguageModelSettings, *overrides: str) -> Any:
    config = compose_config(["head=soft_prefix", f"head.language_model.model={model.model}",
                             "head.mapper.hidden=64", *overrides])  # fmt: skip
    head = build_node(config, "head")
    assert isinstance(head, SoftPrefixHead)
    side = pairs(8, 0)
    fitted = head.fit(side, side, Fitting((0,), SETTINGS))
    return fitted.answer(side.asked)


@pytest.mark.slow  # a fit for each of them
@pytest.mark.parametrize("knob", OTHER)
def test_a_knob_changed_once_changes_what_is_answered(
    knob: str, tiny_models: dict[str, LanguageModelSettings]
) -> None:
    model = tiny_models["chat"]
    base = []
    if knob in {"mapper.layers", "mapper.attention_heads"}:
        base = ["head.mapper.kind=transformer"]
    before = _answers(model, *base)
    assert not _answers(model, *base, f"head.{knob}={OTHER[knob]}").equals(before)
