"""Holding a local language model to JSON of a schema, word by word, as servers do it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from raqa.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor


def bounded(schema: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
    """A schema of an object in which free texts end, so that the object does within its tokens.

    Texts without a maxLength share half of the tokens, at a character for each: tokenizers need
    fewer, but for signs that few of them know.
    """
    fields = dict(schema.get("properties", {}))
    free = [
        name
        for name, one in fields.items()
        if one.get("type") == "string" and not {"enum", "const", "maxLength"} & one.keys()
    ]
    for name in free:
        fields[name] = {**fields[name], "maxLength": max(max_tokens // 2 // len(free), 1)}
    return {**schema, "properties": fields}


def vocabulary(tokenizer: Any, ends: Sequence[int]) -> Any:
    """What llguidance has to know of a tokenizer of transformers.

    Args:
        ends: tokens that end a response.

    Raises:
        UserError: llguidance is not installed.
    """
    try:
        from llguidance.hf import from_tokenizer
    except ImportError:
        raise UserError(
            "Holding a model on this machine to JSON needs llguidance: "
            "pip install 'raqa[judges]', or set judge.structured=false."
        ) from None
    return from_tokenizer(tokenizer, n_vocab=len(tokenizer), eos_token=list(ends))


class JsonOnly:
    """A logits processor of transformers: only tokens that go on with JSON of a schema are left.

    Args:
        words: from `vocabulary`.
        schemas: of each row; None: it says what it likes.
        prompt: tokens that each row begins with.
        max_tokens: that a response may have.

    Raises:
        ValueError: a schema can not be held to.
    """

    def __init__(
        self, words: Any, schemas: Sequence[Mapping[str, Any] | None], prompt: int, max_tokens: int
    ) -> None:
        from llguidance import LLMatcher

        self._read = prompt
        self._rows = [
            None if schema is None else LLMatcher(words, _grammar(bounded(schema, max_tokens)))
            for schema in schemas
        ]
        for row in self._rows:
            if row is not None and row.is_error():
                raise ValueError(row.get_error())

    def __call__(self, ids: Tensor, scores: Tensor) -> Tensor:
        """Leave only the scores of tokens that may come next.

        Args:
            ids: `[rows, tokens so far]`.
            scores: `[rows, vocabulary]`.
        """
        import torch

        allowed = np.ones(scores.shape, np.bool_)
        for place, (row, new) in enumerate(
            zip(self._rows, ids[:, self._read :].tolist(), strict=True)
        ):
            if row is None:
                continue
            row.try_consume_tokens([] if row.is_stopped() else new)
            bits = np.frombuffer(row.compute_bitmask(), np.uint8)
            known = np.unpackbits(bits, bitorder="little")[: scores.shape[1]]
            allowed[place] = False
            allowed[place, : len(known)] = known
        self._read = ids.shape[1]
        return scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), float("-inf"))


def _grammar(schema: Mapping[str, Any]) -> str:
    """Without room for white space, with which a small model goes on for ever."""
    from llguidance import LLMatcher

    compact: Any = {
        "whitespace_flexible": False, "item_separator": ", ", "key_separator": ": ",
    }  # fmt: skip
    return LLMatcher.grammar_from_json_schema(json.dumps(schema), defaults=compact)
