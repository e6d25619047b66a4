"""Loads models and feature extractors of transformers: checked, offline first, nothing executed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from raqa.encoders.sources import PATIENCE_S
from raqa.encoders.weights import SHOWN, quiet_generator, randomise
from raqa.errors import UserError

TRAINING_ONLY = ("masked_spec_embed",)
"""Tensors that only training uses; fine-tuned checkpoints may lack them."""


def load_extractor(model: str, revision: str) -> Any:
    """Load the feature extractor of an audio model.

    Raises:
        UserError: there is no such model, it can not be had, or it is none for audio.
    """
    from transformers import AutoFeatureExtractor

    extractor = _load(AutoFeatureExtractor.from_pretrained, model, revision)
    if not isinstance(getattr(extractor, "sampling_rate", None), int):
        raise UserError(
            f"{model} is no audio model: its {type(extractor).__name__} has no sampling rate."
        )
    return extractor


def load_model(model: str, revision: str, *, random: bool = False) -> Any:
    """Load a model in float32, with its own or with random weights.

    Raises:
        UserError: there is no such model, it can not be had, or its weights do not fit.
    """
    from transformers import AutoConfig, AutoModel

    if random:
        config = _load(AutoConfig.from_pretrained, model, revision)
        build: Any = AutoModel.from_config
        with quiet_generator():
            network = build(config, dtype=torch.float32)
        randomise(network)
        return network
    with quiet_generator():
        network, report = _load(
            AutoModel.from_pretrained,
            model,
            revision,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # they are refused below, by name
            dtype=torch.float32,
        )
    missing = [
        name for name in report["missing_keys"] if name.rpartition(".")[2] not in TRAINING_ONLY
    ]
    wrong = [str(entry[0]) for entry in report["mismatched_keys"]]
    if missing or wrong:
        parts = [
            f"{len(names)} {kind} ({', '.join(sorted(names)[:SHOWN])})"
            for kind, names in (("missing", missing), ("of another shape", wrong))
            if names
        ]
        raise UserError(
            f"the weights of {model} do not fit its configuration: {'; '.join(parts)}. "
            "encoder.weights=random runs the model untrained and marks every result so."
        )
    return network


def _load(loader: Callable[..., Any], model: str, revision: str, **options: Any) -> Any:
    """Load from a folder or the cache, and only then from the network."""
    try:
        if Path(model).is_dir():
            with _no_progress():
                return loader(model, **options)
        try:
            with _no_progress():
                return loader(model, revision=revision, local_files_only=True, **options)
        except OSError:  # the cache lacks it, or a part of it
            _check_reachable(model, revision)
        return loader(model, revision=revision, **options)
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        raise UserError(
            f"encoder.model={model} can not be loaded: {_first_line(error)}."
        ) from error


@contextmanager
def _no_progress() -> Iterator[None]:
    """Hide the library's progress bars where nothing is fetched."""
    from transformers.utils import logging as library_logging

    logging: Any = library_logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _check_reachable(model: str, revision: str) -> None:
    """Fail within seconds where there is no network; the library would try for minutes."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    try:
        get_hf_file_metadata(
            hf_hub_url(model, "config.json", revision=revision), timeout=PATIENCE_S
        )
    except Exception as error:  # the library's errors and those of whichever client it uses
        raise UserError(
            f"encoder.model={model}: there is no such folder, the cache of huggingface.co does "
            f"not hold it, and it can not be fetched ({_first_line(error)}). Check the name and "
            f"its access, or where there is a network run `hf download {model}` with the same "
            "cache."
        ) from error


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0].rstrip(".:") if text else type(error).__name__
