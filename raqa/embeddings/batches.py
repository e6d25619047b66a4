"""Gathering clips of one length into batches."""

from __future__ import annotations

from collections.abc import Iterator

from raqa.embeddings.prefetch import Clip, Job

HELD_BATCHES = 4
"""Batches' worth of clips that may wait for others of their length."""

Batch = list[tuple[Job, Clip]]


class Batches:
    """Gathers clips of one length until a batch is full.

    Args:
        samples: in a batch, over all its clips; a longer clip is a batch of its own.
    """

    def __init__(self, samples: int) -> None:
        self._samples = samples
        self._waiting: dict[int, Batch] = {}
        self._held = 0

    def add(self, job: Job, clip: Clip) -> Iterator[Batch]:
        """Add a clip; yield the batches that are due, so that waiting clips stay few."""
        bucket = self._waiting.setdefault(len(clip), [])
        bucket.append((job, clip))
        self._held += len(clip)
        if (len(bucket) + 1) * len(clip) > self._samples:
            yield self._release(len(clip))
        while self._held > HELD_BATCHES * self._samples:
            yield self._release(max(self._waiting, key=lambda n: n * len(self._waiting[n])))

    def rest(self) -> Iterator[Batch]:
        """Yield what is left."""
        for length in list(self._waiting):
            yield self._release(length)

    def _release(self, length: int) -> Batch:
        batch = self._waiting.pop(length)
        self._held -= length * len(batch)
        return batch
