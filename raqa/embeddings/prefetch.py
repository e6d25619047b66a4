"""Decoding in threads, a bounded number of recordings ahead of their use."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
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

if TYPE_CHECKING:
    from raqa.encoders.base import Encoder

AHEAD = 4
"""Files that every thread decodes ahead: enough to ride out a long one, little memory."""

Clip = NDArray[np.float32]
Waiting = tuple["Job", Future[Clip | AudioError]] | None


@dataclass(frozen=True)
class Job:
    """One content to embed: its key in the store and a recording that has it."""

    key: bytes
    recording_id: str
    path: Path
    start_s: float | None
    end_s: float | None


def decode_ahead(
    blocks: Iterable[Sequence[Job]], encoder: Encoder, clip: ClipPolicy, threads: int
) -> Iterator[tuple[Job, Clip | AudioError] | None]:
    """Yield jobs in order with their clips or why there is none, and None after each block.

    A block is asked for when its first recording is about to be decoded.
    """
    waiting: deque[Waiting] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="raqa-decode") as pool:
        try:
            for block in blocks:
                for job in block:
                    waiting.append((job, pool.submit(_clip, job, encoder, clip)))
                    if len(waiting) > AHEAD * threads:
                        yield _result(waiting.popleft())
                waiting.append(None)
            while waiting:
                yield _result(waiting.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _result(waiting: Waiting) -> tuple[Job, Clip | AudioError] | None:
    """Wait for what was submitted."""
    return None if waiting is None else (waiting[0], waiting[1].result())


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
