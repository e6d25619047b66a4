"""Orders and batches: each seed meets every recording once an epoch, in its own order."""

from __future__ import annotations

import torch

from raqa.training.datamodule import VALIDATION_ROWS, TrainBatches, ValidationBatches

LABELS = torch.arange(10.0)
INPUTS = torch.stack([LABELS, -LABELS], dim=1)


def test_an_epoch_holds_every_recording_once_for_each_seed() -> None:
    batches = TrainBatches(INPUTS, LABELS, [0, 1], batch_size=4)
    parts = list(batches)
    assert len(parts) == len(batches) == 3
    assert [tuple(inputs.shape) for inputs, _ in parts] == [(2, 4, 2), (2, 4, 2), (2, 2, 2)]
    labels = torch.cat([labels for _, labels in parts], dim=1)
    assert torch.equal(labels.sort(dim=1).values, LABELS.expand(2, -1))
    for inputs, own in parts:
        assert torch.equal(inputs, torch.stack([own, -own], dim=2))


def test_orders_differ_between_seeds_and_epochs_and_come_again() -> None:
    def order(seeds: list[int], epochs: int) -> list[torch.Tensor]:
        batches = TrainBatches(INPUTS, LABELS, seeds, batch_size=10)
        return [next(iter(batches))[1][-1] for _ in range(epochs)]

    first, second = order([0, 7], 2)
    assert not torch.equal(first, second)
    assert not torch.equal(first, order([0], 1)[0])
    assert torch.equal(torch.stack(order([7], 2)), torch.stack([first, second]))


def test_a_longer_epoch_goes_round_again_in_another_order() -> None:
    batches = TrainBatches(INPUTS, LABELS, [0, 1], batch_size=4, epoch_recordings=26)
    parts = [labels for _, labels in batches]
    assert len(parts) == len(batches) == 7  # as 26 recordings in batches of 4 have
    assert [part.shape[1] for part in parts] == [4, 4, 2, 4, 4, 2, 4]
    rounds = [torch.cat(parts[start : start + 3], dim=1) for start in (0, 3)]
    for one in rounds:
        assert torch.equal(one.sort(dim=1).values, LABELS.expand(2, -1))
    assert not torch.equal(*rounds)


def test_validation_goes_through_in_order_and_in_bounded_parts() -> None:
    labels = torch.arange(VALIDATION_ROWS + 5.0)
    batches = ValidationBatches(labels[:, None], labels)
    parts = [labels for _, labels in batches]
    assert [len(part) for part in parts] == [VALIDATION_ROWS, 5]
    assert len(batches) == 2
    assert torch.equal(torch.cat(parts), labels)
