"""Parts that several runs of one process share: the encoder in memory, label tables once read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig, OmegaConf

if TYPE_CHECKING:
    from raqa.corpora.base import Corpus, Recordings

Times = dict[Path, tuple[int, int]]


@dataclass
class _Shelf:
    """What is kept: the last encoder, for they are large, and what every corpus read.

    A corpus is found again by its settings, which its repr tells; it is kept itself so that the
    repr of one without settings, which is its address, stays its own.
    """

    encoder: tuple[str, Any] | None = None
    read: dict[str, tuple[Corpus, Times, Recordings]] = field(default_factory=dict)


_shelf: ContextVar[_Shelf | None] = ContextVar("parts of earlier runs", default=None)


@contextmanager
def reusing_parts() -> Iterator[None]:
    """Within the block, runs in a row with one encoder build it once, and a corpus is read once.

    A corpus is read again when its label tables have changed.
    """
    token = _shelf.set(_Shelf())
    try:
        yield
    finally:
        _shelf.reset(token)


def reuse_encoder(node: DictConfig, build: Callable[[], Any]) -> Any:
    """Build an encoder, or take the last run's where its config is the same."""
    shelf = _shelf.get()
    if shelf is None:
        return build()
    key = json.dumps(OmegaConf.to_container(node, resolve=True), sort_keys=True, default=str)
    if shelf.encoder is None or shelf.encoder[0] != key:
        shelf.encoder = None  # frees its memory before the next one takes some
        shelf.encoder = (key, build())
    return shelf.encoder[1]


def read_corpus(corpus: Corpus) -> Recordings:
    """Read a corpus, or return what an earlier run read, unless a label table has changed.

    Raises:
        UserError: as `Corpus.read`.
    """
    shelf = _shelf.get()
    if shelf is None:
        return corpus.read()
    key = repr(corpus)
    if key in shelf.read:
        _, times, recordings = shelf.read[key]
        if times == _times(recordings):
            return recordings
    recordings = corpus.read()
    shelf.read[key] = (corpus, _times(recordings), recordings)
    return recordings


def _times(recordings: Recordings) -> Times:
    """Size and time of every label table; nothing when one is gone."""
    try:
        facts = {path: path.stat() for path in recordings.sources}
    except FileNotFoundError:
        return {}
    return {path: (one.st_size, one.st_mtime_ns) for path, one in facts.items()}
