"""Only extract: fill the store for a cohort, and hand its vectors to other tools."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from omegaconf import DictConfig
from rich.console import Console

from raqa.configuration.build import build_node, check_clip
from raqa.corpora.cohort import audio_present
from raqa.errors import UserError
from raqa.folders import make_folder

if TYPE_CHECKING:
    from raqa.embeddings.extract import Embeddings


def embed(
    config: DictConfig,
    console: Console,
    export: Path | None = None,
    place: str = "datamodule",
) -> Embeddings:
    """Embed every recording of one of the config's cohorts that has audio.

    Args:
        export: where to write recording ids and vectors as well (.parquet).
        place: where corpus and cohort are in the config: `regime.target` is the tested one.

    Raises:
        UserError: something in the config can not work, or there is no audio at all.
    """
    from raqa.embeddings.extract import extract
    from raqa.embeddings.store import EmbeddingStore

    if export is not None and export.suffix != ".parquet":
        raise UserError(f"--export {export}: the file's name must end with .parquet")
    corpus, cohort, clip, settings, encoder = (
        build_node(config, name)
        for name in (f"{place}.corpus", f"{place}.cohort", "clip", "embed", "encoder")
    )
    check_clip(encoder, clip)
    everything = corpus.read()
    chosen = audio_present(cohort.apply(everything))
    if chosen.table.is_empty():
        raise UserError(
            f"{corpus.name}: none of the cohort's recordings has audio. How to get it: "
            f"{corpus.how_to_get}"
        )
    store = EmbeddingStore(Path(config.paths.cache) / "embeddings")
    embeddings = extract(
        settings.part_of(chosen.table), encoder, clip, store, settings, console=console
    )
    if export is not None:
        write_vectors(embeddings, export)
    return embeddings


def write_vectors(embeddings: Embeddings, path: Path) -> None:
    """Write recording ids and vectors as Parquet, whole or not at all.

    Columns: recording_id (String) and vector (Array of Float32; frames one inside the other).
    """
    table = pl.DataFrame({"recording_id": embeddings.recording_ids, "vector": embeddings.vectors})
    make_folder(path.parent)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    table.write_parquet(unfinished)
    unfinished.replace(path)
