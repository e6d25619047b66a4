"""W&B's files of a run: a LevelDB log of protobuf records, written by a process of its own."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_HEADER = 7  # ":W&B", a magic number and a version
_BLOCK = 32 * 1024
_RECORD_HEADER = 7  # checksum, length, kind
_ENDS = (1, 4)  # kinds: a whole record, or the last part of one

FLUSH_S = 10.0
"""How long W&B's process may take to write the end of a run."""


def records(path: Path) -> Iterator[Any]:
    """All records of a `run-<id>.wandb` file, as far as it is written."""
    from wandb.proto import wandb_internal_pb2

    data, place, parts = path.read_bytes(), _HEADER, b""
    while place + _RECORD_HEADER <= len(data):
        left = _BLOCK - place % _BLOCK
        if left < _RECORD_HEADER:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        place += _RECORD_HEADER
        if place + length > len(data):
            return
        parts += data[place : place + length]
        place += length
        if kind in _ENDS:
            record = wandb_internal_pb2.Record()  # type: ignore[attr-defined]
            record.ParseFromString(parts)
            parts = b""
            yield record


def wait_for_end(path: Path) -> None:
    """Wait until a run's end is in its file: the library returns before that."""
    deadline = time.monotonic() + FLUSH_S
    while time.monotonic() < deadline:
        if any(record.WhichOneof("record_type") == "exit" for record in records(path)):
            return
        time.sleep(0.02)
