"""Local language models of transformers, by name or folder: words in, words out.

They hear nothing. They show what the wording of questions alone gives away, and are the baseline
of audio models that are built on them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, field_validator
from pydantic.dataclasses import dataclass as checked

from raqa.embeddings.hashes import content_hash
from raqa.errors import UserError
from raqa.pretrained import load_pretrained, load_weights
from raqa.responders.base import Input, Pace, Prompt, Responder, Response, Session
from raqa.responders.batches import Batches

if TYPE_CHECKING:
    from torch import Tensor

ADAPTER = 1
"""Raised when the same prompt begins to be put in another way; responses are kept under it."""

_SETTING = "responder.model"


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class TransformersResponder(Responder):
    """A causal language model on this machine, decoded greedily.

    Attributes:
        model: a name on huggingface.co, or a folder in the same layout.
        revision: branch, tag or commit of the name; a branch may move, a commit can not.
        system: what is said before every prompt, where the model has a chat template.
        max_tokens: the most new tokens of a response.
        batch_size: prompts at a time, padded on the left.
        dtype: of weights and arithmetic.
        device: auto takes a GPU where there is one.
    """

    model: Annotated[str, Field(min_length=1)]
    revision: str = "main"
    system: str | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 64
    batch_size: Annotated[int, Field(ge=1)] = 8
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    inputs: ClassVar[tuple[Input, ...]] = ("none",)
    listens: ClassVar[bool] = False
    fetched: ClassVar[tuple[str, ...]] = ("model",)

    @field_validator("model", mode="before")
    @classmethod
    def _chosen(cls, value: object) -> object:
        if value is None:
            raise UserError(f"{_SETTING}: set it to a name on huggingface.co, or a folder.")
        return value

    @property
    def pace(self) -> Pace:  # type: ignore[override]
        """As many at a time as fill a batch while the next one gathers."""
        return Pace(concurrency=min(2 * self.batch_size, 1024), attempts=1)

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Model (of a folder: the content of its files), revision, prompts and decoding."""
        folder = Path(self.model)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {
            "responder": "transformers",
            "adapter": ADAPTER,
            "model": self.model if not files else folder.resolve().name,
            "revision": self.revision if not files else [content_hash(path) for path in files],
            "system": self.system,
            "max_tokens": self.max_tokens,
            "dtype": self.dtype,
        }

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Load the model.

        Raises:
            UserError: it can not be had or is not a language model.
        """
        batches = Batches(_load(self), self.batch_size)
        try:
            yield batches
        finally:
            await batches.close()


@dataclass(frozen=True, eq=False)
class _Model:
    """A network with its tokenizer, ready to say something."""

    responder: TransformersResponder
    network: Any
    tokenizer: Any

    def say(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer a batch; a prompt that is too long fails alone."""
        import time

        encoded = [self._tokens(prompt.text) for prompt in prompts]
        room = self._room()
        fitting = [place for place, tokens in enumerate(encoded) if len(tokens) <= room]
        responses = [
            Response(None, "failed", f"the prompt has {len(tokens):,} tokens; the model reads "
                     f"{room:g} beside its answer")
            for tokens in encoded
        ]  # fmt: skip
        if fitting:
            begun = time.perf_counter()
            said = self._generate([encoded[place] for place in fitting])
            took = time.perf_counter() - begun
            for place, tokens in zip(fitting, said, strict=True):
                responses[place] = self._response(tokens, len(encoded[place]), took)
        return responses

    def _tokens(self, text: str) -> list[int]:
        if self.tokenizer.chat_template is None:
            return list(self.tokenizer(f"{text}\nAnswer:")["input_ids"])
        system = self.responder.system
        before = [] if system is None else [{"role": "system", "content": system}]
        whole = self.tokenizer.apply_chat_template(
            [*before, {"role": "user", "content": text}],
            tokenize=False, add_generation_prompt=True,
        )  # fmt: skip
        return list(self.tokenizer(whole, add_special_tokens=False)["input_ids"])

    def _room(self) -> float:
        """Tokens that a prompt may have."""
        context = getattr(self.network.config, "max_position_embeddings", None)
        return float("inf") if context is None else context - self.responder.max_tokens

    def _generate(self, encoded: Sequence[list[int]]) -> list[list[int]]:
        """New tokens for each prompt, the end's token and what follows it left out."""
        import torch

        longest = max(map(len, encoded))
        ids = torch.full((len(encoded), longest), self.padding)
        mask = torch.zeros_like(ids)
        for row, tokens in enumerate(encoded):
            ids[row, longest - len(tokens) :] = torch.tensor(tokens)
            mask[row, longest - len(tokens) :] = 1
        place = self.network.device
        with torch.inference_mode():
            made: Tensor = self.network.generate(
                input_ids=ids.to(place), attention_mask=mask.to(place)
            )
        ends = self.ends
        said = []
        for row in made[:, longest:].tolist():
            stop = next((at for at, token in enumerate(row) if token in ends), len(row))
            said.append(row[:stop])
        return said

    @property
    def ends(self) -> set[int]:
        """Tokens that end a response."""
        named = self.network.generation_config.eos_token_id
        return set(named if isinstance(named, list) else [named])

    @property
    def padding(self) -> int:
        """A token that fills rows up; it is masked, so that any would do."""
        return int(self.network.generation_config.pad_token_id)

    def _response(self, tokens: list[int], given: int, took: float) -> Response:
        text = self.tokenizer.decode(tokens, skip_special_tokens=True).strip()
        finish = "length" if len(tokens) == self.responder.max_tokens else "stop"
        return Response(text, finish=finish, tokens_in=given, tokens_out=len(tokens),
                        latency_s=took, raw=text)  # fmt: skip


def _load(responder: TransformersResponder) -> _Model:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    place = (responder.model, responder.revision)
    tokenizer = load_pretrained(AutoTokenizer.from_pretrained, *place, setting=_SETTING)
    network = load_weights(AutoModelForCausalLM.from_pretrained, *place, setting=_SETTING)
    ends = network.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    if ends is None:
        raise UserError(f"{_SETTING}={responder.model}: it has no token that ends a response.")
    padding = tokenizer.pad_token_id
    # Nothing of the publisher's own habits (sampling, penalties) goes into how answers are made.
    network.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=False, num_beams=1, max_new_tokens=responder.max_tokens, eos_token_id=ends,
        pad_token_id=tokenizer.eos_token_id if padding is None else padding,
    )  # fmt: skip
    gpu = responder.device == "cuda" or (responder.device == "auto" and torch.cuda.is_available())
    network = network.to("cuda" if gpu else "cpu", getattr(torch, responder.dtype))
    return _Model(responder, network.eval(), tokenizer)
