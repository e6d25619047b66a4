"""Loads models and feature extractors of transformers that take audio."""

from __future__ import annotations

from typing import Any

import torch

from raqa.encoders.weights import randomise
from raqa.errors import UserError
from raqa.pretrained import load_pretrained, load_weights, quiet_generator

TRAINING_ONLY = ("masked_spec_embed",)
"""Tensors that only training uses; fine-tuned checkpoints may lack them."""

SETTING = "encoder.model"


def load_extractor(model: str, revision: str) -> Any:
    """Load the feature extractor of an audio model.

    Raises:
        UserError: there is no such model, it can not be had, or it is none for audio.
    """
    from transformers import AutoFeatureExtractor

    extractor = load_pretrained(
        AutoFeatureExtractor.from_pretrained, model, revision, setting=SETTING
    )
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
        config = load_pretrained(AutoConfig.from_pretrained, model, revision, setting=SETTING)
        build: Any = AutoModel.from_config
        with quiet_generator():
            network = build(config, dtype=torch.float32)
        randomise(network)
        return network
    return load_weights(
        AutoModel.from_pretrained,
        model,
        revision,
        setting=SETTING,
        spare=TRAINING_ONLY,
        remedy="encoder.weights=random runs the model untrained and marks every result so.",
    )
