"""Reads the pickle inside a torch file without running anything that it asks for."""

from __future__ import annotations

import io
import pickle
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

DTYPES = {
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
}
"""Torch's names of typed storages, as they stand in its files."""

OLD_NAMES = {"__builtin__": "builtins", "copy_reg": "copyreg"}
"""Python 2's names of modules, which the pickle protocol of torch's files still writes."""

DATA = {
    *(("builtins", name) for name in ("bool", "bytearray", "bytes", "complex", "dict", "float",
                                      "frozenset", "int", "list", "object", "range", "set",
                                      "slice", "str", "tuple")),
    *(("pathlib", name) for name in ("Path", "PosixPath", "PurePath", "PurePosixPath",
                                     "PureWindowsPath", "WindowsPath")),
    *(("datetime", name) for name in ("date", "datetime", "time", "timedelta", "timezone")),
    *(("collections", name) for name in ("Counter", "defaultdict", "deque")),
    *((module, name) for module in ("numpy.core.multiarray", "numpy._core.multiarray")
      for name in ("_reconstruct", "scalar")),
    *(("numpy", name) for name in ("dtype", "ndarray")),
    ("_codecs", "encode"),
    ("argparse", "Namespace"),
    ("copyreg", "_reconstructor"),
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("functools", "partial"),
    ("torch", "device"),
    ("types", "SimpleNamespace"),
    ("uuid", "UUID"),
}  # fmt: skip
"""What training state is built from: constructing these runs nobody's code."""


class RefusedCallError(Exception):
    """The pickle asks for a call that no training state needs; the message names the callable."""


class DamagedPickleError(Exception):
    """The file can not be read; the message says why."""


@dataclass(frozen=True)
class Stored:
    """A tensor that stands in the file and has not been read yet."""

    record: str
    dtype: torch.dtype
    numel: int  # of the whole record
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


@dataclass(frozen=True)
class _Record:
    name: str
    dtype: torch.dtype
    numel: int


class _StandInType(type):
    """Makes calling a stand-in (`REDUCE`) the same as making one (`NEWOBJ`): nothing happens."""

    origin: tuple[str, str]

    def __call__(cls, *_args: Any, **_kwargs: Any) -> Any:
        return _StandIn.__new__(cls)


class _StandIn(metaclass=_StandInType):
    """Takes the place of whatever the pickle names, accepts any state and forgets it."""

    origin = ("", "")

    def __new__(cls: Any, *_args: Any, **_kwargs: Any) -> Any:
        if not _is_data(*cls.origin):
            raise RefusedCallError(".".join(cls.origin))
        return object.__new__(cls)

    def __setstate__(self, state: Any) -> None: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def append(self, item: Any) -> None:
        """Forget an item."""

    def extend(self, items: Any) -> None:
        """Forget items."""

    def add(self, item: Any) -> None:
        """Forget an item."""


def _is_data(module: str, name: str) -> bool:
    """Whether making one is what harmless training state does.

    The safety does not hang on this, nothing is ever run; it tells training state from an attack.
    """
    if (module, name) in DATA:
        return True
    of_library = module.partition(".")[0] not in sys.stdlib_module_names
    return of_library and name[:1].isupper() and "." not in name


def _stand_in(module: str, name: str) -> _StandInType:
    return _StandInType(name.rpartition(".")[2], (_StandIn,), {"origin": (module, name)})


def _attribute(owner: Any, name: Any, *_default: Any) -> Any:
    """Stand in for `getattr`, with which schedulers name their bound methods."""
    module, parent = getattr(owner, "origin", ("builtins", type(owner).__name__))
    return _stand_in(module, f"{parent}.{name}")


def _rebuild_tensor(
    record: Any, offset: Any, shape: Any, stride: Any, *_rest: Any
) -> Stored | None:
    """Stand in for torch's function that makes a tensor of a storage."""
    if not isinstance(record, _Record):
        return None
    return Stored(record.name, record.dtype, record.numel, int(offset),
                  tuple(map(int, shape)), tuple(map(int, stride)))  # fmt: skip


def _rebuild_parameter(tensor: Any, *_rest: Any) -> Any:
    """Stand in for torch's function that makes a parameter of a tensor."""
    return tensor


_RESOLVED: dict[tuple[str, str], Callable[..., Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("builtins", "getattr"): _attribute,
}


class _Unpickler(pickle.Unpickler):
    """Resolves names to our own functions and stand-ins, never to what they name."""

    def find_class(self, module: str, name: str) -> Any:
        module = OLD_NAMES.get(module, module)
        resolved = _RESOLVED.get((module, name))
        return resolved if resolved is not None else _stand_in(module, name)

    def persistent_load(self, reference: Any) -> _Record | None:
        match reference:
            case ("storage", type() as kind, str() as name, _, int() as numel):
                dtype = DTYPES.get(getattr(kind, "origin", ("", ""))[1])
                return None if dtype is None else _Record(name, dtype, numel)
        return None


def read_inertly(data: bytes, most: int = 1) -> list[Any]:
    """Unpickle with stand-ins for everything but containers, numbers, text and tensors.

    Args:
        most: how many pickles to read, one behind the other.

    Returns:
        what each holds, tensors as `Stored`; fewer than `most` where the data are damaged or end.

    Raises:
        RefusedCallError: one asks for a call that training state does not need.
    """
    stream = io.BytesIO(data)
    read: list[Any] = []
    while len(read) < most:
        try:
            read.append(_Unpickler(stream).load())
        except RefusedCallError:
            raise
        except Exception:  # malformed opcodes raise nearly every type of error
            break
    return read


class StoredTensors:
    """The tensors in a torch zip file whose training state torch itself refuses to read.

    Attributes:
        content: what the file holds, tensors as `Stored`.

    Raises:
        RefusedCallError: see `read_inertly`.
        DamagedPickleError: the pickle in it can not be read.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        (pickled,) = (name for name in archive.namelist() if name.endswith("/data.pkl"))
        self._folder = pickled.removesuffix("data.pkl")
        contents = read_inertly(archive.read(pickled))
        if not contents:
            raise DamagedPickleError("the pickle in it can not be read")
        self.content = contents[0]

    def read(self, stored: Stored) -> Tensor:
        """Read one tensor.

        Raises:
            DamagedPickleError: the file holds fewer bytes than the tensor has.
        """
        try:
            data = bytearray(self._archive.read(f"{self._folder}data/{stored.record}"))
            whole = torch.frombuffer(data, dtype=stored.dtype, count=stored.numel)
            return whole.as_strided(stored.shape, stored.stride, stored.offset).clone()
        except (KeyError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
            raise DamagedPickleError(str(error)) from error
