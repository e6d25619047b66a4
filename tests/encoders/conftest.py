"""The parity kit: pseudo-random checkpoints and what the reference code makes of them."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

RATE = 16_000
INPUTS = ("cough2", "short07", "mid3", "long818", "long12", "silence2")


def _script() -> Any:
    path = Path(__file__).parents[2] / "scripts" / "make_kit_checkpoint.py"
    spec = importlib.util.spec_from_file_location("make_kit_checkpoint", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class ParityKit:
    """Golden inputs and outputs of the reference code, one folder for each encoder."""

    folder: Path
    checkpoints: Path

    @functools.cached_property
    def waves(self) -> dict[str, NDArray[np.float32]]:
        """Test waveforms at 16 kHz by name."""
        inputs = _script().load_module(self.folder, "inputs")
        waves: dict[str, NDArray[np.float32]] = inputs.make_inputs()
        assert inputs.digests(waves) == inputs.DIGESTS
        return waves

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

    def tensors(self, encoder: str) -> dict[str, Any]:
        """The kit's tensors by their published names."""
        tensors: dict[str, Any] = _script().kit_tensors(self.folder, encoder)
        return tensors


@pytest.fixture(scope="session")
def parity_kit(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ParityKit:
    """The kit at RAQA_PARITY_KIT, by default beside the real recordings, or skip."""
    place = os.environ.get("RAQA_PARITY_KIT")
    folder = Path(place) if place else request.getfixturevalue("test_data").parent / "parity"
    if not (folder / "fill.py").is_file():
        pytest.skip(f"no parity kit at {folder}; RAQA_PARITY_KIT names another place")
    return ParityKit(folder.resolve(), tmp_path_factory.mktemp("checkpoints"))


def relative_distance(given: NDArray[np.float32], golden: NDArray[np.float32]) -> float:
    """L2 distance relative to the golden vector's length."""
    difference = given.astype(np.float64) - golden
    return float(np.linalg.norm(difference) / np.linalg.norm(golden.astype(np.float64)))
