"""Holding a local language model to JSON of a schema, word by word, as servers do it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from raqa.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

CHARACTERS_A_TOKEN = 2
"""Fewer than any tokenizer has in English, so that what is this long ends within its tokens."""


def bounded(schema: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
    """A schema of an object in which free texts end, so that the object does within its tokens.

    Texts that have no maxLength share half of the tokens.
    """
    fields = dict(schema.get("properties", {}))
    free = [
        name
        for name, one in fields.items()
        if one.get("type") == "string" and not {"enum", "const", "maxLength"} & one.keys()
    ]
    for name in free:
        longest = max_tokens * CHARACTERS_A_TOKEN // 2 // len(free)
        fields[name] = {**fields[name], "maxLength": max(longest, 1)}
    return {**schema, "properties": fields}


class JsonOnly:
    """A logits processor of transformers: only tokens that go on with JSON of a schema are left.

    Args:
        tokenizer: a fast one of transformers.
        ends: tokens that end a response.
        prompt: tokens that each row begins with.

    Raises:
        UserError: llguidance is not installed, or does not know the tokenizer or the schema.
    """

    def __init__(
        self, tokenizer: Any, schema: Mapping[str, Any], ends: Sequence[int], rows: int, prompt: int
    ) -> None:
        try:
            from llguidance import LLMatcher
            from llguidance.hf import from_tokenizer
        except ImportError:
            raise UserError(
                "Holding a local model to JSON needs llguidance: pip install 'raqa[judges]', or "
                "judge.structured=false."
            ) from None
        self.ends = list(ends)
        self.done = prompt
        words = from_tokenizer(tokenizer, n_vocab=len(tokenizer), eos_token=self.ends)
        grammar = LLMatcher.grammar_from_json_schema(
            json.dumps(schema), defaults={"whitespace_flexible": False, "item_separator": ", ",
                                          "key_separator": ": "}
        )  # fmt: skip
        self.matchers = [LLMatcher(words, grammar) for _ in range(rows)]
        if self.matchers and self.matchers[0].is_error():
            raise ValueError(self.matchers[0].get_error())

    def __call__(self, ids: Tensor, scores: Tensor) -> Tensor:
        """Leave only the scores of tokens that may come next: both `[rows, tokens]`."""
        import torch

        for row, new in enumerate(ids[:, self.done :].tolist()):
            for token in new:
                if not self.matchers[row].is_stopped():
                    self.matchers[row].consume_token(token)
        self.done = ids.shape[1]
        allowed = np.stack([self._allowed(one, scores.shape[1]) for one in self.matchers])
        return scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), float("-inf"))

    def _allowed(self, matcher: Any, words: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        allowed = np.zeros(words, np.bool_)
        if matcher.is_stopped():
            allowed[self.ends] = True
            return allowed
        bits = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), bitorder="little")
        count = min(words, len(bits))
        allowed[:count] = bits[:count]
        return allowed
