"""The pipeline of an extraction: threads decode ahead while the encoder embeds batches."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from raqa.audio.clip import ClipPolicy
from raqa.audio.waveform import AudioError
from raqa.embeddings.batches import Batch, Batches
from raqa.embeddings.forward import Forward
from raqa.embeddings.prefetch import Job, decode_ahead
from raqa.embeddings.progress import Progress
from raqa.embeddings.shard import KEY_BYTES, Keys, Vectors
from raqa.embeddings.store import Shelf
from raqa.errors import UserError

if TYPE_CHECKING:
    from raqa.embeddings.extract import EmbedSettings

Block = Sequence[Job]


def compute(
    blocks: Sequence[Block],
    forward: Forward,
    clip: ClipPolicy,
    shelf: Shelf,
    settings: EmbedSettings,
    *,
    progress: Progress,
) -> dict[Job, str]:
    """Embed blocks of jobs, each into one shard.

    A batch never spans two blocks, so a vector does not depend on which blocks another run or
    process has done, also not in its last bit. What was computed before an error is kept.

    Returns:
        the jobs whose audio can not be used, each with the reason.
    """
    failures: dict[Job, str] = {}
    batches = Batches(round(settings.batch_s * forward.encoder.sample_rate))
    writer = _Writer(shelf)
    due = _due(blocks, shelf, progress)
    try:
        for item in decode_ahead(due, forward.encoder, clip, settings.threads):
            if item is None:  # the end of a block
                for batch in batches.rest():
                    _embed(batch, forward, writer, progress)
                writer.flush()
                continue
            job, result = item
            if isinstance(result, AudioError):
                failures[job] = str(result)
                progress.advance(1)
                continue
            for batch in batches.add(job, result):
                _embed(batch, forward, writer, progress)
    finally:
        writer.flush()
    return failures


def _due(blocks: Sequence[Block], shelf: Shelf, progress: Progress) -> Iterator[Block]:
    """Yield the blocks in an order of this process's own, without what others have done by now.

    So processes that start at once share the work without talking to each other.
    """
    order = list(blocks)
    # The system's generator: seeds must not choose the same order for all, nor be moved by this.
    random.SystemRandom().shuffle(order)
    for block in order:
        done = shelf.has(np.array([job.key for job in block], f"S{KEY_BYTES}"))
        progress.advance(int(done.sum()))
        yield [job for job, is_done in zip(block, done, strict=True) if not is_done]


def _embed(batch: Batch, forward: Forward, writer: _Writer, progress: Progress) -> None:
    """Embed one batch and hand it to the writer; numbers that are not finite stop everything."""
    vectors = forward([clip for _, clip in batch])
    finite = np.isfinite(vectors).all(axis=tuple(range(1, vectors.ndim)))
    if not finite.all():
        job = batch[int(np.argmin(finite))][0]
        raise UserError(
            f"{type(forward.encoder).__name__} gives NaN or infinite numbers for recording "
            f"{job.recording_id} ({job.path}). Leave it out, or use another encoder or device."
        )
    writer.add([job.key for job, _ in batch], vectors)
    progress.advance(len(batch))


class _Writer:
    """Collects the vectors of a block and writes them as a shard."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._pending: dict[tuple[int, ...], list[tuple[Keys, Vectors]]] = {}

    def add(self, keys: list[bytes], vectors: Vectors) -> None:
        """Add `[n]` keys and `[n, ...]` vectors."""
        part = (np.array(keys, dtype=f"S{KEY_BYTES}"), vectors)
        self._pending.setdefault(vectors.shape[1:], []).append(part)

    def flush(self) -> None:
        """Write what there is; a shard holds embeddings of one shape."""
        pending, self._pending = self._pending, {}
        for parts in pending.values():
            keys, vectors = zip(*parts, strict=True)
            self._shelf.write(np.concatenate(keys), np.concatenate(vectors))
