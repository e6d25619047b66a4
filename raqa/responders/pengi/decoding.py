"""Beam search as Pengi's authors do it, for several items side by side."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import torch
from torch import Tensor

from raqa.responders.pengi.network import PengiNetwork

STOP = 220
"""The token that ends a text: a lone space, the first of " <|endoftext|>"; not <|endoftext|>."""

FILLER = 0
"""The token that continues a finished beam, at no cost; it is cut off again."""


@dataclass(frozen=True)
class Beam:
    """A text as tokens, the stop token included, and its mean log-probability by token."""

    tokens: tuple[int, ...]
    score: float


class Language:
    """GPT-2 going on from a prefix; what it has read is kept and not read again."""

    def __init__(self, network: PengiNetwork, prefix: Tensor) -> None:
        from transformers import DynamicCache

        self._network = network
        self._cache = DynamicCache()
        taken = inspect.signature(type(network.language).forward).parameters
        # The name changed within transformers 5.
        self._argument = "cache" if "cache" in taken else "past_key_values"
        self._read = 0
        self.logits = self._next(prefix)
        """`[rows, vocabulary]` for the token that comes next."""

    def go_on(self, rows: Tensor, tokens: Tensor) -> None:
        """Take up `[rows]`, each a row as it was, and add one of `[rows]` tokens to each."""
        self._cache.reorder_cache(rows.long())  # type: ignore[arg-type]
        words = self._network.language.wte(tokens)
        self.logits = self._next(words[:, None])

    def _next(self, words: Tensor) -> Tensor:
        positions = torch.arange(self._read, self._read + words.shape[1], device=words.device)
        self._read += words.shape[1]
        states = self._network.language(
            inputs_embeds=words,
            position_ids=positions[None],
            use_cache=True,
            **{self._argument: self._cache},
        ).last_hidden_state
        return self._network.word_scores(states[:, -1])


def search(
    network: PengiNetwork,
    prefix: Tensor,
    *,
    beams: int,
    temperature: float,
    max_new_tokens: int,
    stop: int = STOP,
) -> list[tuple[Beam, ...]]:
    """Find texts of high mean log-probability that continue a prefix.

    Every step keeps, of all beams with all tokens, the `beams` of the highest mean
    log-probability over their tokens. A beam that has ended stays in the race with its mean.

    Args:
        prefix: `[items, positions, width]`.
        temperature: divides the logits.
        max_new_tokens: the search ends after so many, or when all beams have ended.
        stop: the token that ends a beam.

    Returns:
        for each item its beams, the best first.
    """
    language = Language(network, prefix)
    items = torch.arange(len(prefix), device=prefix.device)[:, None]
    totals, new = (language.logits / temperature).log_softmax(dim=1).topk(beams)
    tokens = new[:, :, None]  # [items, beams, length]
    lengths = torch.ones_like(new)
    ended = new == stop
    rows = items.expand(-1, beams)
    for _ in range(max_new_tokens - 1):
        if ended.all():
            break
        language.go_on(rows.flatten(), new.flatten())
        added = (language.logits / temperature).log_softmax(dim=1).view(len(prefix), beams, -1)
        added[ended] = -torch.inf
        added[..., FILLER].masked_fill_(ended, 0.0)
        longer = lengths + ~ended
        means = (totals[:, :, None] + added) / longer[:, :, None]
        best, place = means.flatten(1).topk(beams)
        source, new = place // added.shape[2], place % added.shape[2]
        lengths = longer.gather(1, source)
        totals = best * lengths
        ended = ended.gather(1, source) | (new == stop)
        tokens = torch.cat([tokens[items, source], new[:, :, None]], dim=2)
        rows = items * beams + source
    return _cut(tokens, lengths, totals)


def _cut(tokens: Tensor, lengths: Tensor, totals: Tensor) -> list[tuple[Beam, ...]]:
    """Cut the beams of every item to their lengths; each step has left the best first."""
    columns = (tokens.tolist(), lengths.tolist(), (totals / lengths).tolist())
    return [
        tuple(Beam(tuple(row[:size]), score) for row, size, score in zip(*item, strict=True))
        for item in zip(*columns, strict=True)
    ]
