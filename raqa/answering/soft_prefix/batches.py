"""Rows of like length as batches, filled up on the left, split over processes and passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from raqa.answering.soft_prefix.language_model import LanguageModel
from raqa.answering.soft_prefix.tokens import Tokens
from raqa.heads.data import FloatArray
from raqa.heads.streams import Stream, generator
from raqa.training.scaling import Scaling

BUCKET = 32
"""Batches sorted by length together: more mean less filling and less random batches."""


class Batch(NamedTuple):
    """Rows that go through the language model at once.

    Attributes:
        audio: `[rows, frames, width]`, standardised.
        tokens: `[rows, tokens]`, filled up on the left; what stands where the prefix goes is
            not read.
        present: bool `[rows, tokens]`, False where filled.
        prefix: bool `[rows, tokens]`, True where the prefix goes.
        scored: bool `[rows, tokens]`, True at the answer and its end token.
        weights: `[rows]`, what each row's loss counts; 0 for a row that only fills the batch.
        answer_length: tokens from the right within which all that is scored stands.
        step_rows: rows of the whole step that this is a part of, over all processes.
    """

    audio: Tensor
    tokens: Tensor
    present: Tensor
    prefix: Tensor
    scored: Tensor
    weights: Tensor
    answer_length: int
    step_rows: int


class Collate:
    """Makes batches of rows of one side.

    Args:
        audio: `[recordings, frames, width]`.
        scaling: standardises it.
        kind: of the numbers that come out.
    """

    def __init__(
        self,
        tokens: Tokens,
        audio: FloatArray,
        *,
        scaling: Scaling,
        model: LanguageModel,
        prefixes: int,
        kind: torch.dtype = torch.float32,
    ) -> None:
        self.tokens, self.audio, self.scaling = tokens, audio, scaling
        self.model, self.prefixes, self.kind = model, prefixes, kind

    def __call__(
        self, rows: Sequence[int], weights: Sequence[float] | None = None, step_rows: int = 0
    ) -> Batch:
        """Make one batch.

        Args:
            weights: None: 1 for each row.
            step_rows: 0: these are all.
        """
        opening, answers = self.model.opening, [self.tokens.answers[row] for row in rows]
        lines = [
            [*opening, *[self.model.padding] * self.prefixes, *self.tokens.prompts[row], *answer]
            for row, answer in zip(rows, answers, strict=True)
        ]
        longest = max(map(len, lines))
        tokens = torch.full((len(rows), longest), self.model.padding)
        present, prefix, scored = (torch.zeros_like(tokens, dtype=torch.bool) for _ in range(3))
        for index, (line, answer) in enumerate(zip(lines, answers, strict=True)):
            start = longest - len(line)
            tokens[index, start:] = torch.tensor(line)
            present[index, start:] = True
            prefix[index, start + len(opening) : start + len(opening) + self.prefixes] = True
            scored[index, longest - len(answer) :] = True
        counted = torch.ones(len(rows)) if weights is None else torch.tensor(weights)
        return Batch(
            audio=self._heard(rows),
            tokens=tokens,
            present=present,
            prefix=prefix,
            scored=scored,
            weights=counted.to(self.kind),
            answer_length=max(map(len, answers)),
            step_rows=step_rows or len(rows),
        )

    def _heard(self, rows: Sequence[int]) -> Tensor:
        """The rows' recordings, standardised."""
        heard = self.audio[[self.tokens.audio_rows[row] for row in rows]]
        scaled = self.scaling.inputs(heard.reshape(-1, heard.shape[2]))
        return torch.from_numpy(scaled).to(self.kind).view(heard.shape)


def epoch_order(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """Rows of an epoch's steps: rows of like length together, in an order of the seed's own.

    Rows are shuffled, sorted by length within every BUCKET batches, cut into batches, and the
    batches shuffled; the one that may be smaller comes where it falls.
    """
    source = generator(seed, Stream.ORDER, place=(epoch,))
    shuffled: list[int] = torch.randperm(len(lengths), generator=source).tolist()
    batches: list[list[int]] = []
    size = BUCKET * batch_size
    for start in range(0, len(shuffled), size):
        bucket = sorted(shuffled[start : start + size], key=lambda row: lengths[row])
        batches += cut(bucket, batch_size)
    order: list[int] = torch.randperm(len(batches), generator=source).tolist()
    return [batches[index] for index in order]


def cut(rows: Sequence[int], size: int) -> list[list[int]]:
    """Rows in turn as lists of `size`, the last one perhaps shorter."""
    return [list(rows[start : start + size]) for start in range(0, len(rows), size)]


def share(
    rows: Sequence[int], rank: int, ranks: int, passes: int
) -> Iterator[tuple[list[int], list[float]]]:
    """One process's part of a step, pass by pass, with the rows' weights.

    Over all processes and passes every row occurs once with weight 1. As many passes as asked for
    are given to every process, those without a row of their own with one of weight 0: processes
    wait for each other, and gradients are added up over a fixed number of passes.
    """
    parts = ranks * passes
    for index in range(passes):
        own = list(rows[index * ranks + rank :: parts])
        yield (own, [1.0] * len(own)) if own else ([rows[0]], [0.0])
