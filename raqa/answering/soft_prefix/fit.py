"""Trains a soft prefix, one seed after another, in this process's part of the work."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytorch_lightning as lightning
import torch
from numpy.typing import NDArray

from raqa.answering.base import AUDIO_ROW, QuestionPairs
from raqa.answering.soft_prefix.batches import Collate
from raqa.answering.soft_prefix.language_model import LanguageModel
from raqa.answering.soft_prefix.loaders import Passes, Place, Position, TrainPasses
from raqa.answering.soft_prefix.model import SoftPrefixModel
from raqa.answering.soft_prefix.module import SoftPrefixModule
from raqa.answering.soft_prefix.selection import Events, Finished, Row, SeedsFile, Selection
from raqa.answering.soft_prefix.tokens import tokenise
from raqa.errors import UserError
from raqa.heads.data import FloatArray
from raqa.training.fingerprint import LIBRARIES, fingerprint_of, software
from raqa.training.loop import trainer_arguments
from raqa.training.quiet import quiet_lightning, torch_flags_restored
from raqa.training.scaling import Scaling
from raqa.training.settings import TrainerSettings

if TYPE_CHECKING:
    from raqa.answering.soft_prefix.head import SoftPrefixHead

_SOFTWARE = (*LIBRARIES, "transformers", "tokenizers", "peft")
_CODE = ("heads", "training", "answering", "answering/soft_prefix")


@dataclass(frozen=True, eq=False)
class Job:
    """All that a fit is made of; each process that takes part is given it."""

    head: SoftPrefixHead
    train: QuestionPairs
    validation: QuestionPairs
    seeds: Sequence[int]
    settings: TrainerSettings
    checkpoint: Path | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What training has left.

    Attributes:
        parameters: each seed's best, by name.
        rows: of HISTORY.
        device: that trained, or the first of them.
        model: that it was trained in; None: it stayed in another process.
    """

    parameters: Mapping[int, Mapping[str, NDArray[Any]]]
    rows: Sequence[Row]
    scaling: Scaling
    device: torch.device
    model: SoftPrefixModel | None


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides as batches, and the standardising that was learnt on the training side."""

    train: Collate
    validation: Collate
    scaling: Scaling


def train_seeds(
    job: Job, language: LanguageModel, events: Events, place: Place | None = None
) -> Outcome:
    """Train every seed; where there is a checkpoint of the very same fit, go on with it.

    Raises:
        UserError: the device is not there, questions are too long, training diverged, or memory
            is too small.
        StoppedError: asked for.
    """
    arguments = trainer_arguments(job.settings)
    arguments |= _together(arguments["accelerator"], place)
    sides = prepare(job, language)
    model = job.head.model(language, frames_of(job.train.audio).shape[1:])
    model.to(kind_of(job.settings))
    file = None
    if job.checkpoint is not None:
        file = SeedsFile(job.checkpoint, _belongs(job, language, arguments), events.say)
        file.found()
    training = _Training(job, model, sides, file, events, place or Place(), arguments)
    finished: dict[int, Finished] = file.finished if file is not None else {}
    for seed in job.seeds:
        if seed not in finished:
            finished[seed] = training.train(seed)
    return Outcome(
        parameters={
            seed: {name: one.numpy() for name, one in finished[seed].best.items()}
            for seed in job.seeds
        },
        rows=[row for seed in job.seeds for row in finished[seed].rows],
        scaling=sides.scaling,
        device=_device(arguments),
        model=model,
    )


def prepare(job: Job, language: LanguageModel) -> Sides:
    """Tokenise and check both sides, and learn the standardising on the training side.

    Raises:
        UserError: a side is empty, embeddings are not finite, or questions are too long.
    """
    head = job.head
    heard = frames_of(job.train.audio)[job.train.rows[AUDIO_ROW].unique().sort().to_numpy()]
    problems = []
    for name, side in (("training", job.train), ("validation", job.validation)):
        if not side.rows.height:
            problems.append(f"The {name} side has 0 questions; a head needs at least 1 there.")
        problems += audio_problems(name, side.audio, side.rows)
    if problems:
        raise UserError(problems)
    scaling = Scaling.of_inputs(heard.reshape(-1, heard.shape[2]), job.settings)

    def collate(side: QuestionPairs) -> Collate:
        tokens = tokenise(side.rows, language, head.prompt)
        head.check_room(tokens, language)
        return Collate(
            tokens,
            frames_of(side.audio),
            scaling=scaling,
            model=language,
            prefixes=head.prefixes,
            kind=kind_of(job.settings),
        )

    return Sides(collate(job.train), collate(job.validation), scaling)


def frames_of(audio: FloatArray) -> FloatArray:
    """Embeddings as `[recordings, frames, width]`; a vector is one frame."""
    return audio[:, None] if audio.ndim == 2 else audio


def kind_of(settings: TrainerSettings) -> torch.dtype:
    """The kind of numbers that the settings' precision means."""
    return torch.float64 if settings.precision == 64 else torch.float32


def audio_problems(side: str, audio: FloatArray, rows: pl.DataFrame) -> list[str]:
    """What is wrong with the embeddings that questions are about."""
    used = rows[AUDIO_ROW].unique().to_numpy()
    bad = int((~np.isfinite(frames_of(audio)[used]).all(axis=(1, 2))).sum())
    if not bad:
        return []
    return [
        f"{bad} of {len(used)} embeddings of the {side} side hold NaN or infinite values; every "
        "value must be a number. Look at the encoder and these recordings."
    ]


@dataclass(frozen=True, eq=False)
class _Training:
    """What all seeds' trainings share."""

    job: Job
    model: SoftPrefixModel
    sides: Sides
    file: SeedsFile | None
    events: Events
    place: Place
    arguments: Mapping[str, Any]

    def train(self, seed: int) -> Finished:
        """Train one seed, from where the checkpoint has it."""
        settings, position = self.job.settings, Position()
        rows_at_a_time = self.job.head.rows_at_a_time
        passes = TrainPasses(
            self.sides.train,
            seed,
            position,
            self.place,
            batch_size=settings.batch_size,
            rows_at_a_time=rows_at_a_time,
        )
        selection = Selection(
            seed, settings.patience, position=position, file=self.file, events=self.events
        )
        self.model.initialise(seed)
        self.model.train()
        with torch_flags_restored(), quiet_lightning(), enough_memory(), _frozen_on_purpose():
            self._trainer(selection, passes.passes).fit(
                SoftPrefixModule(self.model, passes, settings),
                train_dataloaders=passes,
                val_dataloaders=Passes(self.sides.validation, rows_at_a_time, self.place),
                ckpt_path=self._begun(seed),
            )
        if not selection.left.best:
            raise UserError(
                f"Training diverged for seed {seed}: no epoch had a finite validation loss at "
                f"learning_rate {settings.learning_rate:g}. Lower it, or set gradient_clip_norm."
            )
        return selection.left

    def _begun(self, seed: int) -> Path | None:
        """The checkpoint, if it is of this seed; from now on it is."""
        if self.file is None:
            return None
        begun, self.file.seed = self.file.seed == seed, seed
        return self.file.path if begun else None

    def _trainer(self, selection: Selection, passes: int) -> lightning.Trainer:
        plugins = [*self.arguments["plugins"], *([self.file] if self.file is not None else [])]
        return lightning.Trainer(
            **{**self.arguments, "plugins": plugins},
            callbacks=[selection],
            logger=False,
            accumulate_grad_batches=passes,
            gradient_clip_val=self.job.settings.gradient_clip_norm,
            use_distributed_sampler=False,
        )


def _device(arguments: Mapping[str, Any]) -> torch.device:
    """The first device that trains; Lightning itself brings the model back to the CPU."""
    if arguments["accelerator"] == "cpu":
        return torch.device("cpu")
    return torch.device("cuda", arguments["devices"][0])


def _together(accelerator: str, place: Place | None) -> dict[str, Any]:
    """What several processes that train together mean to a Lightning Trainer."""
    if place is None:
        return {}
    from pytorch_lightning.strategies import DDPStrategy

    backend = "gloo" if accelerator == "cpu" else "nccl"
    return {"strategy": DDPStrategy(process_group_backend=backend)}


@contextmanager
def _frozen_on_purpose() -> Iterator[None]:
    """Keep Lightning from warning that the language model is not in training mode."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Found \d+ module\(s\) in eval mode")
        yield


@contextmanager
def enough_memory() -> Iterator[None]:
    """Say what to do where memory is too small.

    Raises:
        UserError: it is.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        text = str(error)
        small = isinstance(error, MemoryError | torch.OutOfMemoryError)
        if not small and "can't allocate memory" not in text:
            raise
        raise UserError(
            "Memory is too small for this language model with so many questions at a time. Lower "
            "head.rows_at_a_time (the result is the same), or choose a smaller language model."
        ) from error


def _belongs(job: Job, language: LanguageModel, arguments: Mapping[str, Any]) -> dict[str, str]:
    """What the checkpoint belongs to."""
    digest = hashlib.sha256()
    for side in (job.train, job.validation):
        digest.update(repr((side.audio.dtype, side.audio.shape)).encode())
        digest.update(np.ascontiguousarray(side.audio).data)
        digest.update(
            repr(side.rows.select("qa_id", "question", "answer", AUDIO_ROW).rows()).encode()
        )
    facts: dict[str, Any] = {
        "data": digest.hexdigest(),
        "device": [arguments["accelerator"], arguments.get("devices")],
        "software": software(type(job.head), _SOFTWARE, _CODE),
        **language.fingerprints,
    }
    return fingerprint_of(job.head, job.seeds, job.settings, **facts)
