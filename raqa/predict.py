"""Ask a finished run about new recordings: its encoder, its clip policy, its fitted heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from omegaconf import DictConfig, OmegaConf

from raqa.configuration.build import build_node
from raqa.errors import UserError
from raqa.metrics.conformal import Conformal
from raqa.reports.calibration import conformal_of
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import HEAD_FOLDER, HEADS, Run
from raqa.tables import RECORDINGS

if TYPE_CHECKING:
    from raqa.embeddings.extract import Embeddings

Floats = NDArray[np.float64]

ANSWERS = {
    "file": pl.String,
    "prediction": pl.Float64,  # mean over seeds, in the task's unit
    "sd_over_seeds": pl.Float64,  # ddof 1; null for one seed
    "low": pl.Float64,  # ends of the conformal interval; null where there is none
    "high": pl.Float64,
    "level": pl.Float64,  # what the interval promises
}
"""Columns of what `predict_files` returns where the run predicts a number."""

CLASS_ANSWERS = {
    "file": pl.String,
    "prediction": pl.String,  # name of the class that is most probable on average over seeds
    "probability": pl.Float64,  # its own, mean over seeds
    "sd_over_seeds": pl.Float64,  # of that probability, ddof 1; null for one seed
}
"""The same where it predicts classes."""


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a run predicts for files.

    Attributes:
        answers: ANSWERS or CLASS_ANSWERS columns.
        set_aside: SET_ASIDE rows of files without an answer.
        interval: of predicted numbers, void or not; None for classes.
    """

    run: Run
    answers: pl.DataFrame
    set_aside: pl.DataFrame
    interval: Conformal | None

    def write_csv(self, path: Path) -> None:
        """Write a row for every file that was asked about; `reason` says why it has no answer.

        Raises:
            UserError: the folder does not exist.
        """
        csv_place(path)
        silent = self.set_aside.select(file="item", reason="reason")
        silent = silent.unique("file", keep="first", maintain_order=True)
        pl.concat([self.answers, silent], how="diagonal").write_csv(path)


def predict_files(
    run_folder: Path, files: Sequence[Path], cache: Path, *, level: float = 0.9
) -> Predicted:
    """Predict the run's task for audio files.

    Args:
        level: share of new subjects that the interval is to cover, between 0 and 1.

    Raises:
        UserError: the run is not finished or damaged, or its encoder is another one today.
    """
    if not 0 < level < 1:
        raise UserError(f"--level {level:g}: it is a share between 0 and 1, such as 0.9.")
    from raqa.training.fitted import FittedHead

    run = read_run(run_folder)
    if (run.path / HEAD_FOLDER).is_dir():
        raise UserError(
            f"{run.path.name} answers questions: use `raqa ask {run_folder} AUDIO... QUESTION`."
        )
    config = OmegaConf.create(run.config)
    assert isinstance(config, DictConfig)
    fitted = FittedHead.load(run.path / HEADS)
    embeddings = embed_files(run, config, files, cache)
    vectors = embeddings.vectors if len(embeddings.vectors) else np.zeros((0, fitted.width))
    values, files_read = fitted.answers(vectors), list(embeddings.recording_ids)
    classes = run.provenance.classes
    interval = conformal_of(run, level)
    answers = (
        _classes(files_read, values, classes)
        if interval is None
        else _numbers(files_read, values, interval)
    )
    return Predicted(run, answers, embeddings.set_aside, interval)


def embed_files(run: Run, config: DictConfig, files: Sequence[Path], cache: Path) -> Embeddings:
    """Embed audio files as a run's recordings were.

    Args:
        config: the run's own.

    Raises:
        UserError: the run's encoder is another one today.
    """
    from raqa.embeddings.extract import extract
    from raqa.embeddings.store import EmbeddingStore

    encoder, clip, embed = (build_node(config, name) for name in ("encoder", "clip", "embed"))
    if encoder.fingerprint != run.provenance.encoder_fingerprint:
        raise UserError(
            f"{run.path.name}: its encoder had the fingerprint {run.provenance.encoder_fingerprint}"
            f", {run.provenance.encoder} has {encoder.fingerprint} today (other weights or another "
            "version of raqa). Train again with force=true."
        )
    store = EmbeddingStore(cache / "embeddings")
    return extract(_as_recordings(files), encoder, clip, store, embed)


def csv_place(path: Path) -> None:
    """Refuse a file whose folder does not exist.

    Raises:
        UserError: saying so.
    """
    if not path.absolute().parent.is_dir():
        raise UserError(f"--csv {path}: there is no folder {path.absolute().parent}.")


def _numbers(files: list[str], values: Floats, interval: Conformal) -> pl.DataFrame:
    """ANSWERS from numbers `[seeds, files]`."""
    mean, width = values.mean(axis=0), interval.half_width
    facts: dict[str, Any] = {"file": files, "prediction": mean, "sd_over_seeds": _sd(values)}
    if width.defined:
        ends = {"low": mean - width.value, "high": mean + width.value}
        facts |= {**ends, "level": [interval.level] * len(files)}
    nothing = [None] * len(files)
    return pl.DataFrame({name: facts.get(name, nothing) for name in ANSWERS}, schema=ANSWERS)


def _classes(files: list[str], probabilities: Floats, names: Sequence[str]) -> pl.DataFrame:
    """CLASS_ANSWERS from probabilities `[seeds, files, classes]`."""
    said = probabilities.mean(axis=0).argmax(axis=-1)
    own = probabilities[:, np.arange(len(files)), said]
    facts = {
        "file": files,
        "prediction": [names[number] for number in said],
        "probability": own.mean(axis=0),
        "sd_over_seeds": _sd(own),
    }
    return pl.DataFrame(facts, schema=CLASS_ANSWERS)


def _sd(values: Floats) -> Floats | list[None]:
    return values.std(axis=0, ddof=1) if len(values) > 1 else [None] * values.shape[1]


def _as_recordings(files: Sequence[Path]) -> pl.DataFrame:
    """The files as a recordings table of nobody in particular."""
    names = list(dict.fromkeys(str(file) for file in files))
    return pl.DataFrame(
        {
            "recording_id": names,
            "corpus": ["files"] * len(names),
            "subject_id": names,
            "subject_known": [False] * len(names),
            "path": [str(Path(name).absolute()) for name in names],
            "audio": [Path(name).is_file() for name in names],
            "start_s": [None] * len(names),
            "end_s": [None] * len(names),
            "modality": [None] * len(names),
            "split": [None] * len(names),
        },
        schema=dict(RECORDINGS),
    )
