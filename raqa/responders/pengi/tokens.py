"""Prompts to CLIP's tokens, GPT-2's tokens to text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from raqa.errors import UserError
from raqa.pretrained import load_pretrained
from raqa.responders.pengi.decoding import STOP
from raqa.responders.pengi.network import PROMPT_TOKENS, Sizes
from raqa.responders.pengi.published import CLIP, GPT2


@dataclass(frozen=True)
class Tokens:
    """The two tokenizers.

    Attributes:
        clip: reads prompts.
        gpt2: writes answers.
    """

    clip: Any
    gpt2: Any

    @classmethod
    def load(cls, clip: str, gpt2: str, revision: str, sizes: Sizes) -> Tokens:
        """Load both, from folders or the hub's cache where possible.

        Raises:
            UserError: one can not be had, or is another model's.
        """
        from transformers import AutoTokenizer

        loaded: dict[str, Any] = {}
        problems: list[str] = []
        for name, model in (("clip", clip), ("gpt2", gpt2)):
            try:
                loaded[name] = load_pretrained(
                    AutoTokenizer.from_pretrained, model, revision,
                    setting=f"responder.{name}_tokenizer",
                )  # fmt: skip
            except UserError as error:
                problems += error.problems
        if problems:
            raise UserError(problems)
        made = cls(**loaded)
        made.check(sizes)
        return made

    def check(self, sizes: Sizes) -> None:
        """Compare the tokenizers with the network that they belong to.

        Raises:
            UserError: they have other tokens.
        """
        problems = []
        given = (self.clip.bos_token_id, self.clip.eos_token_id)
        wanted = (sizes.clip_vocabulary - 2, sizes.clip_vocabulary - 1)
        if given != wanted:
            problems.append(
                f"responder.clip_tokenizer begins and ends a text with tokens {given}, Pengi was "
                f"trained with {wanted}. Give {CLIP}, or a folder with its files."
            )
        space = self.gpt2.decode([STOP])
        if (len(self.gpt2), space) != (sizes.gpt_vocabulary, " "):
            problems.append(
                f"responder.gpt2_tokenizer has {len(self.gpt2)} tokens and {space!r} as number "
                f"{STOP}, Pengi was trained with {sizes.gpt_vocabulary} and a lone space. Give "
                f"{GPT2}, or a folder with its files."
            )
        if problems:
            raise UserError(problems)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of what both make of texts, wherever they came from."""
        digest = hashlib.sha256()
        for one in (self.clip, self.gpt2):
            content = json.loads(one.backend_tokenizer.to_str())
            for passing in ("truncation", "padding"):  # of the last call
                content.pop(passing)
            digest.update(json.dumps(content, sort_keys=True).encode())
        return digest.hexdigest()

    def read(self, prompts: Sequence[str]) -> Tensor:
        """Turn prompts, verbatim, into `[prompts, 40]`: start, words, end, filled with ends.

        Longer prompts are cut, see `cut`; their end token stays.
        """
        start, end = self.clip.bos_token_id, self.clip.eos_token_id
        rows = [[start, *words, end] for words in self._words(prompts, PROMPT_TOKENS - 2)]
        return torch.tensor([row + [end] * (PROMPT_TOKENS - len(row)) for row in rows])

    def cut(self, prompts: Sequence[str]) -> list[bool]:
        """Say of each prompt whether Pengi reads only its beginning."""
        most = PROMPT_TOKENS - 2
        return [len(words) > most for words in self._words(prompts, most + 1)]

    def write(self, tokens: Sequence[int]) -> str:
        """Turn GPT-2's tokens into text.

        Spaces before full stops and the like go, as in the release of transformers that the
        authors pinned; newer ones leave them.
        """
        text: str = self.gpt2.decode(list(tokens), clean_up_tokenization_spaces=False)
        cleaned: str = self.gpt2.clean_up_tokenization(text)
        return cleaned

    def _words(self, prompts: Sequence[str], most: int) -> list[list[int]]:
        words: list[list[int]] = self.clip(
            list(prompts), add_special_tokens=False, truncation=True, max_length=most
        )["input_ids"]
        return words
