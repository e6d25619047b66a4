"""Each seed's random streams."""

from __future__ import annotations

import itertools

import torch

from raqa.heads.streams import Stream, generator


def test_streams_of_all_seeds_and_uses_differ() -> None:
    firsts = [
        torch.rand(1, generator=generator(seed, stream)).item()
        for seed, stream in itertools.product(range(20), Stream)
    ]
    assert len(set(firsts)) == len(firsts)


def test_a_stream_depends_on_nothing_but_seed_and_use() -> None:
    one = torch.rand(5, generator=generator(3, Stream.ORDER))
    torch.manual_seed(99)
    assert torch.equal(torch.rand(5, generator=generator(3, Stream.ORDER)), one)
