"""Forward passes of an encoder over batches, made smaller when memory runs out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from raqa.errors import UserError

if TYPE_CHECKING:
    from raqa.encoders.base import Encoder

CPU_BATCH_S, GPU_BATCH_S = 8.0, 256.0  # the first measured with OPERA-CT and M2D, see bench_embed
MOST_LANES = 8
"""Each needs the memory of a batch."""

Clips = Sequence[NDArray[np.float32]]


def pick_device(name: str) -> str:
    """Choose the device for "auto", or check the one that is named.

    Raises:
        UserError: there is no such device here.
    """
    import torch

    if name == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(
            f"embed.device={name} can not be used here ({reason}). Try auto or cpu."
        ) from error
    return name


class Forward:
    """Embeds batches of clips of one length on a device.

    Args:
        encoder: is moved to the device and put into evaluation mode.
        precision: "32", "bf16" or "fp16" (autocast).
    """

    def __init__(self, encoder: Encoder, device: str, precision: str = "32") -> None:
        self.encoder = encoder.to(device).eval()
        self._device = device
        self._precision = precision
        self._most: int | None = None  # samples in a batch that still fitted into memory

    @property
    def usual_batch_s(self) -> float:
        """Seconds of audio that make a good batch: few on a CPU, whose caches they should fit."""
        return CPU_BATCH_S if self._device == "cpu" else GPU_BATCH_S

    @contextmanager
    def lanes(self) -> Iterator[int]:
        """Say how many forward passes should run side by side; while they do, share out the cores.

        On the CPU, passes side by side on a thread each never wait for each other, as the threads
        within one pass do; on busy cores that is the difference between seconds and minutes.
        """
        import torch

        if self._device != "cpu":
            yield 1
            return
        cores = torch.get_num_threads()
        lanes = min(cores, MOST_LANES)
        torch.set_num_threads(cores // lanes)
        try:
            yield lanes
        finally:
            torch.set_num_threads(cores)

    def __call__(self, clips: Clips) -> NDArray[np.float32]:
        """Embed clips `[samples]` of one length as `[clips, ...]`, in halves if need be.

        Raises:
            UserError: memory does not suffice for a single clip.
        """
        size = len(clips)
        if self._most is not None:
            size = max(1, min(size, self._most // len(clips[0])))
        parts = []
        start = 0
        while start < len(clips):
            batch = clips[start : start + size]
            try:
                with self._autocast():
                    parts.append(self.encoder.embed(batch, self.encoder.sample_rate))
            except (RuntimeError, MemoryError) as error:
                if not _is_out_of_memory(error):
                    raise
                size = self._halve(batch)
                continue
            start += len(batch)
        return np.concatenate(parts)

    def _autocast(self) -> AbstractContextManager[object]:
        import torch

        if self._precision == "32":
            return nullcontext()
        dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}[self._precision]
        return torch.autocast(torch.device(self._device).type, dtype)

    def _halve(self, batch: Clips) -> int:
        """The next smaller batch size, remembered for the batches to come."""
        import torch

        if len(batch) == 1:
            seconds = len(batch[0]) / self.encoder.sample_rate
            raise UserError(
                f"{type(self.encoder).__name__} runs out of memory on one clip of {seconds:g} s. "
                "Use a shorter clip (clip.length_s=...) or another device (embed.device=cpu)."
            )
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        self._most = len(batch) // 2 * len(batch[0])
        return len(batch) // 2


def _is_out_of_memory(error: RuntimeError | MemoryError) -> bool:
    """Whether this is a device's or the CPU allocator's way to say that memory is full."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    text = str(error).lower()
    return "out of memory" in text or "can't allocate memory" in text
