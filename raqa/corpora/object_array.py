"""Text out of NumPy's object arrays, which are pickles, without executing anything."""

from __future__ import annotations

import io
import math
import pickletools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from raqa.errors import UserError

# What NumPy writes for an array of objects; these names are compared and never imported.
_ARRAY_NAMES = {
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_LITERALS = {"BININT", "BININT1", "BININT2", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
             "BINBYTES", "SHORT_BINBYTES"}  # fmt: skip
_SILENT = {"PROTO", "FRAME"}
_STORE = {"BINPUT", "LONG_BINPUT"}
_FETCH = {"BINGET", "LONG_BINGET"}
_TUPLES = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_MARK = object()


class _Array:
    """Stands for whatever a call in the pickle would have made; keeps its state."""

    state: Any = None


def read_text_array(path: Path) -> list[str]:
    """Read a `.npy` file of text, whether text is stored plainly or as objects.

    The pickle in an object array is walked, not run: opcodes that can only put text, numbers and
    an array together are followed, and any other is refused.

    Raises:
        UserError: the file holds something else; the message says how to convert it.
    """
    data = io.BytesIO(path.read_bytes())
    try:
        version = np.lib.format.read_magic(data)
        if version == (1, 0):
            shape, _, kind = np.lib.format.read_array_header_1_0(data)
        else:
            shape, _, kind = np.lib.format.read_array_header_2_0(data)
        if kind.hasobject:
            found = _walk(data.read())
        else:
            data.seek(0)
            found = np.load(data, allow_pickle=False).ravel().tolist()
        if len(found) != math.prod(shape) or not all(isinstance(item, str) for item in found):
            raise ValueError("it is not an array of text")
    except Exception as error:  # a damaged header fails in NumPy's parser in any way it likes
        raise UserError(
            f"{path} was not read: {error or 'it is damaged'}. Nothing in it was executed. Where "
            "you trust it, write its entries to a CSV with the columns uuid and split (train, "
            "validation, test), and set datamodule.corpus.split_file to that."
        ) from error
    return found


def _walk(pickled: bytes) -> list[Any]:
    """Follow a pickled array's opcodes and return its elements."""
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    for name, argument in _opcodes(pickled):
        if name in _LITERALS:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _STORE:
            memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name in _FETCH:
            stack.append(memo[argument])
        else:
            _build(name, argument, stack)
    (array,) = stack
    if not isinstance(array, _Array) or not isinstance(array.state, tuple):
        raise ValueError("it is not an array")
    elements = array.state[-1]
    if not isinstance(elements, list):
        raise ValueError("it is not an array of objects")
    return elements


def _opcodes(pickled: bytes) -> Iterator[tuple[str, Any]]:
    for opcode, argument, _ in pickletools.genops(pickled):
        if opcode.name == "STOP":
            return
        if opcode.name not in _SILENT:
            yield opcode.name, argument


def _build(name: str, argument: Any, stack: list[Any]) -> None:
    """Do what one opcode says, with stand-ins in place of functions and classes."""
    if name == "GLOBAL":
        stack.append(_named(*argument.split(" ", 1)))
    elif name == "STACK_GLOBAL":
        attribute, module = stack.pop(), stack.pop()
        stack.append(_named(module, attribute))
    elif name == "MARK":
        stack.append(_MARK)
    elif name == "EMPTY_LIST":
        stack.append([])
    elif name in _TUPLES:
        start = len(stack) - _TUPLES[name]
        stack[start:] = [tuple(stack[start:])]
    elif name == "TUPLE":
        stack.append(tuple(_since_mark(stack)))
    elif name in {"APPEND", "APPENDS"}:
        items = [stack.pop()] if name == "APPEND" else _since_mark(stack)
        stack[-1].extend(items)
    elif name == "REDUCE":
        stack.pop()
        if stack.pop() not in _ARRAY_NAMES:
            raise ValueError("it calls something that is not a known function")
        stack.append(_Array())
    elif name == "BUILD":
        state = stack.pop()
        stack[-1].state = state
    else:
        raise ValueError(f"it holds more than an array of text (pickle opcode {name})")


def _named(module: str, attribute: str) -> tuple[str, str]:
    if (module, attribute) not in _ARRAY_NAMES:
        raise ValueError(f"it asks for {module}.{attribute}, which an array of text does not need")
    return module, attribute


def _since_mark(stack: list[Any]) -> list[Any]:
    start = len(stack) - 1 - stack[::-1].index(_MARK)
    items = stack[start + 1 :]
    del stack[start:]
    return items
