"""What a user chooses about a soft prefix; every value checked when it is given."""

from __future__ import annotations

from string import Formatter
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic.dataclasses import dataclass

from raqa.errors import neighbours

CHECKED = ConfigDict(extra="forbid", allow_inf_nan=False)

Positive = Annotated[int, Field(ge=1, strict=True)]
Share = Annotated[float, Field(ge=0, lt=1)]


@dataclass(frozen=True, config=CHECKED)
class LanguageModelSettings:
    """Which language model answers.

    Attributes:
        model: a causal language model of transformers: a name on huggingface.co, or a folder.
        revision: branch, tag or commit of the name.
        gguf_file: the file in that place, where the weights are in GGUF; read with package gguf.
    """

    model: Annotated[str, Field(min_length=1)] = "gpt2"
    revision: str = "main"
    gguf_file: str | None = None


@dataclass(frozen=True, config=CHECKED)
class MapperSettings:
    """How audio embeddings become prefix vectors.

    Attributes:
        kind: linear; mlp, one hidden layer; transformer, which attends over frames.
        hidden: units of the hidden layer, or the transformer's width.
        layers, attention_heads: of the transformer.
        dropout: probability of a unit to be dropped in training; linear has none to drop.
    """

    kind: Literal["linear", "mlp", "transformer"] = "mlp"
    hidden: Positive = 512
    layers: Positive = 2
    attention_heads: Positive = 8
    dropout: Share = 0.1

    @model_validator(mode="after")
    def _divides(self) -> MapperSettings:
        if self.kind == "transformer" and self.hidden % (2 * self.attention_heads):
            raise ValueError(
                f"a transformer's hidden={self.hidden} has to be a multiple of twice its "
                f"attention_heads={self.attention_heads}"
            )
        return self


@dataclass(frozen=True, config=CHECKED)
class LoraSettings:
    """Low-rank changes to the language model, through peft.

    Attributes:
        rank: 0: none, the language model stays as it is.
        alpha: the changes are multiplied by alpha / rank.
        dropout: probability of one of their inputs to be dropped in training.
        target_modules: ends of the names of the layers to change; none: peft's choice for the
            kind of model.
    """

    rank: Annotated[int, Field(ge=0, strict=True)] = 0
    alpha: Annotated[float, Field(gt=0)] = 16.0
    dropout: Share = 0.05
    target_modules: tuple[str, ...] | None = None


@dataclass(frozen=True, config=CHECKED)
class PromptSettings:
    """What stands between the prefix and the answer.

    Attributes:
        text: holds {question} once.
        chat: whether the text is put into the tokenizer's chat template, as the user's turn.
    """

    text: str = "Question: {question}\nAnswer:"
    chat: bool = False

    @field_validator("text")
    @classmethod
    def _asks(cls, text: str) -> str:
        try:
            fields = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
        except ValueError as error:
            raise ValueError(f"braces have to be in pairs, or doubled ({error})") from error
        strangers = [name for name in fields if name != "question"]
        if strangers:
            raise ValueError(
                f"{{{strangers[0]}}} is not known. {neighbours(strangers[0], ['question'])}"
            )
        if len(fields) != 1:
            raise ValueError(f"{{question}} has to stand in it once, not {len(fields)} times")
        return text

    def ask(self, question: str) -> str:
        """The text with a question in it, whatever the question holds."""
        return self.text.format(question=question)


@dataclass(frozen=True, config=CHECKED)
class GenerationSettings:
    """How an answer is written.

    Attributes:
        max_new_tokens: at most so many, whatever the right answer; 30 in the RA-QA paper.
        beams: 1: always the most probable token (greedy); more: beam search.
    """

    max_new_tokens: Positive = 30
    beams: Positive = 1
