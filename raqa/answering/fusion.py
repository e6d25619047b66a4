"""The fusion head: audio and question embeddings together to a label or a number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import polars as pl
import torch
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from raqa.answering.base import (
    AUDIO_ROW,
    SHARES,
    Asked,
    FittedQuestionHead,
    Fitting,
    QuestionHead,
    QuestionPairs,
    learnt_answers,
)
from raqa.answering.fusion_inputs import (
    answerable,
    distinct,
    indices,
    numbered,
    one_table,
    said,
    scale,
    scaled,
    weighed,
)
from raqa.answering.fusion_model import FusionModel, FusionObjective, Tables
from raqa.answering.targets import NAME, Targets
from raqa.answering.text_encoder import TextEncoder
from raqa.errors import UserError
from raqa.folders import make_folder
from raqa.heads.base import GradientHead
from raqa.heads.data import FitData, FloatArray
from raqa.heads.mlp import Activation
from raqa.training.head_file import read_arrays, write_arrays
from raqa.training.history import HISTORY
from raqa.training.scaling import Scaling

if TYPE_CHECKING:
    from raqa.training.settings import TrainerSettings

_ROWS = 4096  # questions answered at a time; bounds memory
_FILE = "head.safetensors"
_SCALES = ("audio_mean", "audio_factor", "text_mean", "text_factor")


@checked(frozen=True, config=ConfigDict(extra="forbid", arbitrary_types_allowed=True))
class FusionHead(QuestionHead):
    """A perceptron on the audio embedding beside the question's, one model for all questions.

    Attributes:
        text_encoder: the fixed encoder of questions.
        audio: whether the recording is heard; without it, this is what wording alone achieves.
        hidden: units of each hidden layer.
        dropout: probability of a hidden unit to be dropped in training.
    """

    text_encoder: TextEncoder
    audio: bool = True
    hidden: tuple[Annotated[int, Field(ge=1)], ...] = (256,)
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.3
    activation: Activation = "relu"

    @property
    def uses_audio(self) -> bool:  # type: ignore[override]
        """Whether the recording is heard."""
        return self.audio

    def fit(
        self, train: QuestionPairs, validation: QuestionPairs, fitting: Fitting
    ) -> FittedFusion:
        """Train on all questions at once, all seeds side by side.

        Validation questions of a target that training has no question of select nothing.
        """
        from raqa.training.loop import train as train_stacked

        targets = Targets.learn(train.rows)
        audio, moved = one_table(train, validation)
        known = moved.filter(answerable(targets))
        texts = distinct(train.rows, known)
        scales = self._scales(train, texts, fitting.settings)
        tables = self._tables(audio, texts, targets, scales)
        learnt, held = (numbered(rows, texts, targets) for rows in (train.rows, known))
        selection = train_stacked(
            _Recipe(self, tables),
            FitData(*learnt, *held),
            fitting.seeds,
            Scaling(np.zeros(3), np.ones(3), 0.0, 1.0),
            fitting.settings,
            objective=FusionObjective(tables.outputs),
            loggers=fitting.loggers,
            console=fitting.console,
            checkpoint=fitting.checkpoint,
            stop=fitting.stop,
        )
        parameters = {name: value.cpu().numpy() for name, value in selection.best.items()}
        seeds = tuple(fitting.seeds)
        return FittedFusion(self, seeds, targets, scales, parameters, selection.history)

    def load(self, folder: Path, seeds: Sequence[int]) -> FittedFusion:
        """Read what `save` wrote.

        Raises:
            UserError: it is not there or damaged, or the text encoder is another one.
        """
        arrays, facts = read_arrays(folder / _FILE)
        if facts["text_encoder"] != self.text_encoder.fingerprint:
            raise UserError(
                f"{folder} was fitted with another text encoder than {self.text_encoder.model} "
                "as it is here; its vectors mean something else. Set head.text_encoder.model to "
                "the one it was fitted with."
            )
        scales = {name: arrays.pop(name) for name in _SCALES if name in arrays}
        labels = {name: tuple(known) for name, known in facts["labels"].items()}
        targets = Targets(labels, facts["mean"], facts["deviation"])
        history = pl.DataFrame(facts["history"], schema=dict(HISTORY))
        return FittedFusion(self, tuple(seeds), targets, scales, arrays, history)

    def _scales(
        self, train: QuestionPairs, texts: Sequence[str], settings: TrainerSettings
    ) -> dict[str, FloatArray]:
        """Mean and factor of both embeddings, over training recordings and distinct questions."""
        learnt = set(train.rows["question"])
        text = self.text_encoder.encode([one for one in texts if one in learnt])
        scales = scale("text", text, settings)
        if self.audio:
            heard = train.rows[AUDIO_ROW].unique().sort().to_numpy()
            scales |= scale("audio", train.audio[heard], settings)
        return scales

    def _tables(
        self,
        audio: FloatArray,
        texts: Sequence[str],
        targets: Targets,
        scales: Mapping[str, FloatArray],
    ) -> Tables:
        text = self.text_encoder.encode(list(texts))
        numeric = {name: number for number, name in enumerate(targets.numeric)}
        asks = [numeric[name.split("/")[1]] if name in targets.mean else -1
                for name in targets.names]  # fmt: skip
        return Tables(
            audio=scaled("audio", audio, scales) if self.audio else None,
            text=scaled("text", text, scales),
            valid=targets.mask(),
            number=np.asarray(asks, np.int64),
            numbers=len(numeric),
        )


@dataclass(frozen=True, eq=False)
class FittedFusion(FittedQuestionHead):
    """The fitted networks of all seeds.

    Attributes:
        scales: mean and factor of both embeddings, by name.
        parameters: arrays by name, the seed as first dimension.
    """

    head: FusionHead
    seeds: tuple[int, ...]
    targets: Targets
    scales: Mapping[str, FloatArray]
    parameters: Mapping[str, FloatArray]
    history: pl.DataFrame

    def answer(self, asked: Asked) -> pl.DataFrame:
        """The most probable valid label with its probability, or the number in its unit.

        Questions of a target that training had none of have an empty answer.
        """
        possible = asked.rows.filter(answerable(self.targets))
        parts = [self._unanswerable(asked.rows.filter(~answerable(self.targets)))]
        parts += [self._answers(*part) for part in self._outputs(asked.audio, possible)]
        return learnt_answers(pl.concat(parts))

    def shares(self, asked: Asked) -> pl.DataFrame:
        """The probability of every label that is valid for a question, by seed."""
        possible = asked.rows.filter(answerable(self.targets))
        parts = [
            weighed(self.seeds, rows, outputs[:, :-2].softmax(dim=1).numpy(), self.targets)
            for rows, outputs in self._outputs(asked.audio, possible)
        ]
        return pl.concat([pl.DataFrame(schema=dict(SHARES)), *parts])

    def text_vectors(self, texts: Sequence[str]) -> FloatArray:
        """What the text encoder makes of texts."""
        return self.head.text_encoder.encode(texts)

    def _outputs(
        self, audio: FloatArray, possible: pl.DataFrame
    ) -> Iterator[tuple[pl.DataFrame, torch.Tensor]]:
        """Questions, some at a time, with what the models say `[seeds, labels + 2, questions]`."""
        if possible.is_empty():
            return
        texts = distinct(possible)
        tables = self.head._tables(audio, texts, self.targets, self.scales)
        model = _Recipe(self.head, tables).build(3, self.seeds, tables.outputs)
        stored = {name: torch.from_numpy(array) for name, array in self.parameters.items()}
        model.load_state_dict(stored, assign=True)
        model.eval()
        index = torch.from_numpy(indices(possible, texts, self.targets))
        for start in range(0, possible.height, _ROWS):
            inputs = index[start : start + _ROWS].expand(len(self.seeds), -1, -1)
            with torch.inference_mode():
                outputs = model(inputs).double()
            yield possible.slice(start, _ROWS), outputs

    def _answers(self, rows: pl.DataFrame, outputs: torch.Tensor) -> pl.DataFrame:
        shares = outputs[:, :-2].softmax(dim=1)
        asks_number = outputs[0, -1].numpy() > 0.5
        names = rows.select(self.targets.name)[NAME].to_list()
        means = np.asarray([self.targets.mean.get(name, 0.0) for name in names])
        spread = np.asarray([self.targets.deviation.get(name, 1.0) for name in names])
        found = []
        for row, seed in enumerate(self.seeds):
            label, probability = None, None
            if shares.shape[1]:
                best = shares[row].max(dim=0)
                label = np.asarray(self.targets.vocabulary, object)[best.indices.numpy()]
                probability = best.values.numpy()
            value = outputs[row, -2].numpy() * spread + means
            found.append(
                said(
                    seed,
                    rows,
                    asks_number=asks_number,
                    label=label,
                    probability=probability,
                    value=value,
                )
            )
        return pl.concat(found)

    def _unanswerable(self, rows: pl.DataFrame) -> pl.DataFrame:
        none = np.zeros(rows.height, np.bool_)
        return pl.concat(
            [
                said(
                    seed,
                    rows,
                    asks_number=none,
                    label=None,
                    probability=None,
                    value=np.zeros(rows.height),
                )
                for seed in self.seeds
            ]
        )

    def save(self, folder: Path) -> None:
        """Write parameters and scales; the text encoder is named, not kept."""
        facts = {
            "text_encoder": self.head.text_encoder.fingerprint,
            "labels": self.targets.labels,
            "mean": self.targets.mean,
            "deviation": self.targets.deviation,
            "history": self.history.to_dict(as_series=False),
        }
        make_folder(folder)
        write_arrays(folder / _FILE, {**self.scales, **self.parameters}, facts)


@dataclass(frozen=True, eq=False)
class _Recipe(GradientHead):
    """What training builds its models from: the head's settings and what inputs point into."""

    head: FusionHead
    tables: Tables

    def build(self, width: int, seeds: Sequence[int], outputs: int = 1) -> FusionModel:  # noqa: ARG002
        """Make untrained models; their shape follows from the tables."""
        settings = self.head
        return FusionModel(
            self.tables,
            seeds,
            hidden=settings.hidden,
            dropout=settings.dropout,
            activation=settings.activation,
        )

    def __repr__(self) -> str:
        """Tells recipes apart by everything that decides the numbers of a fit."""
        digest = hashlib.sha256()
        for array in (self.tables.audio, self.tables.text, self.tables.valid, self.tables.number):
            digest.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        return f"{self.head!r} on {digest.hexdigest()}"
