"""The state of a training as arrays and JSON, so that reading it back executes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[Any]


def to_plain(state: Any) -> tuple[dict[str, Array], Any]:
    """Take a state of nested mappings, lists, tuples, tensors and plain values apart.

    Returns:
        the tensors as arrays by name, without a copy of those on the CPU; everything else as JSON
        values.

    Raises:
        TypeError: it holds something else.
    """
    arrays: dict[str, Array] = {}
    return arrays, _pack(state, arrays)


def from_plain(arrays: Mapping[str, Array], tree: Any) -> Any:
    """Put together what `to_plain` took apart; tensors are on the CPU."""
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "tensor":
        return torch.from_numpy(np.array(arrays[content]))
    if kind == "mapping":
        return {key: from_plain(arrays, value) for key, value in content}
    values = [from_plain(arrays, value) for value in content]
    return tuple(values) if kind == "tuple" else values


def _pack(value: Any, arrays: dict[str, Array]) -> Any:
    if isinstance(value, Tensor):
        name = str(len(arrays))
        arrays[name] = value.detach().cpu().numpy()
        return {"tensor": name}
    if isinstance(value, Mapping):
        # Pairs, for keys need not be text: optimisers count their parameters.
        return {"mapping": [[key, _pack(one, arrays)] for key, one in value.items()]}
    if isinstance(value, list | tuple):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_pack(one, arrays) for one in value]}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a training's state can not hold {type(value).__name__}")
