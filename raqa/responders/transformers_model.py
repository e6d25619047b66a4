"""A network of transformers with its reader, which answers batches of prompts greedily."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from raqa.errors import UserError
from raqa.pretrained import first_line, load_weights
from raqa.responders.base import Prompt, Response
from raqa.responders.constrained import JsonOnly, vocabulary
from raqa.responders.transformers_kind import SETTING
from raqa.responders.transformers_reader import Reader

if TYPE_CHECKING:
    from torch import Tensor

_REFUSED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""How processors and networks refuse what they are given; among RuntimeErrors: no memory left."""


@dataclass(frozen=True, eq=False)
class LocalModel:
    """A network on its device, ready to say something.

    Attributes:
        network: a model of transformers that generates.
        max_tokens: the most new tokens of a response.
        ends: tokens that end a response.
    """

    network: Any
    reader: Reader
    max_tokens: int
    ends: frozenset[int]

    def say(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer a batch; what is too much for the model is halved, until a prompt fails alone.

        Answers do not depend on the batch, so that halving it changes none.
        """
        try:
            return self._say(prompts)
        except _REFUSED as error:
            reason = f"{type(error).__name__}: {first_line(error)}"
        if len(prompts) == 1:
            return [Response(None, "failed", f"the model does not take the prompt ({reason})")]
        half = len(prompts) // 2
        return [*self.say(prompts[:half]), *self.say(prompts[half:])]

    def _say(self, prompts: Sequence[Prompt]) -> list[Response]:
        encoded = self.reader.encode(prompts)
        lengths = encoded["attention_mask"].sum(1).tolist()
        reasons = [self._refusal(one, n) for one, n in zip(prompts, lengths, strict=True)]
        fitting = [place for place, reason in enumerate(reasons) if reason is None]
        responses = [Response(None, "failed", reason) for reason in reasons]
        if not fitting:
            return responses
        put = [prompts[place] for place in fitting]
        if len(fitting) < len(prompts):
            encoded = self.reader.encode(put)
        begun = time.perf_counter()
        said = self._generate(encoded, put)
        took = time.perf_counter() - begun
        for place, tokens in zip(fitting, said, strict=True):
            responses[place] = self._response(tokens, lengths[place], took)
        return responses

    def _refusal(self, prompt: Prompt, length: int) -> str | None:
        """Why the model would not read or hear all of a prompt of this many tokens."""
        room = self.reader.kind.context - self.max_tokens
        if length > room:
            return f"the prompt has {length:,} tokens; the model reads {room:g} beside its answer"
        return self.reader.unheard(prompt.heard)

    def _generate(
        self, encoded: Mapping[str, Tensor], prompts: Sequence[Prompt]
    ) -> list[list[int]]:
        """New tokens for each prompt, the end's token and what follows it left out."""
        import torch

        place, dtype = self.network.device, self.network.dtype
        given = {
            name: value.to(place, dtype if value.is_floating_point() else value.dtype)
            for name, value in encoded.items()
        }
        with torch.inference_mode():
            made: Tensor = self.network.generate(
                **given, logits_processor=self._held(prompts, encoded["input_ids"].shape[1])
            )
        said = []
        for row in made[:, encoded["input_ids"].shape[1] :].tolist():
            stop = next((at for at, token in enumerate(row) if token in self.ends), len(row))
            said.append(row[:stop])
        return said

    def _held(self, prompts: Sequence[Prompt], longest: int) -> list[JsonOnly]:
        """What holds the responses to the prompts' schemas, where one has any."""
        schemas = [prompt.schema for prompt in prompts]
        if not any(schemas):
            return []
        return [JsonOnly(self._words, schemas, longest, self.max_tokens)]

    @cached_property
    def _words(self) -> Any:
        return vocabulary(self.reader.tokenizer, sorted(self.ends))

    def _response(self, tokens: list[int], given: int, took: float) -> Response:
        text = self.reader.tokenizer.decode(tokens, skip_special_tokens=True).strip()
        finish = "length" if len(tokens) == self.max_tokens else "stop"
        return Response(text, finish=finish, tokens_in=given, tokens_out=len(tokens),
                        latency_s=took, raw=text)  # fmt: skip


def load_model(
    reader: Reader, revision: str, *, max_tokens: int, dtype: str, device: str
) -> LocalModel:
    """Load the weights that a reader is for.

    Args:
        dtype: of weights and arithmetic, as torch names it.
        device: auto, cpu or cuda; auto takes a GPU where there is one.

    Raises:
        UserError: they can not be had or do not fit, or no token ends a response.
    """
    from transformers import GenerationConfig

    place, kind, tokenizer = find_device(device), reader.kind, reader.tokenizer
    network = load_weights(
        kind.model_class.from_pretrained, kind.model, revision, setting=SETTING,
        dtype=dtype, config=kind.config,
    )  # fmt: skip
    named = network.generation_config.eos_token_id
    ends = {*(named if isinstance(named, list) else [named]), tokenizer.eos_token_id} - {None}
    if not ends:
        raise UserError(f"{SETTING}={kind.model}: it has no token that ends a response.")
    padding = tokenizer.pad_token_id
    # Nothing of the publisher's own habits (sampling, penalties) goes into how answers are made.
    network.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=False, num_beams=1, max_new_tokens=max_tokens, eos_token_id=sorted(ends),
        pad_token_id=min(ends) if padding is None else padding,
    )  # fmt: skip
    return LocalModel(_moved(network, place, kind.model), reader, max_tokens, frozenset(ends))


def find_device(setting: str) -> str:
    """The device that a setting means: cpu or cuda.

    Raises:
        UserError: it is a GPU, and there is none.
    """
    import torch

    gpu = torch.cuda.is_available()
    if setting == "cuda" and not gpu:
        raise UserError("responder.device=cuda: torch sees no GPU here. Set it to auto or cpu.")
    return "cuda" if gpu and setting != "cpu" else "cpu"


def _moved(network: Any, place: str, model: str) -> Any:
    import torch

    try:
        return network.to(place).eval()
    except torch.OutOfMemoryError as error:
        raise UserError(
            f"{SETTING}={model}: its weights do not fit into the GPU's memory "
            f"({first_line(error)}). Set responder.dtype=bfloat16, or use a larger one."
        ) from error
