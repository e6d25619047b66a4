"""Fixtures that all tests share; the one place that knows where real test data is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from raqa.heads.data import FitData

if TYPE_CHECKING:
    from tests.parity import ParityKit

# Real recordings in their official layouts. They are not part of the project: tests that need
# them skip where they are absent.
TEST_DATA = Path(os.environ.get("RAQA_TEST_DATA", "../shared/data"))


def pytest_configure(config: pytest.Config) -> None:
    """Share the cores among tests that run side by side (`pytest -n auto`)."""
    if workers := config.getoption("numprocesses", None):
        os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder with real recordings, or skip."""
    folder = (Path(__file__).parents[1] / TEST_DATA).resolve()
    if not folder.is_dir():
        pytest.skip(f"no real recordings at {folder}; RAQA_TEST_DATA names another place")
    return folder


@pytest.fixture(scope="session")
def parity_kit(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ParityKit:
    """The kit at RAQA_PARITY_KIT, by default beside the real recordings, or skip."""
    from tests.parity import ParityKit

    place = os.environ.get("RAQA_PARITY_KIT")
    folder = Path(place) if place else request.getfixturevalue("test_data").parent / "parity"
    if not (folder / "fill.py").is_file():
        pytest.skip(f"no parity kit at {folder}; RAQA_PARITY_KIT names another place")
    return ParityKit(folder.resolve(), tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the user's embeddings, data and terminal settings."""
    monkeypatch.setenv("RAQA_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.delenv("RAQA_DATA", raising=False)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


Command = Callable[..., str]


@pytest.fixture
def raqa(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `raqa ...`; what it printed, on one line, or with `columns` as a terminal shows it."""

    def call(*arguments: str, status: int = 0, columns: int | None = None) -> str:
        from raqa.cli import main

        monkeypatch.setattr(sys, "argv", ["raqa", *arguments])
        monkeypatch.setenv("COLUMNS", str(columns or 300))
        try:
            main()
            code: object = 0
        except SystemExit as stopped:
            code = stopped.code or 0
        shown = capsys.readouterr()
        assert code == status, shown
        assert "Traceback" not in shown.out + shown.err
        printed = shown.out + shown.err
        return printed if columns else " ".join(printed.split())

    return call


@pytest.fixture
def data() -> FitData:
    """Features of differing scale; a label like an age, half of it in the features."""
    recordings, width, validation = 90, 8, 40
    random = np.random.default_rng(0)
    inputs = random.normal(size=(recordings + validation, width))
    labels = 35 + 10 * (inputs[:, 0] + random.normal(size=len(inputs)))
    inputs = inputs * np.logspace(-2, 2, width) + np.arange(width)
    return FitData(inputs[:recordings], labels[:recordings],
                   inputs[recordings:], labels[recordings:])  # fmt: skip


@pytest.fixture
def class_data(data: FitData) -> FitData:
    """The same features; three classes, the higher half of the labels of `data` in two of them."""
    edges = np.quantile(data.train_labels, [0.5, 0.8])
    train, validation = (
        np.digitize(labels, edges).astype(np.float64)
        for labels in (data.train_labels, data.validation_labels)
    )
    return replace(data, train_labels=train, validation_labels=validation, classes=3)


WORDS = ["does", "the", "subject", "have", "a", "cough", "wheeze", "?", "age", "what", "is",
         "pitch", "loudness", "high", "count"]  # fmt: skip


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT with a tokenizer of whole words, saved as the hub keeps them."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    made = tmp_path_factory.mktemp("bert")
    vocabulary = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", model_max_length=32,
    ).save_pretrained(made)  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2,
            num_attention_heads=2, intermediate_size=16, max_position_embeddings=32,
        )  # fmt: skip
        BertModel(config).save_pretrained(made)
    return made
