"""Arrays and facts in one safetensors file with a checksum; nothing in it is ever executed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raqa.errors import UserError
from raqa.folders import make_folder

Array = NDArray[Any]


def write_arrays(path: Path, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> None:
    """Write arrays by name and facts (JSON values); the file appears whole or not at all."""
    from safetensors.numpy import save_file

    text = json.dumps(facts, sort_keys=True, allow_nan=False)
    whole = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    metadata = {"facts": text, "sha256": _checksum(whole, text)}
    make_folder(path.parent)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        save_file(whole, unfinished, metadata=metadata)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read what `write_arrays` wrote.

    Raises:
        UserError: there is no such file, or it is not whole.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise UserError(f"There is no fitted head at {path}.")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if metadata["sha256"] != _checksum(arrays, metadata["facts"]):
            raise ValueError("its checksum differs from its content")
        return arrays, json.loads(metadata["facts"])
    except (SafetensorError, KeyError, ValueError, OSError) as error:
        raise UserError(
            f"{path} is not a whole fitted head ({error}). Copy it again, or fit it anew."
        ) from error


def _checksum(arrays: Mapping[str, Array], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
