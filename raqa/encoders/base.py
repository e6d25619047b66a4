"""What every encoder is: a frozen module with a rate, a window, a width and a fingerprint."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

OutputKind = Literal["vector", "frames"]


class Encoder(nn.Module, ABC):
    """Turns waveforms `[clips, samples]` at `sample_rate` into embeddings `[clips, width]`.

    With `output == "frames"` the result is `[clips, frames, width]`. Rate, window, width and
    output kind come from the object; no config repeats them.

    Attributes:
        sample_rate: Hz that `forward` expects.
        window_s: seconds that a clip must have; None: any length of at least `min_s`.
        min_s: the shortest clip it can embed, in seconds.
        width: length of one embedding vector.
        output: what `forward` returns.
        weights: "none" for an encoder without weights, "random", or the checkpoint's SHA-256.
    """

    revision: ClassVar[int] = 1  # raise when the same settings begin to give other numbers
    sample_rate: int
    window_s: float | None = None
    min_s: float = 0.0
    width: int
    output: OutputKind = "vector"
    weights: str = "none"

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """Everything besides weights that changes the numbers, as plain JSON values."""

    @abstractmethod
    def forward(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` float32 at `sample_rate` as `[clips, width]`."""

    @property
    def weights_real(self) -> bool:
        """False only for weights that were drawn at random."""
        return self.weights != "random"

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change whenever the same audio would get other numbers."""
        facts = {
            "class": type(self).__name__,
            "revision": self.revision,
            "settings": dict(self.settings),
            "weights": self.weights,
            "output": self.output,
            "rate": self.sample_rate,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    def embed(
        self, waveforms: Sequence[NDArray[np.float32]], sample_rate: int
    ) -> NDArray[np.float32]:
        """Embed float32 waveforms `[samples]`, also of different lengths, as `[clips, width]`.

        Clips of one length share a forward pass; `raqa.embeddings.extract` is for whole corpora.
        With `output == "frames"` the clips must have one length; `[clips, frames, width]`.

        Raises:
            ValueError: the rate is not this encoder's, or a clip is not of a length it takes.
        """
        if sample_rate != self.sample_rate:
            raise ValueError(
                f"{type(self).__name__} takes audio at {self.sample_rate} Hz, "
                f"not {sample_rate} Hz; resample it first (raqa.audio.resample)"
            )
        by_length: dict[int, list[int]] = defaultdict(list)
        for index, waveform in enumerate(waveforms):
            by_length[len(waveform)].append(index)
        if self.output == "frames" and len(by_length) > 1:
            raise ValueError("frames of clips of different lengths do not fit one array")
        rows: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(waveforms)
        for indices in by_length.values():
            for index, row in zip(indices, self._forward([waveforms[i] for i in indices]),
                                  strict=True):  # fmt: skip
                rows[index] = row
        return np.stack(rows) if rows else np.zeros((0, self.width), np.float32)

    def _forward(self, waveforms: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """One forward pass over clips of one length, on the device the encoder is on."""
        held = next(iter((*self.parameters(), *self.buffers())), None)
        device = held.device if held is not None else torch.device("cpu")
        batch = torch.from_numpy(np.stack(waveforms).astype(np.float32, copy=False)).to(device)
        training = self.training
        self.eval()
        try:
            with torch.inference_mode():
                output: Tensor = self(batch)
        finally:
            self.train(training)
        array: NDArray[np.float32] = output.float().cpu().numpy()
        return array

    def check_input(self, waveforms: Tensor) -> None:
        """Refuse a batch that is not `[clips, samples]` float of a length this encoder takes.

        Raises:
            ValueError: naming the shape given and the one expected.
        """
        name = type(self).__name__
        if waveforms.ndim != 2 or not torch.is_floating_point(waveforms):
            shape = list(waveforms.shape)
            raise ValueError(f"{name} takes float [clips, samples], not {waveforms.dtype} {shape}")
        samples, seconds = waveforms.shape[1], waveforms.shape[1] / self.sample_rate
        if self.window_s is not None and samples != round(self.window_s * self.sample_rate):
            raise ValueError(
                f"{name} takes clips of {self.window_s:g} s at {self.sample_rate} Hz, "
                f"not {samples} samples ({seconds:g} s at that rate)"
            )
        if samples < self.min_s * self.sample_rate:
            raise ValueError(f"{name} takes clips of at least {self.min_s:g} s, not {seconds:g} s")
