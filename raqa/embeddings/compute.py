"""The pipeline of an extraction: threads decode ahead while the encoder embeds batches."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from raqa.audio.clip import ClipPolicy
from raqa.audio.decode import decode
from raqa.audio.resample import resample
from raqa.audio.waveform import AudioError
from raqa.embeddings.forward import Forward
from raqa.embeddings.progress import Progress
from raqa.embeddings.shard import KEY_BYTES
from raqa.embeddings.store import Shelf
from raqa.errors import UserError

if TYPE_CHECKING:
    from raqa.embeddings.extract import EmbedSettings
    from raqa.encoders.base import Encoder

AHEAD = 4
"""Files that every thread decodes ahead: enough to ride out a long one, little memory."""

HELD_BATCHES = 4
"""Batches' worth of clips that may wait for others of their length."""

Clip = NDArray[np.float32]


@dataclass(frozen=True)
class Job:
    """One content to embed: its key in the store and a recording that has it."""

    key: bytes
    recording_id: str
    path: Path
    start_s: float | None
    end_s: float | None


def compute(
    jobs: Sequence[Job],
    forward: Forward,
    clip: ClipPolicy,
    shelf: Shelf,
    settings: EmbedSettings,
    *,
    progress: Progress,
) -> dict[Job, str]:
    """Embed jobs and keep the vectors on the shelf; what was computed before an error is kept too.

    Returns:
        the jobs whose audio can not be used, each with the reason.
    """
    failures: dict[Job, str] = {}
    batches = _Batches(round(settings.batch_s * forward.encoder.sample_rate))
    writer = _Writer(shelf, settings)
    try:
        for job, result in _decoded(jobs, forward.encoder, clip, settings.threads):
            if isinstance(result, AudioError):
                failures[job] = str(result)
                progress.advance(1)
                continue
            for batch in batches.add(job, result):
                _embed(batch, forward, writer, progress)
        for batch in batches.rest():
            _embed(batch, forward, writer, progress)
    finally:
        writer.flush()
    return failures


def _embed(
    batch: list[tuple[Job, Clip]], forward: Forward, writer: _Writer, progress: Progress
) -> None:
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


def _decoded(
    jobs: Sequence[Job], encoder: Encoder, clip: ClipPolicy, threads: int
) -> Iterator[tuple[Job, Clip | AudioError]]:
    """Yield the jobs in their order with their clips, decoding a bounded number ahead."""
    waiting: deque[tuple[Job, Future[Clip | AudioError]]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="raqa-decode") as pool:
        try:
            for job in jobs:
                waiting.append((job, pool.submit(_clip, job, encoder, clip)))
                if len(waiting) >= AHEAD * threads:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _clip(job: Job, encoder: Encoder, policy: ClipPolicy) -> Clip | AudioError:
    """Decode, resample and cut one recording, or return why that is not possible."""
    try:
        waveform = resample(decode(job.path, job.start_s, job.end_s), encoder.sample_rate)
        clip = policy.apply(waveform)
        if clip.seconds < encoder.min_s:
            raise AudioError(
                f"{clip.seconds:.3g} s long; {type(encoder).__name__} takes {encoder.min_s:g} s "
                "or more"
            )
    except AudioError as error:
        return error
    return clip.samples


class _Batches:
    """Gathers clips of one length until a batch is full."""

    def __init__(self, samples: int) -> None:
        self._samples = samples
        self._waiting: dict[int, list[tuple[Job, Clip]]] = {}
        self._held = 0

    def add(self, job: Job, clip: Clip) -> Iterator[list[tuple[Job, Clip]]]:
        """Add a clip; yield the batches that are due, so that waiting clips stay few."""
        bucket = self._waiting.setdefault(len(clip), [])
        bucket.append((job, clip))
        self._held += len(clip)
        if (len(bucket) + 1) * len(clip) > self._samples:
            yield self._release(len(clip))
        while self._held > HELD_BATCHES * self._samples:
            yield self._release(max(self._waiting, key=lambda n: n * len(self._waiting[n])))

    def rest(self) -> Iterator[list[tuple[Job, Clip]]]:
        """Yield what is left."""
        for length in list(self._waiting):
            yield self._release(length)

    def _release(self, length: int) -> list[tuple[Job, Clip]]:
        batch = self._waiting.pop(length)
        self._held -= length * len(batch)
        return batch


class _Writer:
    """Collects vectors and writes a shard when it is large or old enough."""

    def __init__(self, shelf: Shelf, settings: EmbedSettings) -> None:
        self._shelf = shelf
        self._settings = settings
        self._pending: dict[tuple[int, ...], list[tuple[list[bytes], NDArray[np.float32]]]] = {}
        self._rows = 0
        self._since = time.monotonic()

    def add(self, keys: list[bytes], vectors: NDArray[np.float32]) -> None:
        """Add `[n]` keys and `[n, ...]` vectors."""
        self._pending.setdefault(vectors.shape[1:], []).append((keys, vectors))
        self._rows += len(keys)
        old = time.monotonic() - self._since > self._settings.shard_s
        if old or self._rows >= self._settings.shard_rows:
            self.flush()

    def flush(self) -> None:
        """Write what there is; a shard holds embeddings of one shape."""
        for parts in self._pending.values():
            keys = [key for part, _ in parts for key in part]
            self._shelf.write(
                np.array(keys, dtype=f"S{KEY_BYTES}"), np.concatenate([v for _, v in parts])
            )
        self._pending, self._rows, self._since = {}, 0, time.monotonic()
