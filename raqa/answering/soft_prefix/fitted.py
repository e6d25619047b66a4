"""A fitted soft prefix: answers, and goes to a file and back without the language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray

from raqa.answering.base import Asked, FittedQuestionHead, answers_table
from raqa.answering.soft_prefix.batches import Collate
from raqa.answering.soft_prefix.fit import audio_problems, enough_memory, frames_of
from raqa.answering.soft_prefix.loaders import Passes
from raqa.answering.soft_prefix.model import Answer, SoftPrefixModel
from raqa.answering.soft_prefix.tokens import tokenise
from raqa.errors import UserError
from raqa.tables import ANSWERS
from raqa.training.head_file import read_arrays, write_arrays
from raqa.training.history import HISTORY
from raqa.training.scaling import Scaling

if TYPE_CHECKING:
    from raqa.answering.soft_prefix.head import SoftPrefixHead

FILE = "soft_prefix.safetensors"

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class FittedSoftPrefix(FittedQuestionHead):
    """What was trained, of all seeds, and one model to put it into.

    Attributes:
        shape: frames and width of one recording's embedding.
        parameters: what was trained, by seed.
        device: where answers are written.
    """

    head: SoftPrefixHead
    model: SoftPrefixModel
    shape: tuple[int, ...]
    scaling: Scaling
    parameters: Mapping[int, Arrays]
    history: pl.DataFrame
    device: torch.device

    def answer(self, asked: Asked) -> pl.DataFrame:
        """Write an answer to every question with every seed's model; it names no label itself.

        The probability is the product over the answer's tokens and its end: that of exactly this
        text.

        Raises:
            UserError: embeddings are of another shape or not finite, or questions too long.
        """
        frames = frames_of(asked.audio)
        if asked.rows.height:
            self._check(asked, frames.shape[1:])
        language = self.model.language
        tokens = tokenise(asked.rows, language, self.head.prompt)
        self.head.check_room(tokens, language)
        kind = next(iter(self.model.mapper.parameters())).dtype
        collate = Collate(
            tokens,
            frames,
            scaling=self.scaling,
            model=language,
            prefixes=self.head.prefixes,
            kind=kind,
        )
        parts = [pl.DataFrame(schema=dict(ANSWERS))]
        self.model.eval().to(self.device)
        for seed, arrays in self.parameters.items():
            self.model.fill(arrays)
            answers = self._write(collate)
            parts.append(
                pl.DataFrame(
                    {
                        "seed": [seed] * len(answers),
                        "qa_id": asked.rows["qa_id"],
                        "response": [one.text for one in answers],
                        "label": None,
                        "value": None,
                        "probability": [one.probability for one in answers],
                    },
                    schema=dict(ANSWERS),
                )
            )
        return answers_table(pl.concat(parts))

    def save(self, folder: Path) -> None:
        """Write what was trained and which language model it belongs to."""
        arrays: dict[str, NDArray[Any]] = {
            f"{seed}/{name}": array
            for seed, trained in self.parameters.items()
            for name, array in trained.items()
        }
        arrays["input_mean"] = self.scaling.input_mean
        arrays["input_factor"] = self.scaling.input_factor
        language = self.head.language_model
        facts = {
            "seeds": list(self.parameters),
            "shape": list(self.shape),
            "language_model": [language.model, language.revision, language.gguf_file],
            "fingerprints": dict(self.model.language.fingerprints),
            "history": self.history.to_dict(as_series=False),
        }
        write_arrays(folder / FILE, arrays, facts)

    def _write(self, collate: Collate) -> list[Answer]:
        """One seed's answers, in the order of the questions."""
        passes = Passes(collate, self.head.rows_at_a_time)
        written: dict[int, Answer] = {}
        with enough_memory():
            for rows in passes.batches:
                batch = collate(rows)
                moved = batch._replace(
                    audio=batch.audio.to(self.device),
                    tokens=batch.tokens.to(self.device),
                    present=batch.present.to(self.device),
                    prefix=batch.prefix.to(self.device),
                )
                answers = self.model.answer(moved, self.head.generation)
                written.update(zip(rows, answers, strict=True))
        return [written[row] for row in range(len(collate.tokens))]

    def _check(self, asked: Asked, shape: tuple[int, ...]) -> None:
        problems = audio_problems("asked", asked.audio, asked.rows)
        if tuple(shape) != tuple(self.shape):
            problems.append(
                f"This head was fitted on embeddings of {self.shape[0]} frame(s) of width "
                f"{self.shape[1]}, not on {shape[0]} of {shape[1]}. Use the encoder and the clip "
                "that it was fitted with."
            )
        if problems:
            raise UserError(problems)


def load_fitted(head: SoftPrefixHead, folder: Path, seeds: Sequence[int]) -> FittedSoftPrefix:
    """Read what `save` wrote.

    Raises:
        UserError: it is not there, damaged, or the language model or its tokenizer is another.
    """
    path = folder / FILE
    arrays, facts = read_arrays(path)
    language = head.language()
    try:
        _check_language(path, facts, language.fingerprints)
        model = head.model(language, tuple(facts["shape"]))
        scaling = Scaling(arrays.pop("input_mean"), arrays.pop("input_factor"), 0.0, 1.0)
        parameters: dict[int, dict[str, NDArray[Any]]] = {int(seed): {} for seed in seeds}
        for name, array in arrays.items():
            seed, _, own = name.partition("/")
            if int(seed) in parameters:
                parameters[int(seed)][own] = array
        for trained in parameters.values():
            if any(array.dtype == np.float64 for array in trained.values()):
                model.double()
            model.fill(trained)  # refuses what does not fit
        history = pl.DataFrame(facts["history"], schema=dict(HISTORY))
        shape = tuple(facts["shape"])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{path} does not hold a soft prefix that these settings and this version can read "
            f"({error}). Fit it anew."
        ) from error
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return FittedSoftPrefix(head, model, shape, scaling, parameters, history, device)


def _check_language(path: Path, facts: Mapping[str, Any], own: Mapping[str, str]) -> None:
    name, revision, file = facts["language_model"]
    others = [what for what in own if facts["fingerprints"][what] != own[what]]
    if others:
        place = f"{name}/{file}" if file else name
        raise UserError(
            f"{path} was trained with another {' and another '.join(others)} than "
            f"head.language_model names here. It was {place}, revision {revision}."
        )
