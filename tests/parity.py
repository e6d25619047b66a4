"""The parity kit: pseudo-random checkpoints and what the reference code makes of them."""

from __future__ import annotations

import functools
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE = 16_000


def _script() -> Any:
    path = Path(__file__).parents[1] / "scripts" / "make_kit_checkpoint.py"
    spec = importlib.util.spec_from_file_location("make_kit_checkpoint", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class ParityKit:
    """Golden inputs and outputs of the reference code, one folder for each model."""

    folder: Path
    checkpoints: Path

    @functools.cached_property
    def waves(self) -> dict[str, NDArray[np.float32]]:
        """Test waveforms at 16 kHz by name."""
        inputs = _script().load_module(self.folder, "inputs")
        waves: dict[str, NDArray[np.float32]] = inputs.make_inputs()
        assert inputs.digests(waves) == inputs.DIGESTS
        return waves

    @functools.cached_property
    def stereo(self) -> NDArray[np.float32]:
        """A test waveform at 44.1 kHz with two channels, `[2, samples]`."""
        samples = _script().load_module(self.folder, "inputs").make_stereo44()
        return np.ascontiguousarray(samples.T.astype(np.float32) / 32768)

    def first_2s(self, name: str) -> NDArray[np.float32]:
        """The first two seconds of a waveform, zeros at the end."""
        wave = self.waves[name][: 2 * RATE]
        return np.pad(wave, (0, 2 * RATE - len(wave)))

    def golden(self, encoder: str) -> dict[str, NDArray[np.float32]]:
        """Reference spectrograms, embeddings and traces."""
        with np.load(self.folder / encoder / "golden.npz") as arrays:
            return dict(arrays)

    def meta(self, encoder: str) -> dict[str, Any]:
        """Variants, tolerances, hashes of waveforms."""
        meta: dict[str, Any] = json.loads((self.folder / encoder / "meta.json").read_text())
        return meta

    def checkpoint(self, encoder: str) -> Path:
        """A file in the published container with the kit's tensors; made once."""
        path = self.checkpoints / f"{encoder}.ckpt"
        if not path.exists():
            _script().make(self.folder, encoder, path)
        return path

    def tensors(self, encoder: str, beginning: str = "") -> dict[str, Any]:
        """The kit's tensors by their published names, those that begin so."""
        tensors: dict[str, Any] = _script().kit_tensors(self.folder, encoder, beginning)
        return tensors


def relative_distance(given: NDArray[np.float32], golden: NDArray[np.float32]) -> float:
    """L2 distance relative to the golden vector's length."""
    difference = given.astype(np.float64) - golden
    return float(np.linalg.norm(difference) / np.linalg.norm(golden.astype(np.float64)))
