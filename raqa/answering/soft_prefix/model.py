"""One seed's model: the mapper, the frozen language model and what LoRA adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from raqa.answering.soft_prefix.batches import Batch
from raqa.answering.soft_prefix.dropout import DropoutSource
from raqa.answering.soft_prefix.language_model import (
    LanguageModel,
    add_lora,
    initialise_lora,
    train_lora,
)
from raqa.answering.soft_prefix.mapper import initialise, make_mapper
from raqa.answering.soft_prefix.settings import GenerationSettings, LoraSettings, MapperSettings
from raqa.heads.streams import Stream, generator

NOT_SCORED = -100
"""Label of a token that no loss is taken of."""


@dataclass(frozen=True)
class Answer:
    """What was written to one question, and how probable the model holds just that.

    Attributes:
        tokens: with the end token, unless the answer was cut off.
    """

    text: str
    tokens: tuple[int, ...]
    probability: float


class SoftPrefixModel(nn.Module):
    """Answers after a prefix of audio; the language model's own weights never change.

    Args:
        shape: frames and width of one recording's embedding.
    """

    def __init__(
        self,
        language: LanguageModel,
        mapper: MapperSettings,
        lora: LoraSettings,
        prefixes: int,
        shape: tuple[int, int],
    ) -> None:
        super().__init__()
        self.language, self.network = language, language.network
        self.source = DropoutSource()
        if lora.rank:
            add_lora(language, lora, self.source)
        self.mapper = make_mapper(
            mapper,
            shape,
            prefixes,
            language.width,
            scale=language.embedding_size,
            source=self.source,
        )
        self._limits_logits = "logits_to_keep" in signature(self.network.forward).parameters

    def initialise(self, seed: int) -> None:
        """Make everything that is trained as it is before training, from the seed's generator."""
        draws = generator(seed, Stream.INITIALISATION)
        initialise(self.mapper, draws)
        initialise_lora(self.network, draws)

    @property
    def trained(self) -> dict[str, nn.Parameter]:
        """What is trained, by name."""
        return {name: one for name, one in self.named_parameters() if one.requires_grad}

    def trained_arrays(self) -> dict[str, NDArray[Any]]:
        """Copies of what is trained."""
        return {name: one.detach().cpu().numpy().copy() for name, one in self.trained.items()}

    def fill(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put trained values into the model.

        Raises:
            ValueError: there are others, or of other shapes.
        """
        own = self.trained
        strange = sorted(set(own).symmetric_difference(arrays))
        if strange:
            raise ValueError(f"its parameters differ, for example {strange[0]}")
        with torch.no_grad():
            for name, parameter in own.items():
                if arrays[name].shape != tuple(parameter.shape):
                    raise ValueError(f"{name} has another shape")
                parameter.copy_(torch.from_numpy(np.array(arrays[name])))

    def train(self, mode: bool = True) -> Self:
        """Switch dropout of the mapper and of LoRA; the language model's own stays off."""
        super().train(mode)
        self.network.eval()
        train_lora(self.network, mode)
        return self

    def forward(self, batch: Batch) -> Tensor:
        """Every row's loss `[rows]` in nat: the mean over its answer's tokens and the end token."""
        kept = batch.answer_length + 1  # the token before the first one predicts it
        options: dict[str, Any] = {"logits_to_keep": kept} if self._limits_logits else {}
        positions = (batch.present.cumsum(1) - 1).clamp(min=0)
        logits = self.network(
            inputs_embeds=self.embedded(batch),
            attention_mask=batch.present.long(),
            position_ids=positions,
            use_cache=False,
            **options,
        ).logits[:, -kept:-1]
        scored = batch.scored[:, -batch.answer_length :]
        labels = batch.tokens[:, -batch.answer_length :].masked_fill(~scored, NOT_SCORED)
        # Two dimensions: the gradient of more is not deterministic on a GPU.
        flat = cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=NOT_SCORED, reduction="none"
        )
        return flat.view(labels.shape).sum(1) / scored.sum(1)

    @torch.inference_mode()
    def answer(self, batch: Batch, settings: GenerationSettings) -> list[Answer]:
        """Write an answer to every row, which holds none.

        The probability is that of the whole text with its end, the product over its tokens: the
        probabilities of all texts add up to 1. Of an answer that was cut off it is that of
        everything that begins so.
        """
        written = self.network.generate(
            inputs_embeds=self.embedded(batch),
            attention_mask=batch.present.long(),
            max_new_tokens=settings.max_new_tokens,
            num_beams=settings.beams,
            do_sample=False,
            use_cache=True,
            return_dict_in_generate=True,
            output_scores=True,
        )
        steps = self.network.compute_transition_scores(
            written.sequences,
            written.scores,
            getattr(written, "beam_indices", None),
            normalize_logits=True,
        )
        tokens = written.sequences
        ended = (tokens == self.language.end).long()
        own = ended.cumsum(1) - ended == 0  # up to the end token and with it; then filling
        logs = steps.double().masked_fill(~own[:, : steps.shape[1]], 0).sum(1)
        texts = self.language.tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [
            Answer(text.strip(), tuple(row[mask].tolist()), probability)
            for text, row, mask, probability in zip(
                texts, tokens, own, logs.exp().tolist(), strict=True
            )
        ]

    def embedded(self, batch: Batch) -> Tensor:
        """Token embeddings `[rows, tokens, width]` with the prefix in its place."""
        embedded: Tensor = self.network.get_input_embeddings()(batch.tokens)
        prefix = self.mapper(batch.audio).to(embedded.dtype)
        return embedded.masked_scatter(batch.prefix.unsqueeze(2), prefix)
