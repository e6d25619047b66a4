"""Mappers turn vectors and frames into prefix vectors of the size of token embeddings."""

from __future__ import annotations

from typing import Literal

import pytest
import torch

from raqa.answering.soft_prefix.dropout import DropoutSource, SeededDropout
from raqa.answering.soft_prefix.mapper import Mapper, initialise, make_mapper
from raqa.answering.soft_prefix.settings import MapperSettings

Kind = Literal["linear", "mlp", "transformer"]
KINDS: tuple[Kind, ...] = ("linear", "mlp", "transformer")


def _mapper(kind: Kind, frames: int = 1, prefixes: int = 5, dropout: float = 0.0) -> Mapper:
    settings = MapperSettings(kind=kind, hidden=64, attention_heads=4, dropout=dropout)
    made = make_mapper(settings, (frames, 24), prefixes, 48, scale=0.1, source=DropoutSource())
    initialise(made, torch.Generator().manual_seed(0))
    return made


def _audio(frames: int) -> torch.Tensor:
    return torch.randn(200, frames, 24, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("frames", [1, 3, 50])
@pytest.mark.parametrize("prefixes", [1, 5])
def test_as_many_prefixes_come_out_as_asked_for(kind: Kind, frames: int, prefixes: int) -> None:
    assert _mapper(kind, frames, prefixes)(_audio(frames)).shape == (200, prefixes, 48)


@pytest.mark.parametrize("kind", KINDS)
def test_an_untrained_prefix_is_about_as_large_as_token_embeddings(kind: Kind) -> None:
    size = _mapper(kind)(_audio(1)).square().mean().sqrt().item()
    assert 0.05 < size < 0.2


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_out_depends_on_when_it_was_heard(kind: Kind) -> None:
    audio, mapper = _audio(50), _mapper(kind, 50)
    assert not torch.allclose(mapper(audio), mapper(audio.flip(1)), atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_do_not_depend_on_each_other(kind: Kind) -> None:
    audio, mapper = _audio(7), _mapper(kind, 7)
    assert torch.allclose(mapper(audio)[3:4], mapper(audio[3:4]), atol=1e-6)


def test_dropout_draws_from_its_source_only() -> None:
    source = DropoutSource()
    drop, values = SeededDropout(0.25, source), torch.ones(10_000)
    before = torch.get_rng_state()
    source.begin(3, torch.device("cpu"), 1, 2)
    first = drop(values)
    source.begin(3, torch.device("cpu"), 1, 2)
    assert torch.equal(drop(values), first)
    assert not torch.equal(drop(values), first)  # the stream has moved on
    source.begin(3, torch.device("cpu"), 1, 3)
    assert not torch.equal(drop(values), first)
    assert torch.equal(torch.get_rng_state(), before)
    assert (first == 0).double().mean().item() == pytest.approx(0.25, abs=0.02)
    assert first.unique().tolist() == pytest.approx([0, 4 / 3])
    assert torch.equal(drop.eval()(values), values)
