"""What a training goes through: epochs of steps, each a few passes, from any step on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from raqa.answering.soft_prefix.batches import Batch, Collate, cut, epoch_order, share


@dataclass(frozen=True)
class Place:
    """Which of the processes that train together this one is, from 0."""

    rank: int = 0
    ranks: int = 1


@dataclass
class Position:
    """How far a seed's training has come: whole epochs, and steps of the one after them."""

    epoch: int = 0
    step: int = 0


class TrainPasses:
    """One process's passes of an epoch, beginning where the position says.

    Nothing about an epoch is remembered: its order follows from the seed and its number.

    Attributes:
        passes: forward passes of a step in one process, whose gradients are added up.
        steps: in a whole epoch.
    """

    def __init__(
        self,
        collate: Collate,
        seed: int,
        position: Position,
        place: Place,
        *,
        batch_size: int,
        rows_at_a_time: int,
    ) -> None:
        self.collate, self.seed, self.position, self.place = collate, seed, position, place
        self.batch_size = batch_size
        rows = len(collate.tokens)
        self.passes = math.ceil(min(batch_size, rows) / (place.ranks * rows_at_a_time))
        self.steps = len(self.order(0))

    def __iter__(self) -> Iterator[Batch]:
        order = self.order(self.position.epoch)
        for step in order[self.position.step :]:
            for rows, weights in share(step, self.place.rank, self.place.ranks, self.passes):
                yield self.collate(rows, weights, len(step))

    def order(self, epoch: int) -> list[list[int]]:
        """The rows of every step of an epoch, over all processes."""
        tokens = self.collate.tokens
        lengths = [tokens.length(row) for row in range(len(tokens))]
        return epoch_order(lengths, self.batch_size, self.seed, epoch)


class Passes:
    """One process's rows of a side in batches of like length; every process has as many."""

    def __init__(self, collate: Collate, rows_at_a_time: int, place: Place | None = None) -> None:
        self.collate, self.place = collate, place or Place()
        tokens = collate.tokens
        order = sorted(range(len(tokens)), key=tokens.length)
        self.batches = cut(order, rows_at_a_time * self.place.ranks)

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.batches:
            for rows, weights in share(batch, self.place.rank, self.place.ranks, 1):
                yield self.collate(rows, weights, len(batch))
