"""Pengi as a responder: asked the question alone, as RA-QA's paper asks it."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from raqa.audio.waveform import Waveform
from raqa.encoders.digest import file_sha256
from raqa.encoders.published import Published
from raqa.errors import UserError
from raqa.responders.base import Input, Pace, Prompt, Responder, Response, Session
from raqa.responders.batches import Batches
from raqa.responders.pengi.published import CLIP, GPT2, HOW_TO_GET, PENGI

if TYPE_CHECKING:
    from raqa.responders.hearing import Hearing
    from raqa.responders.pengi.model import Pengi, Written
    from raqa.responders.pengi.network import Sizes
    from raqa.responders.pengi.tokens import Tokens

ADAPTER = 1
"""Raised when the same question begins to be put in another way; responses are kept under it."""


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class PengiResponder(Responder):
    """Pengi (Deshmukh et al. 2023) with the decoding of RA-QA's paper.

    It can not be talked to: a prompt is the question's own words, of which it reads the first 38
    tokens. Where nothing of a recording is given, it hears seven seconds of silence, since it can
    not hear nothing.

    Attributes:
        checkpoint: the file base.pth; None: the one that `raqa weights fetch pengi` fetched.
        clip_tokenizer, gpt2_tokenizer: names on huggingface.co, or folders.
        beams: texts kept in the search; 1 is greedy.
        temperature: divides the logits; nothing is drawn.
        max_tokens: the most new tokens of a response.
        batch_size: prompts at a time.
        crop_seed: which seven seconds of longer recordings are heard, together with their content.
        device: auto takes a GPU where there is one.
    """

    checkpoint: Path | None = None
    clip_tokenizer: Annotated[str, Field(min_length=1)] = CLIP
    gpt2_tokenizer: Annotated[str, Field(min_length=1)] = GPT2
    beams: Annotated[int, Field(ge=1)] = 3
    temperature: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    max_tokens: Annotated[int, Field(ge=1)] = 30
    batch_size: Annotated[int, Field(ge=1)] = 8
    crop_seed: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"

    inputs: ClassVar[tuple[Input, ...]] = ("audio", "none")
    rate: ClassVar[int | None] = None  # it resamples as its authors do
    name: ClassVar[str] = "pengi"
    sizes: ClassVar[Sizes | None] = None  # of the published configuration
    published: ClassVar[Published] = PENGI
    fetched: ClassVar[tuple[str, ...]] = ("clip_tokenizer", "gpt2_tokenizer")

    @property
    def pace(self) -> Pace:  # type: ignore[override]
        """As many at a time as fill a batch while the next one gathers."""
        return Pace(concurrency=min(2 * self.batch_size, 1024), attempts=1)

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Weights and tokenizers by content, decoding, and which part of a recording is heard.

        Raises:
            UserError: one of them can not be had.
        """
        from raqa.responders.pengi.model import Pengi

        self._look()
        return {
            "responder": "pengi",
            "adapter": ADAPTER,
            "revision": Pengi.revision,
            "checkpoint": file_sha256(self.file),
            "tokenizers": self.tokens.fingerprint,
            "beams": self.beams,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "crop_seed": self.crop_seed,
        }

    def check(self, hearing: Hearing) -> None:  # noqa: ARG002 - it hears anything
        """Look for the checkpoint and the tokenizers.

        Raises:
            UserError: naming all that can not be had.
        """
        self._look()

    def _look(self) -> None:
        problems: list[str] = []
        for what in ("file", "tokens"):
            try:
                getattr(self, what)
            except UserError as error:
                problems += error.problems
        if problems:
            raise UserError(problems)

    @cached_property
    def file(self) -> Path:
        """The checkpoint.

        Raises:
            UserError: it is not there; says how to get it.
        """
        path = self.checkpoint or self.published.source.cached()
        if path is not None and path.expanduser().is_file():
            return path.expanduser()
        fault = " is not set and the cache has none" if path is None else f"={path} is no file"
        raise UserError(f"responder.checkpoint{fault}. {HOW_TO_GET}")

    @cached_property
    def tokens(self) -> Tokens:
        """Both tokenizers.

        Raises:
            UserError: one can not be had, or is another model's.
        """
        from raqa.responders.pengi.network import Sizes
        from raqa.responders.pengi.tokens import Tokens

        return Tokens.load(self.clip_tokenizer, self.gpt2_tokenizer, "main", self.sizes or Sizes())

    @classmethod
    def load_weights(cls, path: Path) -> None:
        """Load a checkpoint strictly.

        Raises:
            UserError: it is another model's.
        """
        from raqa.responders.pengi.model import load_network
        from raqa.responders.pengi.network import Sizes

        load_network(path, cls.sizes or Sizes())

    def wording(self, question: Mapping[str, Any], given: Input) -> str:  # noqa: ARG002
        """The question as it stands, with what it offers where it does not say that itself."""
        text, options = str(question["question"]), question["options"] or ()
        if all(option in text for option in options):
            return text
        return f"{text} Options: {', '.join(options)}."

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Load the model.

        Raises:
            UserError: the checkpoint or a tokenizer can not be had or is another model's.
        """
        batches = Batches(self._load(), self.batch_size)
        try:
            yield batches
        finally:
            await batches.close()

    def _load(self) -> _Model:
        import torch

        from raqa.responders.pengi.model import Pengi, load_network
        from raqa.responders.pengi.network import Sizes

        network = load_network(self.file, self.sizes or Sizes())
        gpu = self.device == "cuda" or (self.device == "auto" and torch.cuda.is_available())
        pengi = Pengi(
            network, self.tokens, file_sha256(self.file), self.crop_seed, "cuda" if gpu else "cpu"
        )
        return _Model(self, pengi)


@dataclass(frozen=True, eq=False)
class _Model:
    """Pengi with the settings that it is asked with."""

    responder: PengiResponder
    pengi: Pengi

    def say(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Answer a batch."""
        begun = time.perf_counter()
        texts = [prompt.text for prompt in prompts]
        silence = self.silence
        found = self.pengi.generate(
            [silence if one.heard.waveform is None else one.heard.waveform for one in prompts],
            texts,
            beams=self.responder.beams,
            temperature=self.responder.temperature,
            max_new_tokens=self.responder.max_tokens,
            batch_size=len(prompts),
        )
        took = time.perf_counter() - begun
        read = self.pengi.tokens.cut(texts)
        return [
            _response(written, cut=cut, took=took) for written, cut in zip(found, read, strict=True)
        ]

    @cached_property
    def silence(self) -> Waveform:
        """What is heard where nothing is given."""
        import numpy as np

        from raqa.responders.pengi.audio import RATE, SAMPLES

        return Waveform(np.zeros(SAMPLES, np.float32), RATE)


def _response(written: Sequence[Written], *, cut: bool, took: float) -> Response:
    """The best text; the raw response has those of all beams with their scores."""
    from raqa.responders.pengi.decoding import STOP

    best = written[0]
    beams = [{"text": one.text, "score": one.score} for one in written]
    return Response(
        best.text.strip(),
        finish="stop" if best.tokens[-1] == STOP else "length",
        tokens_out=len(best.tokens),
        latency_s=took,
        cut=cut,
        raw=json.dumps(beams),
    )
