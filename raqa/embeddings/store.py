"""The store of embeddings on disk: computed once, shared by runs and processes without locks."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import struct
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import raqa
from raqa.audio import decode
from raqa.audio.clip import ClipPolicy
from raqa.embeddings.atomic import write_atomically
from raqa.embeddings.shard import (
    KEY_BYTES,
    DamagedShardError,
    Keys,
    Shard,
    Vectors,
    write_shard,
)
from raqa.folders import make_folder

if TYPE_CHECKING:
    from raqa.encoders.base import Encoder

_log = logging.getLogger(__name__)

FORMAT = 1
"""Raised when shards change so that older ones can not be read."""

INFO = "info.json"
HASHES = "hashes"
SHARD_SUFFIX = ".safetensors"
DAMAGED_SUFFIX = ".damaged"


def make_keys(hashes: Sequence[str], segments: Sequence[tuple[float | None, float | None]]) -> Keys:
    """Make the keys of recordings: content hash and segment (start and end in seconds)."""
    keys = [
        hashlib.blake2b(
            bytes.fromhex(content)
            + struct.pack("<dd", *(-1.0 if bound is None else bound for bound in segment)),
            digest_size=KEY_BYTES,
        ).digest()
        for content, segment in zip(hashes, segments, strict=True)
    ]
    return np.array(keys, dtype=f"S{KEY_BYTES}")


class EmbeddingStore:
    """A folder of shelves, one for each encoder fingerprint and clip policy, and of file hashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def hashes_folder(self) -> Path:
        """Where the content hashes of audio files are remembered."""
        return self.folder / HASHES

    def shelf(self, encoder: Encoder, clip: ClipPolicy, precision: str = "32") -> Shelf:
        """Open the shelf of an encoder and a clip policy; it is made if it is new.

        Embeddings of half precision have shelves of their own.
        """
        facts = {
            "encoder": type(encoder).__name__,
            "fingerprint": encoder.fingerprint,
            "settings": dict(encoder.settings),
            "weights": encoder.weights,
            "output": encoder.output,
            "sample_rate": encoder.sample_rate,
            "width": encoder.width,
            "clip": dict(clip.settings),
            "decoding": decode.REVISION,
            "format": FORMAT,
        }
        identity = {key: facts[key] for key in ("fingerprint", "clip", "decoding", "format")}
        if precision != "32":
            identity["precision"] = facts["precision"] = precision
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:12]
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(encoder).__name__).lower()
        folder = self.folder / f"{name}-{clip.slug}-{digest}"
        return Shelf(folder, {**facts, "clip_name": clip.slug})


class Shelf:
    """The embeddings of one encoder and clip policy: shards that are only ever added.

    A shard appears whole or not at all and is never changed. A key may stand in two of them, when
    two processes computed it at once; the rows are equal and the first is used.

    Args:
        folder: the shelf's own.
        facts: what info.json tells a reader of the folder.
    """

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        self.folder = folder
        self._shards: dict[Path, Shard] = {}  # they never change, so opening one once is enough
        make_folder(folder)
        info = folder / INFO
        try:
            json.loads(info.read_bytes())
            os.utime(info)  # when the shelf was last used, for `raqa cache prune`
        except (OSError, ValueError):
            text = json.dumps({**facts, "raqa": raqa.__version__}, indent=2, ensure_ascii=False)
            write_atomically(info, text.encode())

    def write(self, keys: Keys, vectors: Vectors) -> Path:
        """Add a shard of `[n]` keys and `[n, ...]` float32 vectors."""
        name = f"{time.time_ns()}-{uuid.uuid4().hex[:8]}{SHARD_SUFFIX}"
        write_shard(self.folder / name, keys, vectors)
        return self.folder / name

    def has(self, keys: Keys) -> NDArray[np.bool_]:
        """Say which keys are there, `[n]`, also those that other processes have just written."""
        return _match(self._open(), keys)[0]

    def lookup(self, keys: Keys) -> tuple[NDArray[np.bool_], Vectors]:
        """Find the embeddings of keys.

        Returns:
            which keys are there, `[n]`, and the vectors, `[n, ...]` (zeros for those that are
            not; `[n, 0]` when none is).

        Raises:
            ValueError: the embeddings are frames, and of different numbers.
        """
        while True:
            shards = self._open()
            try:
                return _gather(shards, keys)
            except DamagedShardError as error:  # at most once for every shard
                self._put_aside(error.path, str(error))

    def _open(self) -> list[Shard]:
        """Open all whole shards, oldest first."""
        shards: dict[Path, Shard] = {}
        for path in sorted(self.folder.glob(f"*{SHARD_SUFFIX}")):
            try:
                shards[path] = self._shards.get(path) or Shard(path)
            except DamagedShardError as error:
                self._put_aside(path, str(error))
            except FileNotFoundError:  # pruned, or put aside by another process
                continue
        self._shards = shards
        return list(shards.values())

    def _put_aside(self, path: Path, reason: str) -> None:
        """Rename a damaged shard, so that it is noticed once and its rows are computed again."""
        _log.warning("%s is damaged: %s. Its embeddings are computed again.", path, reason)
        try:
            path.rename(path.with_suffix(DAMAGED_SUFFIX))
        except FileNotFoundError:  # another process was faster
            return


def _match(shards: list[Shard], keys: Keys) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Say which keys are in the shards, and in which row of all shards, one after another."""
    held = np.concatenate([np.empty(0, f"S{KEY_BYTES}"), *(shard.keys for shard in shards)])
    if not len(held):
        return np.zeros(len(keys), bool), np.zeros(len(keys), np.intp)
    order = np.argsort(held, kind="stable")  # stable: of equal keys the oldest shard's is first
    place = np.minimum(np.searchsorted(held, keys, sorter=order), len(held) - 1)
    rows = order[place]
    return held[rows] == keys, rows


def _gather(shards: list[Shard], keys: Keys) -> tuple[NDArray[np.bool_], Vectors]:
    """Match keys over all shards at once, then copy one block of rows from each shard."""
    found, rows = _match(shards, keys)
    ends = np.cumsum([len(shard.keys) for shard in shards])
    owner = np.searchsorted(ends, rows, side="right")
    shapes = {shards[index].item_shape for index in np.unique(owner[found])}
    if len(shapes) > 1:
        raise ValueError(
            f"embeddings of different shapes ({sorted(shapes)}) do not fit one array; "
            "a clip policy with a fixed length makes them equal"
        )
    vectors = np.empty((len(keys), *(shapes.pop() if shapes else (0,))), np.float32)
    vectors[~found] = 0
    for index in np.unique(owner[found]):
        wanted = np.flatnonzero(found & (owner == index))
        taken = shards[index].take(rows[wanted] - (ends[index] - len(shards[index].keys)))
        if wanted[-1] - wanted[0] + 1 == len(wanted):
            vectors[wanted[0] : wanted[-1] + 1] = taken  # a plain copy, the usual case
        else:
            vectors[wanted] = taken
    return found, vectors
