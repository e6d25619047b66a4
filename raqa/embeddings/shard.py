"""One file of embeddings: keys and vectors in the safetensors format, with a sum for each row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from raqa.embeddings.atomic import write_atomically

KEY_BYTES = 16

Keys = NDArray[np.bytes_]  # dtype S16, [n]
Vectors = NDArray[np.float32]  # [n, width] or [n, frames, width]


class DamagedShardError(Exception):
    """A shard file is cut or overwritten; the message says how it was noticed."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path = path


def write_shard(path: Path, keys: Keys, vectors: Vectors) -> None:
    """Write a shard: whole, or not at all."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    raw = np.frombuffer(keys.astype(f"S{KEY_BYTES}").tobytes(), np.uint8)
    tensors: dict[str, NDArray[Any]] = {
        "keys": raw.reshape(-1, KEY_BYTES),
        "sums": row_sums(vectors),
        "vectors": vectors,
    }
    write_atomically(path, save(tensors))


def row_sums(vectors: Vectors) -> NDArray[np.uint32]:
    """Add up the bits of each row as 32-bit integers: notices any one damaged value, fast."""
    words = vectors.reshape(len(vectors), -1).view(np.uint32)
    sums: NDArray[np.uint32] = words.sum(axis=1, dtype=np.uint32)
    return sums


class Shard:
    """A shard opened for reading; its vectors stay on disk until they are taken.

    Attributes:
        keys: `[n]`, dtype S16 (trailing zero bytes do not show but compare right).
        item_shape: shape of one embedding.

    Raises:
        DamagedShardError: the file is not a whole shard.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._bytes = np.asarray(np.memmap(path, np.uint8, mode="r"))
            parts = self._parts()
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise DamagedShardError(path, f"its header can not be read ({error})") from error
        self.keys: Keys = np.array(parts["keys"]).view(f"S{KEY_BYTES}")[:, 0]
        self._sums: NDArray[np.uint32] = parts["sums"]
        self._vectors: Vectors = parts["vectors"]
        if not len(self.keys) == len(self._sums) == len(self._vectors):
            raise DamagedShardError(path, "its parts have different numbers of rows")
        self.item_shape: tuple[int, ...] = self._vectors.shape[1:]

    def _parts(self) -> dict[str, NDArray[Any]]:
        """Map the tensors without copying them, which the safetensors library does not offer."""
        length = int(self._bytes[:8].view("<u8")[0])
        if length > len(self._bytes) - 8:
            raise ValueError("it is longer than the file")
        header = json.loads(self._bytes[8 : 8 + length].tobytes())
        data = self._bytes[8 + length :]
        parts, end = {}, 0
        for name, kind, ndim in (("keys", "U8", 2), ("sums", "U32", 1), ("vectors", "F32", None)):
            entry = header[name]
            start, stop = entry["data_offsets"]
            if entry["dtype"] != kind or (ndim and len(entry["shape"]) != ndim) or start < 0:
                raise ValueError(f"{name} is not what a shard holds")
            dtype = {"U8": "u1", "U32": "<u4", "F32": "<f4"}[kind]
            parts[name] = data[start:stop].view(dtype).reshape(entry["shape"])
            end = max(end, stop)
        if end != len(data):
            raise ValueError(f"it promises {end} bytes of data, {len(data)} are there")
        if parts["keys"].shape[1] != KEY_BYTES:
            raise ValueError("its keys have another length")
        return parts

    def take(self, rows: NDArray[np.intp]) -> Vectors:
        """Take rows out of the file; those that stand together are a view of it.

        Raises:
            DamagedShardError: a row is not what was written.
        """
        if np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows))):
            vectors = self._vectors[rows[0] : rows[0] + len(rows)]
        else:
            vectors = self._vectors.take(rows, axis=0)
        if not np.array_equal(row_sums(vectors), self._sums[rows]):
            raise DamagedShardError(self.path, "the sum of a row is not what was written")
        return vectors
