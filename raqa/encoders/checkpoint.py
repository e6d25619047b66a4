"""Reads the tensors of a checkpoint file, safetensors or torch, without ever executing it."""

from __future__ import annotations

import pickle
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from raqa.encoders.stand_ins import (
    DamagedPickleError,
    RefusedCallError,
    Stored,
    StoredTensors,
    read_inertly,
)
from raqa.errors import UserError

CONTAINERS = ("state_dict", "model")
"""Where training checkpoints keep their tensors: Lightning's key, and the usual one besides it."""

OLD_MAGIC = 0x1950A86A20F9469CFC6C
"""The first pickle of torch's format before 1.6."""

OLD_PICKLES = 4
"""Magic number, protocol, byte order, content; the tensors' bytes follow."""

Tensors = dict[str, Tensor]


def read_checkpoint(path: Path) -> Tensors:
    """Read the tensors of a file, by name; those under `state_dict` or `model` where there is one.

    A torch file is read by `torch.load(weights_only=True)`. Where that refuses the training state
    around the tensors, they are read with stand-ins for everything else; nothing is executed.

    Raises:
        UserError: there is no such file, it is cut off or damaged, it is no checkpoint, it holds
            no tensors, or opening it would execute code.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(9)
    except OSError as error:
        raise UserError(f"{path} can not be read: {error.strerror or error}.") from error
    if start.startswith(b"PK\x03\x04"):
        tensors = _read_zip(path, size)
    elif start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 1 << 32:
        tensors = _read_safetensors(path, size)
    else:
        tensors = _read_pickle(path, size)
    if not tensors:
        raise UserError(f"{path} holds no tensors; a checkpoint maps names to tensors.")
    return tensors


def _read_safetensors(path: Path, size: int) -> Tensors:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return dict(load_file(path))
    except SafetensorError as error:
        raise _damaged(path, size, str(error)) from error


def _read_zip(path: Path, size: int) -> Tensors:
    """Read the format of torch since 1.6, a zip archive with a pickle and one record a storage."""
    if not zipfile.is_zipfile(path):
        raise _damaged(path, size, "it begins like a zip archive and lacks the end of one")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if sum(name.endswith("/data.pkl") for name in names) != 1:
            raise UserError(
                f"{path} is a zip archive and no torch checkpoint; it holds "
                f"{', '.join(names[:3])}{' ...' if len(names) > 3 else ''}. If the checkpoint is "
                "among them, unpack it first."
            )
        if any("/code/" in name for name in names):
            raise UserError(f"{path} is a TorchScript program, not tensors; refused.")
        try:
            return _find(torch.load(path, map_location="cpu", weights_only=True, mmap=True))
        except pickle.UnpicklingError:
            return _read_training_state(path, size, archive)
        except (RuntimeError, OSError, EOFError, ValueError) as error:
            raise _damaged(path, size, str(error).splitlines()[0]) from error


def _read_training_state(path: Path, size: int, archive: zipfile.ZipFile) -> Tensors:
    """Read the tensors among training state that torch's own safe reader refuses."""
    try:
        file = StoredTensors(archive)
        return {name: file.read(stored) for name, stored in _find(file.content, Stored).items()}
    except RefusedCallError as error:
        raise _refused(path, error) from error
    except (DamagedPickleError, zipfile.BadZipFile) as error:
        raise _damaged(path, size, str(error)) from error


def _read_pickle(path: Path, size: int) -> Tensors:
    """Read torch's format before 1.6, a row of pickles; anything else is refused by its reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch remarks on the format's age
            return _find(torch.load(path, map_location="cpu", weights_only=True))
    except Exception as error:  # whatever torch makes of a file of any kind
        cause = error
    try:
        pickles = read_inertly(path.read_bytes(), most=OLD_PICKLES)
    except RefusedCallError as error:
        raise _refused(path, error) from error
    if not size:
        raise UserError(f"{path} is empty. Delete it and fetch it again.")
    if pickles[:1] != [OLD_MAGIC]:
        raise UserError(
            f"{path} is neither a safetensors nor a torch file. If it was downloaded by hand, see "
            "that it is the file itself and not a web page about it."
        )
    if len(pickles) < OLD_PICKLES or not isinstance(cause, pickle.UnpicklingError):
        raise _damaged(path, size, "torch's older format, and its end is missing") from cause
    raise UserError(
        f"{path} holds, in torch's older format, objects besides tensors, which are not read for "
        "safety. Save its tensors alone (torch.save or safetensors) and give that file."
    )


def _find(content: Any, kind: type[Any] = Tensor) -> dict[str, Any]:
    """Find the mapping from names to tensors in what a file holds."""
    if not isinstance(content, Mapping):
        return {}
    for key in CONTAINERS:
        inner = content.get(key)
        if isinstance(inner, Mapping) and any(isinstance(one, kind) for one in inner.values()):
            content = inner
            break
    return {
        name: value.detach() if isinstance(value, Tensor) else value
        for name, value in content.items()
        if isinstance(name, str) and isinstance(value, kind)
    }


def _damaged(path: Path, size: int, reason: str) -> UserError:
    return UserError(
        f"{path} is cut off or damaged ({size} bytes; {reason.rstrip('.')}). Delete it and fetch "
        "it again."
    )


def _refused(path: Path, error: RefusedCallError) -> UserError:
    return UserError(
        f"{path} asks to call {error} when it is opened. Tensors need no such call, so nothing of "
        "it was executed and the file is refused. Get the checkpoint from where it is published."
    )
