"""Mappers: from audio embeddings to prefix vectors in a language model's embedding space."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import adaptive_avg_pool1d, scaled_dot_product_attention

from raqa.answering.soft_prefix.dropout import DropoutSource, SeededDropout
from raqa.answering.soft_prefix.settings import MapperSettings
from raqa.pretrained import quiet_generator


class Mapper(nn.Module):
    """Maps `[recordings, frames, width]` to `[recordings, prefixes, embedding]`.

    What comes out is multiplied by `scale`, the size of the language model's own token
    embeddings, so that an untrained prefix is neither overheard nor all that is heard.

    Args:
        network: gives vectors of about unit variance.
    """

    def __init__(self, network: nn.Module, scale: float) -> None:
        super().__init__()
        self.network, self.scale = network, scale

    def forward(self, audio: Tensor) -> Tensor:
        """Map standardised embeddings."""
        mapped: Tensor = self.network(audio) * self.scale
        return mapped


class PerStep(nn.Module):
    """Linear or one hidden layer: one vector gives all prefixes, frames give one for each step.

    Frames are averaged over as many equal spans of time as there are prefixes; the same weights
    map every span.
    """

    def __init__(
        self,
        settings: MapperSettings,
        shape: tuple[int, int],
        prefixes: int,
        embedding: int,
        source: DropoutSource,
    ) -> None:
        super().__init__()
        frames, width = shape
        self.prefixes, self.spans = prefixes, frames > 1
        outputs = embedding if self.spans else prefixes * embedding
        if settings.kind == "linear":
            self.layers = nn.Sequential(nn.Linear(width, outputs))
        else:
            self.layers = nn.Sequential(
                nn.Linear(width, settings.hidden),
                nn.Tanh(),
                SeededDropout(settings.dropout, source),
                nn.Linear(settings.hidden, outputs),
            )

    def forward(self, audio: Tensor) -> Tensor:
        """Map `[recordings, frames, width]`."""
        if self.spans:
            audio = adaptive_avg_pool1d(audio.mT, self.prefixes).mT
        mapped: Tensor = self.layers(audio)
        return mapped.reshape(len(audio), self.prefixes, -1)


class Attending(nn.Module):
    """A transformer over frames and learnt queries; what the queries become is the prefix."""

    def __init__(
        self,
        settings: MapperSettings,
        shape: tuple[int, int],
        prefixes: int,
        embedding: int,
        source: DropoutSource,
    ) -> None:
        super().__init__()
        frames, width = shape
        self.prefixes = prefixes
        self.into = nn.Linear(width, settings.hidden)
        self.queries = nn.Parameter(torch.empty(prefixes, settings.hidden))
        self.blocks = nn.ModuleList(Block(settings, source) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(settings.hidden)
        self.out = nn.Linear(settings.hidden, embedding)
        self.register_buffer("positions", _positions(frames, settings.hidden), persistent=False)

    def forward(self, audio: Tensor) -> Tensor:
        """Map `[recordings, frames, width]`."""
        frames = self.into(audio) + self.positions
        states = torch.cat([frames, self.queries.expand(len(audio), -1, -1)], dim=1)
        for block in self.blocks:
            states = block(states)
        mapped: Tensor = self.out(self.norm(states[:, -self.prefixes :]))
        return mapped


class Block(nn.Module):
    """One layer: attention, then a perceptron, each normalised before and added after."""

    def __init__(self, settings: MapperSettings, source: DropoutSource) -> None:
        super().__init__()
        width = settings.hidden
        self.heads = settings.attention_heads
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention_in, self.attention_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.drop = SeededDropout(settings.dropout, source)

    def forward(self, states: Tensor) -> Tensor:
        """Map `[recordings, steps, width]` to the same shape."""
        rows, steps, width = states.shape
        joint = self.attention_in(self.before_attention(states))
        query, key, value = joint.view(rows, steps, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        heard = scaled_dot_product_attention(query, key, value)
        heard = self.attention_out(heard.transpose(1, 2).reshape(rows, steps, width))
        states = states + self.drop(heard)
        added: Tensor = self.drop(self.perceptron(self.before_perceptron(states)))
        return states + added


def make_mapper(
    settings: MapperSettings,
    shape: tuple[int, int],
    prefixes: int,
    embedding: int,
    *,
    scale: float,
    source: DropoutSource,
) -> Mapper:
    """An untrained mapper; `initialise` fills it.

    Args:
        shape: frames and width of one recording's embedding.
        embedding: width of the language model's token embeddings.
        scale: see Mapper.
    """
    kind = Attending if settings.kind == "transformer" else PerStep
    with quiet_generator():
        return Mapper(kind(settings, shape, prefixes, embedding, source), scale)


def initialise(mapper: Mapper, draws: torch.Generator) -> None:
    """Fill a mapper from a generator.

    Matrices get normal values of variance 1 / inputs, so that signals keep their size, queries
    standard normal values, biases 0 and norms 1.
    """
    with torch.no_grad():
        for name, parameter in mapper.named_parameters():
            if name.endswith("queries"):
                parameter.normal_(generator=draws)
            elif parameter.ndim == 2:
                parameter.normal_(0, parameter.shape[1] ** -0.5, generator=draws)
            else:
                parameter.fill_(float("norm" in name or "before" in name) * ("weight" in name))


def _positions(frames: int, width: int) -> Tensor:
    """Sines and cosines `[frames, width]` (Vaswani et al. 2017, section 3.5)."""
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(frames)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(frames, width)
