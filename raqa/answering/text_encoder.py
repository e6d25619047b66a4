"""Question embeddings: a fixed text encoder of transformers, each distinct text encoded once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.errors import UserError
from raqa.pretrained import digest_tensors, load_pretrained, load_weights

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"

Floats = NDArray[np.float32]


@dataclass(frozen=True, config=ConfigDict(extra="forbid", strict=True))
class TextEncoder:
    """Texts as vectors; nothing of it is trained, and it is loaded when it is first asked.

    The defaults are what the default model's card defines: the mean over all tokens of the last
    layer, then L2 norm 1 (huggingface.co/sentence-transformers/all-MiniLM-L6-v2). BGE and E5
    define the first token instead of the mean; look at the card of another model.

    Attributes:
        model: a name on huggingface.co, or a folder in the same layout.
        revision: branch, tag or commit of the name.
        pooling: mean over tokens, or the first token.
        normalise: whether every vector is brought to L2 norm 1.
        batch_size: texts encoded at a time.
        setting: what the user calls `model`, for messages.
    """

    model: Annotated[str, Field(min_length=1)] = DEFAULT_MODEL
    revision: str = "main"
    pooling: Literal["mean", "first"] = "mean"
    normalise: bool = True
    batch_size: Annotated[int, Field(ge=1)] = 64
    setting: str = "head.text_encoder.model"

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode texts as `[texts, width]`, on the CPU; equal texts get the very same vector.

        Raises:
            UserError: the model can not be had, or texts are longer than it can read.
        """
        distinct = list(dict.fromkeys(texts))
        place = {text: row for row, text in enumerate(distinct)}
        if not distinct:
            return np.empty((0, self.width), np.float32)
        vectors = self._encode_distinct(distinct)
        return vectors[[place[text] for text in texts]]

    @property
    def width(self) -> int:
        """Length of one vector."""
        return int(self._network.config.hidden_size)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of everything that decides a vector: weights, tokenizer, pooling."""
        own = repr((self.pooling, self.normalise, digest_tensors(self._network)))
        text = own + self._tokenizer.backend_tokenizer.to_str()
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        made = load_pretrained(
            AutoTokenizer.from_pretrained, self.model, self.revision, setting=self.setting
        )
        if not getattr(made, "is_fast", False) or made.pad_token_id is None:
            raise UserError(
                f"{self.setting}={self.model}: its tokenizer has no tokenizer.json, or no padding "
                "token. Choose a text encoder such as " + DEFAULT_MODEL + "."
            )
        # Files may ask for filling or cutting; texts need neither here, and the first use would
        # switch both off, so that the fingerprint would depend on when it is asked for.
        made.backend_tokenizer.no_padding()
        made.backend_tokenizer.no_truncation()
        return made

    @cached_property
    def _network(self) -> Any:
        from transformers import AutoModel

        loaded = load_weights(
            AutoModel.from_pretrained,
            self.model,
            self.revision,
            setting=self.setting,
            spare=("pooler",),  # another layer on the first token, which sentence models drop
        )
        if getattr(loaded.config, "is_encoder_decoder", False):
            raise UserError(
                f"{self.setting}={self.model} is an encoder with a decoder; a text encoder such as "
                f"{DEFAULT_MODEL} is expected."
            )
        return loaded.requires_grad_(False).eval()

    @property
    def _longest(self) -> int:
        """Tokens of the longest text that the model reads."""
        longest: int = self._tokenizer.model_max_length
        return min(longest, getattr(self._network.config, "max_position_embeddings", longest))

    def _encode_distinct(self, texts: Sequence[str]) -> Floats:
        tokens = self._tokenizer(list(texts), truncation=False, padding=False)["input_ids"]
        lengths = np.asarray([len(one) for one in tokens])
        long = np.flatnonzero(lengths > self._longest)
        if len(long):
            raise UserError(
                f"{len(long)} of {len(texts)} texts are longer than the {self._longest} tokens "
                f"that {self.model} reads; the longest has {lengths.max()}: "
                f"{texts[int(lengths.argmax())][:60]!r}... Shorten them, or choose another model."
            )
        vectors = np.empty((len(texts), self.width), np.float32)
        # Texts of one length together: hardly any filling.
        order = np.argsort(lengths, kind="stable")
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            vectors[rows] = self._encode_batch([tokens[row] for row in rows])
        return vectors

    def _encode_batch(self, tokens: Sequence[Sequence[int]]) -> Floats:
        import torch
        from torch.nn.functional import normalize
        from torch.nn.utils.rnn import pad_sequence

        rows = [torch.tensor(one) for one in tokens]
        filled = pad_sequence(rows, batch_first=True, padding_value=self._tokenizer.pad_token_id)
        present = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
        with torch.inference_mode():
            states = self._network(input_ids=filled, attention_mask=present).last_hidden_state
            if self.pooling == "first":
                pooled = states[:, 0]
            else:
                mask = present.unsqueeze(2).to(states.dtype)
                pooled = (states * mask).sum(1) / mask.sum(1)
            if self.normalise:
                pooled = normalize(pooled, dim=1)
        result: Floats = pooled.numpy()
        return result
