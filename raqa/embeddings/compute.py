"""The pipeline of an extraction: threads decode ahead while others embed batches."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Self

import numpy as np

from raqa.audio.clip import ClipPolicy
from raqa.audio.waveform import AudioError
from raqa.embeddings.batches import Batch, Batches
from raqa.embeddings.forward import Forward
from raqa.embeddings.prefetch import Job, decode_ahead
from raqa.embeddings.progress import Progress
from raqa.embeddings.shard import KEY_BYTES, Vectors
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
    batches = Batches(
        round((settings.batch_s or forward.usual_batch_s) * forward.encoder.sample_rate)
    )
    due = _due(blocks, shelf, progress)
    with forward.lanes() as lanes, _Embedder(forward, lanes, shelf, progress) as embedder:
        for item in decode_ahead(due, forward.encoder, clip, settings.threads):
            if item is None:
                for batch in batches.rest():
                    embedder.add(batch)
                embedder.end_block()
                continue
            job, result = item
            if isinstance(result, AudioError):
                failures[job] = str(result)
                progress.advance(1)
                continue
            for batch in batches.add(job, result):
                embedder.add(batch)
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


class _Embedder:
    """Runs forward passes in lanes, takes their results in order and writes a shard per block."""

    def __init__(self, forward: Forward, lanes: int, shelf: Shelf, progress: Progress) -> None:
        self._forward = forward
        self._pool = ThreadPoolExecutor(lanes, thread_name_prefix="raqa-embed")
        self._most_waiting = lanes + 1
        self._shelf = shelf
        self._progress = progress
        self._waiting: deque[tuple[Batch, Future[Vectors]] | None] = deque()
        self._done: dict[tuple[int, ...], list[tuple[Batch, Vectors]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            while kind is None and self._waiting:
                self._take()
        finally:
            self._pool.shutdown(cancel_futures=True)
            self._write()

    def add(self, batch: Batch) -> None:
        """Submit a batch; wait while too many are on their way."""
        clips = [clip for _, clip in batch]
        self._waiting.append((batch, self._pool.submit(self._forward, clips)))
        while len(self._waiting) > self._most_waiting:
            self._take()

    def end_block(self) -> None:
        """Write a shard when all that was added so far is embedded."""
        self._waiting.append(None)

    def _take(self) -> None:
        """Wait for the oldest batch; numbers that are not finite stop everything."""
        waiting = self._waiting.popleft()
        if waiting is None:
            self._write()
            return
        batch, vectors = waiting[0], waiting[1].result()
        finite = np.isfinite(vectors).all(axis=tuple(range(1, vectors.ndim)))
        if not finite.all():
            job = batch[int(np.argmin(finite))][0]
            raise UserError(
                f"{type(self._forward.encoder).__name__} gives NaN or infinite numbers for "
                f"recording {job.recording_id} ({job.path}). Leave it out, or use another encoder "
                "or device."
            )
        self._done.setdefault(vectors.shape[1:], []).append((batch, vectors))
        self._progress.advance(len(batch))

    def _write(self) -> None:
        """Write what is embedded; a shard holds embeddings of one shape."""
        done, self._done = self._done, {}
        for parts in done.values():
            keys = [job.key for batch, _ in parts for job, _ in batch]
            vectors = np.concatenate([vectors for _, vectors in parts])
            self._shelf.write(np.array(keys, f"S{KEY_BYTES}"), vectors)
