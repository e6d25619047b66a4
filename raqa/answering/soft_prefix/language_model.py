"""A frozen causal language model with its tokenizer, and what LoRA adds to it."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from raqa.answering.soft_prefix.dropout import DropoutSource, SeededDropout
from raqa.answering.soft_prefix.settings import LanguageModelSettings, LoraSettings
from raqa.errors import UserError, neighbours
from raqa.pretrained import digest_tensors, first_line, load_pretrained, load_weights

SETTING = "head.language_model.model"


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """The network, frozen and without dropout, and its tokenizer.

    Attributes:
        network: a causal language model of transformers.
        tokenizer: as transformers loads it.
        opening: tokens that the model expects before everything else, if any.
        end: the token that ends an answer.
        padding: the token that fills rows up; it is masked, so that any would do.
        context: positions that the model has; None: it names no limit.
        fingerprints: SHA-256 of the weights and of the tokenizer.
    """

    network: Any
    tokenizer: Any
    opening: tuple[int, ...]
    end: int
    padding: int
    context: int | None
    fingerprints: Mapping[str, str]

    @property
    def width(self) -> int:
        """Length of a token's embedding."""
        return int(self.network.get_input_embeddings().weight.shape[1])

    @property
    def embedding_size(self) -> float:
        """Root mean square of the values of all token embeddings."""
        weight = self.network.get_input_embeddings().weight
        return float(weight.detach().double().square().mean().sqrt())


def load_language_model(settings: LanguageModelSettings) -> LanguageModel:
    """Load the model and its tokenizer, whole and in float32.

    Raises:
        UserError: it can not be had, is not a causal language model, or lacks an end token.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    options: dict[str, Any] = {}
    if settings.gguf_file is not None:
        options["gguf_file"] = settings.gguf_file
    place = (settings.model, settings.revision)
    tokenizer = load_pretrained(AutoTokenizer.from_pretrained, *place, setting=SETTING, **options)
    network = load_weights(AutoModelForCausalLM.from_pretrained, *place, setting=SETTING, **options)
    network.requires_grad_(False).eval()
    end = tokenizer.eos_token_id
    if end is None:
        raise UserError(
            f"{SETTING}={settings.model}: its tokenizer has no end token, so that no answer of it "
            "would end. Choose another language model, or name an eos_token in its files."
        )
    padding = end if tokenizer.pad_token_id is None else tokenizer.pad_token_id  # GPT-2 has none
    # Nothing of the publisher's own habits (sampling, penalties) goes into how answers are made.
    network.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        eos_token_id=end, pad_token_id=padding
    )
    begin = tokenizer.bos_token_id
    context = getattr(network.config, "max_position_embeddings", None)
    return LanguageModel(
        network=network,
        tokenizer=tokenizer,
        opening=(begin,) if begin is not None and begin in tokenizer("")["input_ids"] else (),
        end=end,
        padding=padding,
        context=context,
        fingerprints={
            "language model": digest_tensors(network),
            "tokenizer": _digest_tokenizer(tokenizer),
        },
    )


def add_lora(model: LanguageModel, settings: LoraSettings, source: DropoutSource) -> None:
    """Put LoRA's layers into the network; they are all that can be trained of it.

    Raises:
        UserError: the layers to change are not there, or have to be named for this kind of model.
    """
    from peft import LoraConfig, inject_adapter_in_model

    from raqa.pretrained import quiet_generator

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,  # type: ignore[arg-type] # a factor; fractions work
        lora_dropout=settings.dropout,
        target_modules=None if settings.target_modules is None else list(settings.target_modules),
    )
    try:
        with quiet_generator(), warnings.catch_warnings():
            # GPT-2's layers are transposed: peft sees it, sets it right and warns.
            warnings.filterwarnings("ignore", message="fan_in_fan_out")
            inject_adapter_in_model(config, model.network)
    except ValueError as error:
        raise UserError(_lora_problem(model.network, settings, error)) from error
    for layer in _lora_layers(model.network):
        layer.lora_dropout["default"] = SeededDropout(settings.dropout, source)


def initialise_lora(network: nn.Module, draws: torch.Generator) -> None:
    """Fill LoRA's layers from a generator as peft does: A uniform within 1 / sqrt(inputs), B 0."""
    with torch.no_grad():
        for layer in _lora_layers(network):
            first, second = layer.lora_A["default"].weight, layer.lora_B["default"].weight
            bound = 1 / math.sqrt(first.shape[1])
            first.uniform_(-bound, bound, generator=draws)
            second.zero_()


def train_lora(network: nn.Module, training: bool) -> None:
    """Switch LoRA's dropout; the language model's own stays off."""
    for layer in _lora_layers(network):
        layer.lora_dropout.train(training)


def _lora_layers(network: nn.Module) -> Iterator[Any]:
    for _, module in network.named_modules():
        if isinstance(getattr(module, "lora_A", None), nn.ModuleDict):
            yield module


def _lora_problem(network: nn.Module, settings: LoraSettings, error: ValueError) -> str:
    from transformers.pytorch_utils import Conv1D

    names = {
        name.rpartition(".")[2]
        for name, module in network.named_modules()
        if isinstance(module, nn.Linear | Conv1D)
    }
    given = settings.target_modules
    if given is None:
        return (
            "head.lora.target_modules: peft has no choice of its own for this kind of language "
            f"model; name the layers to change. Choices: {', '.join(sorted(names))}"
        )
    strange = [one for one in given if one not in names]
    if strange:
        return (
            f"head.lora.target_modules: there is no {strange[0]}. {neighbours(strange[0], names)}"
        )
    return f"head.lora: {first_line(error)}."


def _digest_tokenizer(tokenizer: Any) -> str:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    text = repr(sorted(tokenizer.get_vocab().items())) if backend is None else backend.to_str()
    special = sorted((name, str(value)) for name, value in tokenizer.special_tokens_map.items())
    whole = repr((text, special, str(tokenizer.chat_template)))
    return hashlib.sha256(whole.encode()).hexdigest()
