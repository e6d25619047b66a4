"""Parts that several runs of one process share: an encoder in memory, label tables once read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf

if TYPE_CHECKING:
    from raqa.corpora.base import Corpus

ENCODER = "encoder"
CORPUS = "corpus"


@dataclass
class _Shelf:
    """What was built: the last encoder, for they are large, and every corpus."""

    encoder: tuple[str, Any] | None = None
    corpora: dict[str, Corpus] = field(default_factory=dict)


_shelf: ContextVar[_Shelf | None] = ContextVar("parts of earlier runs", default=None)


@contextmanager
def reusing_parts() -> Iterator[None]:
    """Within the block, equal configs get the same encoder, and a corpus is read once.

    A corpus is read again when its label tables have changed.
    """
    token = _shelf.set(_Shelf())
    try:
        yield
    finally:
        _shelf.reset(token)


def reused(path: str, node: DictConfig, build: Callable[[], Any]) -> Any:
    """Build a part, or take it from an earlier run within `reusing_parts`."""
    shelf, kind = _shelf.get(), path.rpartition(".")[2]
    if shelf is None or kind not in {ENCODER, CORPUS}:
        return build()
    key = json.dumps(OmegaConf.to_container(node, resolve=True), sort_keys=True, default=str)
    if kind == ENCODER:
        if shelf.encoder is None or shelf.encoder[0] != key:
            shelf.encoder = None  # frees the memory before the next one takes some
            shelf.encoder = (key, build())
        return shelf.encoder[1]
    if key not in shelf.corpora:
        from raqa.corpora.read_once import ReadOnce

        shelf.corpora[key] = ReadOnce(build())
    return shelf.corpora[key]
