"""Every setting that conf/head documents of fusion, text_only and svm does something.

Those of soft_prefix are tried in tests/answering/soft_prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from raqa.answering.base import Fitting, QuestionPairs
from raqa.configuration.build import build_node
from raqa.configuration.folder import config_folder
from raqa.configuration.overrides import compose_config
from raqa.training.settings import TrainerSettings

SETTINGS = TrainerSettings(learning_rate=3e-3, max_epochs=2, patience=2, accelerator="cpu")
OTHER = {
    "fusion": {
        "audio": "false", "hidden": "[5]", "dropout": "0.6", "activation": "tanh",
        "text_encoder.model": "{other}",
    },
    "svm": {"penalty": "0.01", "kernel": "linear"},
}  # fmt: skip
ELSEWHERE = {
    "workers": "only how many processes fit the same machines; asked below",
    "text_encoder": "its own settings are tried in test_text_encoder",
}


def _knobs() -> Iterator[Any]:
    for head, settings in OTHER.items():
        for knob, value in settings.items():
            yield pytest.param(head, knob, value, id=f"{head}-{knob}")


@pytest.fixture(scope="module")
def other_bert(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same text encoder with other weights."""
    import torch
    from transformers import AutoConfig, BertModel

    made = tmp_path_factory.mktemp("other")
    for file in tiny_bert.glob("tokenizer*"):
        (made / file.name).write_bytes(file.read_bytes())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        BertModel(AutoConfig.from_pretrained(tiny_bert)).save_pretrained(made)
    return made


def _answers(sides: dict[str, QuestionPairs], *overrides: str) -> str:
    head = build_node(compose_config(overrides), "head")
    fitted = head.fit(sides["train"], sides["validation"], Fitting((0,), SETTINGS))
    return str(fitted.answer(sides["test"].asked).write_json())


@pytest.mark.parametrize(("head", "knob", "value"), list(_knobs()))
def test_a_knob_changed_once_changes_what_is_answered(
    head: str, knob: str, value: str, tones: dict[str, QuestionPairs], tiny_bert: Path,
    other_bert: Path,
) -> None:  # fmt: skip
    base = [f"head={head}"]
    if head == "fusion":
        base += [f"head.text_encoder.model={tiny_bert}"]
    changed = [*base, f"head.{knob}={value.format(other=other_bert)}"]  # the last one counts
    assert _answers(tones, *base) != _answers(tones, *changed)


def test_workers_change_how_fast_and_not_what(tones: dict[str, QuestionPairs]) -> None:
    assert _answers(tones, "head=svm", "head.workers=1") == _answers(tones, "head=svm",
                                                                     "head.workers=2")  # fmt: skip


@pytest.mark.parametrize("head", list(OTHER))
def test_no_knob_is_left_out(head: str) -> None:
    documented = set(OmegaConf.load(config_folder() / "head" / f"{head}.yaml")) - {"_target_"}
    assert documented <= set(OTHER[head]) | set(ELSEWHERE)


def test_text_only_is_fusion_without_audio_and_nothing_else(tiny_bert: Path) -> None:
    model = f"head.text_encoder.model={tiny_bert}"
    deaf = build_node(compose_config(["head=text_only", model]), "head")
    assert deaf == build_node(compose_config(["head=fusion", model, "head.audio=false"]), "head")
