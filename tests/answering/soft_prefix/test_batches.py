"""Batches hold rows of like length; every row of an epoch counts once, whoever computes it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from raqa.answering.soft_prefix.batches import Collate, epoch_order, share
from raqa.answering.soft_prefix.language_model import LanguageModel
from raqa.answering.soft_prefix.loaders import Place, Position, TrainPasses
from raqa.answering.soft_prefix.settings import PromptSettings
from raqa.answering.soft_prefix.tokens import Tokens, tokenise
from raqa.training.scaling import Scaling
from soft_prefix.tiny import pairs

AS_IT_IS = Scaling(np.zeros(6), np.ones(6), 0.0, 1.0)
PREFIXES = 2


def _collate(language: LanguageModel, recordings: int = 4) -> Collate:
    side = pairs(recordings, 0)
    tokens = tokenise(side.rows, language, PromptSettings())
    audio = side.audio[:, None]
    return Collate(tokens, audio, scaling=AS_IT_IS, model=language, prefixes=PREFIXES)


def test_only_the_answer_and_its_end_are_scored(language: LanguageModel) -> None:
    # Question : a ? Answer : -> It is, and a longer one, by hand.
    tokens = Tokens([0, 0], [[4, 20, 14, 5, 6], [4, 14, 5, 6]], [[19, 8, 0], [19, 8, 21, 27, 0]])
    audio = np.zeros((1, 1, 6), np.float32)
    collate = Collate(tokens, audio, scaling=AS_IT_IS, model=language, prefixes=PREFIXES)
    batch = collate([0, 1])
    opened = len(language.opening)
    assert batch.scored.int().tolist() == [
        [0] * (opened + 1 + 2 + 5) + [1, 1, 1],
        [0] * (opened + 2 + 4) + [1, 1, 1, 1, 1],
    ]
    assert batch.present.int().tolist() == [
        [0] + [1] * (opened + 2 + 5 + 3),
        [1] * (opened + 2 + 4 + 5),
    ]
    assert batch.prefix.int().tolist() == [
        [0] * (1 + opened) + [1, 1] + [0] * 8,
        [0] * opened + [1, 1] + [0] * 9,
    ]
    assert batch.answer_length == 5
    assert batch.tokens[0, -8:].tolist() == [4, 20, 14, 5, 6, 19, 8, 0]


def test_each_row_hears_its_own_recording_standardised(language: LanguageModel) -> None:
    side = pairs(4, 0)
    tokens = tokenise(side.rows, language, PromptSettings())
    scaling = Scaling(np.full(6, 2.0), np.full(6, 3.0), 0.0, 1.0)
    collate = Collate(
        tokens, side.audio[:, None], scaling=scaling, model=language, prefixes=PREFIXES
    )
    heard = collate([5, 0]).audio[:, 0].numpy()
    assert heard == pytest.approx((side.audio[[2, 0]] - 2) * 3, rel=1e-6)


def test_an_epoch_has_every_row_once_in_an_order_of_the_seed_s_own() -> None:
    lengths = torch.randint(5, 40, (1000,), generator=torch.Generator().manual_seed(0)).tolist()
    orders = [epoch_order(lengths, 8, seed, epoch) for seed, epoch in ((0, 0), (0, 1), (1, 0))]
    for order in orders:
        assert sorted(row for batch in order for row in batch) == list(range(1000))
    assert orders[0] == epoch_order(lengths, 8, 0, 0)
    assert orders[0] != orders[1] != orders[2] != orders[0]


def test_batches_of_like_length_are_hardly_filled_up() -> None:
    lengths = torch.randint(5, 40, (1000,), generator=torch.Generator().manual_seed(0)).tolist()

    def filled(batches: list[list[int]]) -> float:
        return sum(max(lengths[row] for row in batch) * len(batch) for batch in batches)

    plain = [list(range(start, start + 8)) for start in range(0, 1000, 8)]
    assert filled(epoch_order(lengths, 8, 0, 0)) < 1.1 * sum(lengths) < 1.4 * filled(plain)
    assert filled(plain) > 1.5 * sum(lengths)


@pytest.mark.parametrize("rows", [1, 2, 5, 8])
def test_processes_and_passes_share_a_step(rows: int) -> None:
    shares = [list(share(range(rows), rank, 2, 3)) for rank in (0, 1)]
    assert [len(one) for one in shares] == [3, 3]
    counted = [
        row
        for process in shares
        for own, weights in process
        for row, weight in zip(own, weights, strict=True)
        if weight
    ]
    assert sorted(counted) == list(range(rows))


def test_an_epoch_goes_on_at_any_step(language: LanguageModel) -> None:
    collate = _collate(language, 10)

    def batches(position: Position) -> list[torch.Tensor]:
        passes = TrainPasses(collate, 3, position, Place(), batch_size=6, rows_at_a_time=2)
        assert (passes.passes, passes.steps) == (3, 4)
        return [batch.tokens for batch in passes]

    whole = batches(Position(epoch=1))
    assert len(whole) == 12
    rest = batches(Position(epoch=1, step=2))
    assert all(torch.equal(one, other) for one, other in zip(whole[6:], rest, strict=True))
