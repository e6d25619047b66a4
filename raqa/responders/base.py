"""What a responder is: something that is given a prompt and says something, or fails to."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from raqa.audio.waveform import Waveform
from raqa.encoders.published import Published
from raqa.responders.prompts import prompt_text

if TYPE_CHECKING:
    from raqa.responders.hearing import Hearing

Input = Literal["audio", "spectrogram", "both", "none"]
"""What of a recording is put before a responder; none is the baseline of every other."""

UNHEARD = "the recording can not be"
"""How the reason of a failure begins that is the recording's, not the responder's."""

Outcome = Literal["answered", "refused", "failed"]


@dataclass(frozen=True, eq=False)
class Heard:
    """What a responder hears or sees of a recording; shared by all prompts about it.

    Attributes:
        waveform: at the rate that was asked for, or the recording's own.
        image: a PNG file's bytes.
    """

    waveform: Waveform | None = None
    image: bytes | None = None

    @cached_property
    def wav(self) -> bytes | None:
        """The waveform as a 16-bit WAV file; one that exceeds full scale is made quieter."""
        if self.waveform is None:
            return None
        import soundfile

        samples = self.waveform.samples
        peak = float(np.abs(samples).max(initial=0.0))
        file = io.BytesIO()
        soundfile.write(
            file, samples / max(peak, 1.0), self.waveform.rate, format="WAV", subtype="PCM_16"
        )
        return file.getvalue()


@dataclass(frozen=True)
class Exchange:
    """A question that was put before, in all its words, and what was said to it."""

    question: str
    answer: str


@dataclass(frozen=True, eq=False)
class Prompt:
    """One question as it is put.

    Attributes:
        qa_id: which question it is, for responders that draw; never sent anywhere.
        text: everything that is said in words.
        choices: answers that the question allows, where it says so; never sent beside the text.
        before: what was said before it, the oldest first; what is heard goes with the first
            question. Only responders that converse are given any.
        schema: the JSON schema of an object that the response shall be. Responders that can be
            held to it are, others are only asked for it in words.
    """

    qa_id: str
    text: str
    choices: tuple[str, ...] = ()
    heard: Heard = field(default_factory=Heard)
    before: tuple[Exchange, ...] = ()
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Response:
    """What came back for a prompt, or why nothing did.

    Attributes:
        text: as it was said, whatever it holds; null where nothing was.
        outcome: refused is for a filter or a refusal that the interface itself reports; a model
            that declines in words has answered, and the reader of answers tells.
        reason: why it is not answered, for people.
        finish: why the model stopped, in the interface's own word ("stop", "length", ...).
        tokens_in, tokens_out: as the interface counts them.
        latency_s: from the last attempt's request to its whole response.
        retries: attempts before the last.
        cost: in the currency of the prices that were set.
        cut: whether only the beginning of the prompt was read.
        raw: the body of the last response, undecoded text.
    """

    text: str | None
    outcome: Outcome = "answered"
    reason: str | None = None
    finish: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    latency_s: float | None = None
    retries: int = 0
    cost: float | None = None
    cut: bool = False
    raw: str | None = None


class PassingError(Exception):
    """An attempt failed in a way that may be better at the next one.

    Args:
        reason: for people; holds nothing secret.
        wait_s: how long the other side asks to wait; None: it does not say.
        raw: what came back, if anything did.
    """

    def __init__(self, reason: str, wait_s: float | None = None, raw: str | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s
        self.raw = raw


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class Pace:
    """How quickly a responder is asked, and how patiently; changes no answer.

    Attributes:
        concurrency: the most prompts under way at a time. Every failure that may pass halves how
            many there are, every success adds a little (AIMD), as TCP does it.
        attempts: for one prompt, before it is given up.
        first_wait_s: before a second attempt; doubled before each next one, with jitter.
        longest_wait_s: the most that is waited, also where the other side asks for it; where it
            asks for more, the evaluation stops and says so.
        stop_after: failures without any success between them after which it stops.
    """

    concurrency: int = Field(default=8, ge=1, le=1024)
    attempts: int = Field(default=6, ge=1)
    first_wait_s: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    longest_wait_s: float = Field(default=120.0, ge=0, allow_inf_nan=False)
    stop_after: int = Field(default=20, ge=1)


class Responder(ABC):
    """Answers prompts one by one, several at a time.

    Attributes:
        inputs: what it can be given of a recording.
        kept: whether responses are worth a place in the store; what costs nothing is asked again.
        listens: whether recordings have to be opened for it at all.
        rate: of the waveforms that it is given, in Hz, where the user sets no other; None: each
            recording's own.
        converses: whether it can be talked to: puts `Prompt.before` before a prompt, and takes a
            question from what it hears.
        published: the checkpoint that it takes, of models that are no service.
        fetched: settings that name models on huggingface.co, which are fetched when first used.
        pace: how it is asked.
    """

    inputs: ClassVar[tuple[Input, ...]] = ("audio", "spectrogram", "both", "none")
    kept: ClassVar[bool] = True
    listens: ClassVar[bool] = True
    rate: ClassVar[int | None] = 16_000
    converses: ClassVar[bool] = False
    published: ClassVar[Published | None] = None
    fetched: ClassVar[tuple[str, ...]] = ()
    pace: Pace

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, Any]:
        """Everything that decides its responses, as plain JSON values, without any secret.

        The class's name, model and revision, decoding, and the adapter's own revision: two
        responders that could answer differently differ here.
        """

    @property
    def name(self) -> str:
        """What runs are called after: the model, or the responder where it has none."""
        known = self.identity
        return str(known.get("model") or known["responder"])

    def check(self, hearing: Hearing) -> None:  # noqa: B027 - most need nothing and hear anything
        """Look for what is needed to ask, and refuse what it can not be given, before any work.

        Raises:
            UserError: something is missing or not right; says what, and what to do.
        """

    def wording(self, question: Mapping[str, Any], given: Input) -> str:
        """Everything that is said in words about a row of QUESTIONS.

        A model that does not follow instructions is told none.
        """
        return prompt_text(question, given)

    def with_room(self, max_tokens: int) -> Responder:  # noqa: ARG002
        """The same model with room for a response of so many tokens at least, where it counts."""
        return self

    @abstractmethod
    def session(self) -> AbstractAsyncContextManager[Session]:
        """Open what is needed to ask: connections, models.

        Raises:
            UserError: something is missing; says what and how to set it.
        """


class Session(ABC):
    """A responder that is ready to be asked."""

    @abstractmethod
    async def respond(self, prompt: Prompt) -> Response:
        """Put one prompt, once.

        Returns:
            an answer, a refusal, or a failure that would be the same at the next attempt.

        Raises:
            PassingError: the next attempt may succeed.
            UserError: no prompt can succeed (no access, no such model).
        """
