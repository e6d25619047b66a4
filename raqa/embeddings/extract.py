"""From recordings to embeddings: what the store has is reused, the rest computed and kept."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, field_validator
from pydantic.dataclasses import dataclass as settings_dataclass

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.compute import Block, compute
from raqa.embeddings.forward import Forward, pick_device
from raqa.embeddings.hashes import HashCache
from raqa.embeddings.prefetch import Job
from raqa.embeddings.progress import Progress
from raqa.embeddings.shard import Keys
from raqa.embeddings.store import EmbeddingStore, make_keys
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

if TYPE_CHECKING:
    from rich.console import Console

    from raqa.encoders.base import Encoder


@settings_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class EmbedSettings:
    """How embeddings are extracted; only `precision` changes the numbers beyond rounding.

    Args:
        batch_s: seconds of audio in one forward pass; None: what suits the device.
        workers: decoding threads; 0: one per core.
        shard_rows: embeddings per file of the store; a killed run loses no more than these.
        device: "auto", or a device as torch names it.
        precision: "32", or on a GPU "bf16" or "fp16", whose embeddings are kept apart.
        shard: "i/n": only the i-th of n parts of the recordings (`raqa embed`).
    """

    batch_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    workers: Annotated[int, Field(ge=0, le=256)] = 0
    shard_rows: Annotated[int, Field(ge=1)] = 256
    device: str = "auto"
    precision: Literal["32", "bf16", "fp16"] = "32"
    shard: Annotated[str, Field(pattern=r"^[1-9]\d*/[1-9]\d*$")] | None = None

    @field_validator("shard")
    @classmethod
    def _shard_is_one_of_them(cls, shard: str | None) -> str | None:
        if shard is not None and not int(shard.split("/")[0]) <= int(shard.split("/")[1]):
            raise ValueError("there is no such part; 1/4 to 4/4 are the parts of four")
        return shard

    def part_of(self, table: pl.DataFrame) -> pl.DataFrame:
        """This process's part of a recordings table, every n-th row in order of the id."""
        if self.shard is None:
            return table
        part, parts = map(int, self.shard.split("/"))
        return table.sort("recording_id").gather_every(parts, part - 1)

    @property
    def threads(self) -> int:
        """How many threads decode."""
        return self.workers or os.cpu_count() or 1


@dataclass(frozen=True)
class Embeddings:
    """One vector for every recording that could be embedded, and the others with their reasons.

    Attributes:
        recording_ids: in the order of the recordings table.
        vectors: float32 `[recordings, width]`, or `[recordings, frames, width]`.
        set_aside: SET_ASIDE columns, stage "audio".
        reused: recordings that the store had.
        computed: recordings embedded now (those of identical content together).
    """

    recording_ids: list[str]
    vectors: NDArray[np.float32]
    set_aside: pl.DataFrame
    reused: int
    computed: int


def extract(  # noqa: PLR0917 (what goes in, then how, then where it shows)
    table: pl.DataFrame,
    encoder: Encoder,
    clip: ClipPolicy,
    store: EmbeddingStore,
    settings: EmbedSettings,
    console: Console | None = None,
) -> Embeddings:
    """Embed every recording of a table; audio that can not be used is set aside with its reason.

    Args:
        table: RECORDINGS columns, one row per recording.
        console: shows progress where it is a terminal.

    Raises:
        UserError: the clip policy gives clips that the encoder does not take, an embedding is
            not finite, memory does not suffice for one clip, or there is no such device.
    """
    if problem := clip_problem(encoder, clip):
        raise UserError(problem)
    device = pick_device(settings.device)
    if settings.precision != "32" and device == "cpu":
        raise UserError(
            f"embed.precision={settings.precision} is for a GPU, and there is none here or "
            f"embed.device={settings.device}. Leave it at 32."
        )
    shelf = store.shelf(encoder, clip, settings.precision)
    reasons: dict[int, str] = {}
    rows, keys = _identify(table, HashCache(store.hashes_folder, settings.threads), reasons)
    known, vectors = shelf.lookup(keys)
    found = known
    if not known.all():
        waiting = _waiting(rows, keys, known)
        blocks = _blocks(table, keys, waiting, settings.shard_rows)
        forward = Forward(encoder, device, settings.precision)
        with Progress(console, len(waiting), type(encoder).__name__) as progress:
            failures = compute(blocks, forward, clip, shelf, settings, progress=progress)
        for job, reason in failures.items():
            reasons.update(dict.fromkeys(waiting[job.key], reason))
        found, vectors = shelf.lookup(keys)
    lost = [row for row, is_found in zip(rows, found, strict=True)
            if not is_found and row not in reasons]  # fmt: skip
    if lost:
        raise UserError(
            f"{len(lost)} embeddings are gone from {shelf.folder} since they were computed; "
            "was it pruned meanwhile? Run again."
        )
    ids = table["recording_id"].to_list()
    return Embeddings(
        recording_ids=[ids[row] for row, is_found in zip(rows, found, strict=True) if is_found],
        vectors=vectors[found] if found.any() else np.zeros((0, encoder.width), np.float32),
        set_aside=_set_aside(table, reasons),
        reused=int(known.sum()),
        computed=int((found & ~known).sum()),
    )


def clip_problem(encoder: Encoder, clip: ClipPolicy) -> str | None:
    """Why the encoder can not take this clip policy's clips and what would do; None: it can."""
    name = type(encoder).__name__
    if encoder.window_s is not None and (
        clip.length_s != encoder.window_s or clip.padding == "none"
    ):
        return (
            f"clip={clip.slug}: {name} takes clips of exactly {encoder.window_s:g} s. "
            f"Use clip.length_s={encoder.window_s:g} with clip.padding=zeros or repeat."
        )
    if clip.length_s is not None and clip.length_s < encoder.min_s:
        return (
            f"clip={clip.slug}: {name} takes clips of at least {encoder.min_s:g} s. "
            f"Use clip.length_s={encoder.min_s:g} or more."
        )
    if encoder.output == "frames" and (clip.length_s is None or clip.padding == "none"):
        return (
            f"clip={clip.slug}: {name} gives frames, which fit one table only if all clips have "
            "one length. Use clip.length_s=... with clip.padding=zeros or repeat."
        )
    return None


def _identify(
    table: pl.DataFrame, hashes: HashCache, reasons: dict[int, str]
) -> tuple[list[int], Keys]:
    """Find the rows whose file is there, with their keys; the others get a reason."""
    paths, audio = table["path"].to_list(), table["audio"].to_list()
    rows: list[int] = []
    for row, (path, present) in enumerate(zip(paths, audio, strict=True)):
        if path is not None and present is not False:
            rows.append(row)
        else:
            reasons[row] = "there is no audio file"
    results = hashes.hash_files([Path(paths[row]) for row in rows])
    readable, contents = [], []
    for row, result in zip(rows, results, strict=True):
        if isinstance(result, OSError):
            reasons[row] = f"can not be opened: {result.strerror or result}"
        else:
            readable.append(row)
            contents.append(result)
    segments = table.select("start_s", "end_s").rows()
    return readable, make_keys(contents, [segments[row] for row in readable])


def _waiting(rows: Sequence[int], keys: Keys, known: NDArray[np.bool_]) -> dict[bytes, list[int]]:
    """Find the contents that the store lacks, each with the rows that wait for it."""
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for row, key, is_known in zip(rows, keys.tolist(), known, strict=True):
        if not is_known:
            waiting[key].append(row)
    return waiting


def _blocks(
    table: pl.DataFrame, keys: Keys, waiting: dict[bytes, list[int]], size: int
) -> list[Block]:
    """Cut the table's contents into blocks of `size`, and leave out what the store has.

    In this order, so that a run that continues another finds the same blocks.
    """
    columns = table.select("recording_id", "path", "start_s", "end_s").rows()
    contents = list(dict.fromkeys(keys.tolist()))
    blocks: list[Block] = []
    for start in range(0, len(contents), size):
        block = []
        for key in contents[start : start + size]:
            if key in waiting:
                recording_id, path, start_s, end_s = columns[waiting[key][0]]
                block.append(Job(key, recording_id, Path(path), start_s, end_s))
        if block:
            blocks.append(block)
    return blocks


def _set_aside(table: pl.DataFrame, reasons: dict[int, str]) -> pl.DataFrame:
    """What could not be embedded, in the order of the table."""
    columns = table.select("corpus", "recording_id", "path").rows()
    return set_aside_table(
        SetAside(corpus=columns[row][0], stage="audio", item=columns[row][1],
                 field="path", value=columns[row][2], reason=reason)
        for row, reason in sorted(reasons.items())
    )  # fmt: skip
