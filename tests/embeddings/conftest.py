"""Recordings, an encoder that counts its work, and a store, all made for the test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import soundfile
import torch
from torch import Tensor

from raqa.audio.clip import ClipPolicy
from raqa.embeddings.extract import Embeddings, EmbedSettings, extract
from raqa.embeddings.store import EmbeddingStore
from raqa.encoders.base import Encoder
from raqa.tables import RECORDINGS

RATE = 1_000


class Counting(Encoder):
    """Eight numbers a clip, without weights; remembers the sizes of the batches it was given."""

    sample_rate = RATE
    min_s = 0.05
    width = 8

    def __init__(self, name: str = "counting") -> None:
        super().__init__()
        self.name = name
        self.batches: list[tuple[int, int]] = []

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"name": self.name}

    def forward(self, waveforms: Tensor) -> Tensor:
        self.check_input(waveforms)
        self.batches.append((waveforms.shape[0], waveforms.shape[1]))
        return torch.stack([waveforms.abs().pow(power).mean(1) for power in range(1, 9)], dim=1)


def recordings_table(paths: list[Path], **columns: Any) -> pl.DataFrame:
    """A recordings table of whole files."""
    count = len(paths)
    values: dict[str, Any] = {
        "recording_id": [f"r{i:03}" for i in range(count)], "corpus": ["made"] * count,
        "subject_id": [f"s{i}" for i in range(count)], "subject_known": [True] * count,
        "path": [str(path) for path in paths], "audio": [True] * count,
        "start_s": [None] * count, "end_s": [None] * count,
        "modality": ["cough"] * count, "split": [None] * count,
    }  # fmt: skip
    return pl.DataFrame({**values, **columns}, schema=dict(RECORDINGS))


def write_sounds(folder: Path, count: int, seconds: float = 0.5) -> list[Path]:
    """Write noises of which no two are equal."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        noise = 0.1 * np.random.default_rng(number).standard_normal(round(seconds * RATE))
        paths.append(folder / f"{number:03}.wav")
        soundfile.write(paths[-1], noise, RATE)
    return paths


@pytest.fixture
def sounds(tmp_path: Path) -> Callable[..., list[Path]]:
    return lambda count, seconds=0.5: write_sounds(tmp_path / "audio", count, seconds)


@pytest.fixture
def table() -> Callable[..., pl.DataFrame]:
    return recordings_table


@pytest.fixture
def encoder() -> Counting:
    return Counting()


@pytest.fixture
def store(tmp_path: Path) -> EmbeddingStore:
    return EmbeddingStore(tmp_path / "store")


@pytest.fixture
def run(store: EmbeddingStore, encoder: Counting) -> Callable[..., Embeddings]:
    """Extract with the test's encoder and store; keywords are settings."""

    def extract_now(
        recordings: pl.DataFrame, clip: ClipPolicy | None = None, other: Encoder | None = None,
        **settings: Any,
    ) -> Embeddings:  # fmt: skip
        return extract(recordings, other or encoder, clip or ClipPolicy(length_s=0.5), store,
                       EmbedSettings(device="cpu", **settings))  # fmt: skip

    return extract_now
