"""The parts that Pengi adds to its three pretrained models: projections and mappers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention


class Projection(nn.Module):
    """Two linear layers of which the second corrects the first, without biases, and a norm."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(inputs, outputs, bias=False)
        self.linear2 = nn.Linear(outputs, outputs, bias=False)
        self.layer_norm = nn.LayerNorm(outputs)

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn `[..., inputs]` into `[..., outputs]`."""
        first = self.linear1(inputs)
        projected: Tensor = self.layer_norm(first + self.linear2(gelu(first)))
        return projected


class Attention(nn.Module):
    """Attention of all positions to all; only the last layer has a bias."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.to_queries = nn.Linear(width, width, bias=False)
        self.to_keys_values = nn.Linear(width, 2 * width, bias=False)
        self.project = nn.Linear(width, width)

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn `[items, positions, width]` into the same shape."""
        keys, values = self.to_keys_values(inputs).chunk(2, dim=-1)
        queries, keys, values = (
            one.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for one in (self.to_queries(inputs), keys, values)
        )
        attended = scaled_dot_product_attention(queries, keys, values)
        projected: Tensor = self.project(attended.transpose(1, 2).flatten(2))
        return projected


class FeedForward(nn.Module):
    """Two linear layers with a rectifier between; twice as wide inside."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, 2 * width)
        self.fc2 = nn.Linear(2 * width, width)

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn `[..., width]` into the same shape."""
        outputs: Tensor = self.fc2(self.fc1(inputs).relu())
        return outputs


class Layer(nn.Module):
    """A transformer layer that normalises before each of its two steps."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attn = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = FeedForward(width)

    def forward(self, inputs: Tensor) -> Tensor:
        """Turn `[items, positions, width]` into the same shape."""
        attended = inputs + self.attn(self.norm1(inputs))
        outputs: Tensor = attended + self.mlp(self.norm2(attended))
        return outputs


class Mapper(nn.Module):
    """Makes of one embedding the vectors that GPT-2 reads as if they were words.

    Args:
        inputs: width of the embedding.
        width: of GPT-2's word vectors.
        length: vectors made.
    """

    def __init__(self, inputs: int, width: int, length: int, layers: int, heads: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, length * width)
        self.prefix_const = nn.Parameter(torch.zeros(length, width))
        self.transformer = nn.ModuleDict(
            {"layers": nn.ModuleList(Layer(width, heads) for _ in range(layers))}
        )

    def forward(self, embeddings: Tensor) -> Tensor:
        """Turn `[items, inputs]` into `[items, length, width]`."""
        length, width = self.prefix_const.shape
        made = self.linear(embeddings).unflatten(1, (length, width))
        states = torch.cat([made, self.prefix_const.expand(len(made), -1, -1)], dim=1)
        for layer in self.transformer["layers"]:  # type: ignore[attr-defined]
            states = layer(states)
        prefix: Tensor = states[:, length:]  # what became of the learned vectors
        return prefix
