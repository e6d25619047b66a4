"""Pengi's checkpoint is read strictly, and nothing in it is executed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from raqa.errors import UserError
from raqa.responders.pengi.model import Pengi
from raqa.responders.pengi.network import LAYOUT, TIED
from tests.responders.pengi.small import SmallPengi, noise, save

MASK = "caption_decoder.gpt.transformer.h.0.attn.bias"
LINEAR = "caption_decoder.audio_project.linear.bias"


@pytest.fixture
def logits(pengi: Pengi) -> Tensor:
    return pengi.logits([noise(1)], ["a cough?"])


def test_the_fingerprint_is_the_file_s(pengi: Pengi, small: SmallPengi) -> None:
    assert pengi.fingerprint == hashlib.sha256(small.checkpoint.read_bytes()).hexdigest()


def _module(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"module.{name}": tensor for name, tensor in tensors.items()}


def _byte_mask(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {**tensors, MASK: tensors[MASK].to(torch.uint8)}


def _without_old_tables(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    old = (".attn.bias", ".masked_bias", ".position_ids", ".attn_mask", "lm_head.weight")
    return {name: tensor for name, tensor in tensors.items() if not name.endswith(old)}


@pytest.mark.parametrize("changed", [_module, _byte_mask, _without_old_tables])
def test_what_releases_of_libraries_change_does_no_harm(
    changed: Callable[[dict[str, Tensor]], dict[str, Tensor]],
    small: SmallPengi,
    logits: Tensor,
    tmp_path: Path,
) -> None:
    path = save(changed(small.tensors), tmp_path / "base.pth")
    assert torch.equal(small.load(path).logits([noise(1)], ["a cough?"]), logits)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({LINEAR: None}, f"1 missing .{LINEAR}"),
        ({"caption_decoder.new": torch.zeros(1)}, r"1 unexpected .caption_decoder\.new"),
        ({LINEAR: torch.zeros(3)}, rf"1 of another shape or type .{LINEAR} float32 \[3\]"),
        ({LINEAR: torch.zeros(640, dtype=torch.float16)}, f"{LINEAR} float16"),
        ({TIED: torch.zeros(50_257, 16)}, "lm_head.weight differs from GPT-2's word vectors"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_by_name(
    change: dict[str, Any], message: str, small: SmallPengi, tmp_path: Path
) -> None:
    tensors = {
        name: tensor for name, tensor in {**small.tensors, **change}.items() if tensor is not None
    }
    with pytest.raises(UserError, match=message):
        small.load(save(tensors, tmp_path / "base.pth"))


def test_a_tied_copy_is_compared_under_any_prefix(small: SmallPengi, tmp_path: Path) -> None:
    tensors = _module({**small.tensors, TIED: torch.zeros(50_257, 16)})
    with pytest.raises(UserError, match="differs from GPT-2's word vectors"):
        small.load(save(tensors, tmp_path / "base.pth"))


def test_the_other_published_model_is_told_apart(small: SmallPengi, tmp_path: Path) -> None:
    other = {
        name: tensor for name, tensor in small.tensors.items() if "caption_encoder" not in name
    }
    with pytest.raises(UserError, match=r"missing \(caption_encoder\."):
        small.load(save(other, tmp_path / "base_no_text_enc.pth"))


def test_an_absent_file_says_where_it_is_published(small: SmallPengi, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no checkpoint of Pengi at .*zenodo\.org/records/8387083"):
        small.load(tmp_path / "base.pth")


def test_every_tensor_of_the_network_has_a_place_of_its_own(pengi: Pengi) -> None:
    names = [LAYOUT.rename(name) for name in pengi.network.state_dict()]
    assert len(set(names)) == len(names)


def test_loading_leaves_the_global_generator_alone(small: SmallPengi) -> None:
    before = torch.get_rng_state()
    small.load()
    assert torch.equal(torch.get_rng_state(), before)


def test_nothing_of_it_is_trained(pengi: Pengi) -> None:
    assert not pengi.network.training
    assert not any(one.requires_grad for one in pengi.network.parameters())
