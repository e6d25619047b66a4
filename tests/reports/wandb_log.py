"""Read what Weights & Biases wrote offline: a LevelDB log of protobuf records."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wandb.proto import wandb_internal_pb2

_HEADER = 7  # ":W&B", a magic number and a version
_BLOCK = 32 * 1024
_RECORD_HEADER = 7  # checksum, length, kind


def records(path: Path) -> Iterator[Any]:
    """All records of a `run-<id>.wandb` file."""
    data, place, parts = path.read_bytes(), _HEADER, b""
    while place + _RECORD_HEADER <= len(data):
        left = _BLOCK - place % _BLOCK
        if left < _RECORD_HEADER:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        place += _RECORD_HEADER
        parts += data[place : place + length]
        place += length
        if kind in {1, 4}:  # a whole record, or the last part of one
            record = wandb_internal_pb2.Record()
            record.ParseFromString(parts)
            parts = b""
            yield record


def _values(items: Any) -> dict[str, Any]:
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def read_offline(folder: Path) -> dict[str, Any]:
    """What one offline folder says: id, group, job type, tags, config, history, summary."""
    (path,) = folder.glob("run-*.wandb")
    found: dict[str, Any] = {"history": [], "summary": {}, "config": {}, "exit": None}
    for record in records(path):
        kind = record.WhichOneof("record_type")
        if kind == "run":
            run = record.run
            found |= {"id": run.run_id, "name": run.display_name, "project": run.project}
            found |= {"group": run.run_group, "job_type": run.job_type, "tags": set(run.tags)}
            found["config"] |= _values(run.config.update)
        elif kind == "history":
            found["history"].append(_values(record.history.item))
        elif kind == "summary":
            found["summary"] |= _values(record.summary.update)
        elif kind == "exit":
            found["exit"] = record.exit.exit_code
    return found
