"""Ask a finished run about new recordings: its encoder, its clip policy, its fitted heads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from omegaconf import DictConfig, OmegaConf

from raqa.configuration.build import build_node
from raqa.errors import UserError
from raqa.reports.run_folder import HEADS, Run, read_run
from raqa.tables import RECORDINGS

ANSWERS = {
    "file": pl.String,
    "prediction": pl.Float64,  # mean over seeds, in the task's unit
    "sd_over_seeds": pl.Float64,  # ddof 1; null for one seed
}
"""Columns of what `predict_files` returns."""


def predict_files(
    run_folder: Path, files: Sequence[Path], cache: Path
) -> tuple[Run, pl.DataFrame, pl.DataFrame]:
    """Predict the run's task for audio files.

    Returns:
        the run, a table with ANSWERS columns, and the SET_ASIDE rows of files without an answer.

    Raises:
        UserError: the run is not finished or damaged, or its encoder is another one today.
    """
    from raqa.embeddings.extract import extract
    from raqa.embeddings.store import EmbeddingStore
    from raqa.training.fitted import FittedHead

    run = read_run(run_folder)
    config = OmegaConf.create(run.config)
    assert isinstance(config, DictConfig)
    encoder, clip, embed = (build_node(config, name) for name in ("encoder", "clip", "embed"))
    if encoder.fingerprint != run.provenance.encoder_fingerprint:
        raise UserError(
            f"{run.path.name}: its encoder had the fingerprint {run.provenance.encoder_fingerprint}"
            f", {run.provenance.encoder} has {encoder.fingerprint} today (other weights or another "
            "version of raqa). Train again with force=true."
        )
    fitted = FittedHead.load(run.path / HEADS)
    store = EmbeddingStore(cache / "embeddings")
    embeddings = extract(_as_recordings(files), encoder, clip, store, embed)
    values = fitted.predict(embeddings.vectors) if len(embeddings.vectors) else np.zeros((1, 0))
    several = len(values) > 1
    answers = pl.DataFrame(
        {
            "file": embeddings.recording_ids,
            "prediction": values.mean(axis=0),
            "sd_over_seeds": values.std(axis=0, ddof=1) if several else [None] * values.shape[1],
        },
        schema=ANSWERS,
    )
    return run, answers, embeddings.set_aside


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
