"""What models of transformers are given: a conversation, as tensors padded on the left."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from raqa.errors import UserError
from raqa.pretrained import load_pretrained
from raqa.responders.base import Heard, Prompt
from raqa.responders.transformers_kind import SETTING, Kind, find_kind

if TYPE_CHECKING:
    from torch import Tensor

    from raqa.responders.hearing import Hearing

Part = dict[str, Any]
"""A text, waveform or image of what is said."""

_ROUNDING_S = 0.001  # resampling may add a sample

_CHAT = {"tokenize": True, "return_dict": True, "add_generation_prompt": True,
         "sanitize_control_tokens": True}  # fmt: skip
"""Marks of the template that stand in questions and earlier answers are words like others."""


@dataclass(frozen=True, eq=False)
class Reader(ABC):
    """Turns prompts into what a network takes.

    Attributes:
        system: what is said before every prompt.
    """

    kind: Kind
    system: str | None

    @property
    @abstractmethod
    def tokenizer(self) -> Any:
        """As transformers loads it."""

    @abstractmethod
    def encode(self, prompts: Sequence[Prompt]) -> Mapping[str, Tensor]:
        """`input_ids` and `attention_mask`, `[prompts, tokens]`, and what is heard and seen."""

    def unheard(self, heard: Heard) -> str | None:  # noqa: ARG002 - most hear whatever there is
        """Why not all of this would be heard, or None."""
        return None

    def faults(self, hearing: Hearing) -> Iterator[str]:
        """Why this can not be given to the model."""
        if hearing.given not in self.kind.inputs:
            yield (
                f"head.hearing.given={hearing.given}: {self.kind.model} is of the class "
                f"{self.kind.model_class.__name__}, which takes {', '.join(self.kind.inputs)}."
            )


@dataclass(frozen=True, eq=False)
class TextReader(Reader):
    """Words alone, for models that take nothing else."""

    words: Any

    @property
    def tokenizer(self) -> Any:
        """As transformers loads it."""
        return self.words

    def encode(self, prompts: Sequence[Prompt]) -> Mapping[str, Tensor]:
        """Words as the chat template puts them, or without one before "Answer:"."""
        padded = {"padding": True, "return_tensors": "pt"}
        if self.words.chat_template is None:
            encoded = self.words([_plain(one) for one in prompts], padding_side="left", **padded)
        else:
            encoded = self.words.apply_chat_template(
                [messages(one, self.system, parts=False) for one in prompts],
                **_CHAT, **padded, tokenizer_kwargs={"padding_side": "left"},
            )  # fmt: skip
        return {name: encoded[name] for name in ("input_ids", "attention_mask")}


@dataclass(frozen=True, eq=False)
class MediaReader(Reader):
    """Waveforms, images and words, as the model's own processor and chat template put them."""

    processor: Any

    @property
    def tokenizer(self) -> Any:
        """The processor's."""
        return self.processor.tokenizer

    @property
    def rate(self) -> int | None:
        """Of the waveforms in Hz."""
        return getattr(_extractor(self.processor), "sampling_rate", None)

    @property
    def longest_s(self) -> float | None:
        """Seconds after which the processor drops what follows; None: it says nothing."""
        most = getattr(self.processor, "max_audio_len", None)  # Audio Flamingo: several windows
        if most is not None:
            return float(most)
        samples = getattr(_extractor(self.processor), "n_samples", None)
        return None if samples is None or not self.rate else float(samples / self.rate)

    def faults(self, hearing: Hearing) -> Iterator[str]:
        """Why this can not be given to the model."""
        yield from super().faults(hearing)
        if not (self.kind.hears and hearing.given in {"audio", "both"}):
            return
        if hearing.rate != self.rate:
            yield f"head.hearing.rate={hearing.rate}: {self.kind.model} hears {self.rate} Hz."
        given_s, longest_s = hearing.clip.length_s, self.longest_s
        if longest_s is not None and (given_s is None or given_s > longest_s):
            yield (
                f"head.hearing.clip.length_s={'null' if given_s is None else f'{given_s:g}'}: "
                f"{self.kind.model} hears at most {longest_s:g} s and would drop the rest."
            )

    def unheard(self, heard: Heard) -> str | None:
        """Why not all of this would be heard; a spoken question makes recordings longer."""
        seconds = 0.0 if heard.waveform is None else heard.waveform.seconds
        if self.longest_s is None or seconds < self.longest_s + _ROUNDING_S:
            return None
        return (
            f"what is to be heard is {seconds:.1f} s long; the model hears at most "
            f"{self.longest_s:g} s and would drop the rest: set head.hearing.clip.length_s lower"
        )

    def encode(self, prompts: Sequence[Prompt]) -> Mapping[str, Tensor]:
        """What the processor makes of a batch.

        Raises:
            ValueError: the processor does not take it.
        """
        # Only text is padded to the longest here. Audio towers want their whole window, which
        # feature extractors fill by themselves unless they are told otherwise.
        encoded: Mapping[str, Tensor] = self.processor.apply_chat_template(
            [messages(one, self.system, parts=True) for one in prompts],
            **_CHAT,
            processor_kwargs={
                "text_kwargs": {"padding": True, "padding_side": "left"},
                "return_tensors": "pt",
            },
        )  # fmt: skip
        return encoded


def load_reader(model: str, revision: str, system: str | None) -> Reader:
    """Load tokenizer or processor, without any weights.

    Raises:
        UserError: there is no such model, it can not be asked, or a package is missing.
    """
    from transformers import AutoProcessor, AutoTokenizer

    kind = find_kind(model, revision)
    if not (kind.hears or kind.sees):
        words = load_pretrained(AutoTokenizer.from_pretrained, model, revision, setting=SETTING)
        if words.pad_token is None:  # what pads is masked, so that any would do
            words.pad_token = words.eos_token
        return TextReader(kind, system, words)
    processor = load_pretrained(AutoProcessor.from_pretrained, model, revision, setting=SETTING)
    if getattr(processor, "chat_template", None) is None:
        raise UserError(
            f"{SETTING}={model}: its {type(processor).__name__} has no chat template, so that it "
            "is not known how questions are put to it. Take the variant that was trained to "
            "follow instructions, or add its chat_template.jinja to the folder."
        )
    if kind.hears and getattr(_extractor(processor), "sampling_rate", None) is None:
        raise UserError(
            f"{SETTING}={model}: its {type(processor).__name__} says at no place at what rate "
            "the model hears. Another version of transformers may be needed."
        )
    return MediaReader(kind, system, processor)


def messages(prompt: Prompt, system: str | None, *, parts: bool) -> list[dict[str, Any]]:
    """The conversation, as chat templates take it; what is heard stands at its beginning.

    Args:
        parts: whether what is said is a list of parts, as templates want it that know audio and
            images, or a string, as those of text models want it.
    """

    def turn(role: str, text: str, *media: Part) -> dict[str, Any]:
        said = [*media, {"type": "text", "text": text}] if parts else text
        return {"role": role, "content": said}

    turns = [] if system is None else [turn("system", system)]
    media = list(_media(prompt.heard))
    for earlier in prompt.before:
        turns += [turn("user", earlier.question, *media), turn("assistant", earlier.answer)]
        media = []
    return [*turns, turn("user", prompt.text, *media)]


def _plain(prompt: Prompt) -> str:
    """The conversation as a text that a model without a chat template goes on with."""
    earlier = [f"{one.question}\nAnswer: {one.answer}\n\n" for one in prompt.before]
    return "".join([*earlier, f"{prompt.text}\nAnswer:"])


def _media(heard: Heard) -> Iterator[Part]:
    if heard.waveform is not None:
        yield {"type": "audio", "audio": heard.waveform.samples}
    if heard.image is not None:
        from PIL import Image

        yield {"type": "image", "image": Image.open(io.BytesIO(heard.image)).convert("RGB")}


def _extractor(processor: Any) -> Any:
    """The part of a processor that takes waveforms, by either of its names; None: there is none."""
    named = getattr(processor, "feature_extractor", None)
    return getattr(processor, "audio_processor", None) if named is None else named
