"""`head=soft_prefix`: audio as vectors before the question, answered by a language model.

The way of CaReAQA: an audio embedding is mapped to a few vectors in the language model's
embedding space; the question follows as text, and the model writes the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.answering.base import Fitting, QuestionHead, QuestionPairs
from raqa.answering.soft_prefix.settings import (
    GenerationSettings,
    LanguageModelSettings,
    LoraSettings,
    MapperSettings,
    Positive,
    PromptSettings,
)

if TYPE_CHECKING:
    from raqa.answering.soft_prefix.fitted import FittedSoftPrefix
    from raqa.answering.soft_prefix.language_model import LanguageModel
    from raqa.answering.soft_prefix.model import SoftPrefixModel
    from raqa.answering.soft_prefix.tokens import Tokens


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class SoftPrefixHead(QuestionHead):
    """A language model that is told what was heard by a prefix of vectors.

    Attributes:
        prefixes: how many vectors.
        rows_at_a_time: questions that go through the language model at once; a training step
            adds up the gradients of as many passes as it needs. Bounds the memory.
    """

    takes_frames: ClassVar[bool] = True
    several_devices: ClassVar[bool] = True
    says_labels: ClassVar[bool] = False

    language_model: LanguageModelSettings = Field(default_factory=LanguageModelSettings)
    mapper: MapperSettings = Field(default_factory=MapperSettings)
    lora: LoraSettings = Field(default_factory=LoraSettings)
    prompt: PromptSettings = Field(default_factory=PromptSettings)
    generation: GenerationSettings = Field(default_factory=GenerationSettings)
    prefixes: Positive = 8
    rows_at_a_time: Positive = 8

    def fit(
        self, train: QuestionPairs, validation: QuestionPairs, fitting: Fitting
    ) -> FittedSoftPrefix:
        """Train one seed after another; the loss is that of the answers' tokens.

        Raises:
            UserError: the language model can not be had, embeddings or questions do not fit,
                training diverged, or memory is too small.
            StoppedError: `fitting.stop` asked for it; with a checkpoint the same fit goes on
                there, and ends as one that was not stopped.
        """
        from raqa.answering.soft_prefix.progress import follow

        return follow(self, train, validation, fitting)

    def load(self, folder: Path, seeds: Sequence[int]) -> FittedSoftPrefix:
        """Read what `save` wrote, and load the language model that it was trained with.

        Raises:
            UserError: it is not there, damaged, or the language model or its tokenizer is
                another one.
        """
        from raqa.answering.soft_prefix.fitted import load_fitted

        return load_fitted(self, folder, seeds)

    def language(self) -> LanguageModel:
        """Load the language model afresh, for a model is going to change it."""
        from raqa.answering.soft_prefix.language_model import load_language_model

        return load_language_model(self.language_model)

    def model(self, language: LanguageModel, shape: tuple[int, ...]) -> SoftPrefixModel:
        """An untrained model around a language model.

        Args:
            shape: frames and width of one recording's embedding.
        """
        from raqa.answering.soft_prefix.model import SoftPrefixModel

        frames, width = shape
        return SoftPrefixModel(language, self.mapper, self.lora, self.prefixes, (frames, width))

    def check_room(self, tokens: Tokens, language: LanguageModel) -> None:
        """Refuse questions that the language model has no positions for.

        Raises:
            UserError: counting them.
        """
        from raqa.answering.soft_prefix.tokens import check_room

        before = len(language.opening) + self.prefixes
        check_room(tokens, language, before=before, after=self.generation.max_new_tokens)
