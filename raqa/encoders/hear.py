"""HeAR: Google's masked autoencoder for two-second health sounds, a ViT-L of transformers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch
from pydantic import validate_call
from torch import Tensor, nn

from raqa.encoders.base import OutputKind
from raqa.encoders.hear_spectrogram import IMAGE, SAMPLE_RATE, HearSpectrogram, scale
from raqa.encoders.published import Published
from raqa.encoders.sources import HubFile
from raqa.encoders.weights import Layout, PretrainedEncoder

WIDTH, TOKEN_WIDTH = 512, 1024


def published_name(name: str) -> str:
    """What transformers 4 called a tensor, as in the published file, from today's name."""
    for today, then in (
        (r"^layers\.", "encoder.layer."),
        (r"attention\.q_proj\.", "attention.attention.query."),
        (r"attention\.k_proj\.", "attention.attention.key."),
        (r"attention\.v_proj\.", "attention.attention.value."),
        (r"attention\.o_proj\.", "attention.output.dense."),
        (r"mlp\.fc1\.", "intermediate.dense."),
        (r"mlp\.fc2\.", "output.dense."),
    ):
        name = re.sub(today, then, name)
    return name


class Hear(PretrainedEncoder):
    """HeAR (Baur et al. 2024, arXiv 2403.02522), in the PyTorch form that Google publishes.

    Every clip is scaled by itself, so that no embedding depends on its neighbours; Google's own
    helper does so only when it is called for one clip at a time.

    Args:
        weights: "hub" (gated: its terms have to be accepted once), a path, or "random".
        output: "vector": the projection of the class token, 512 values; "frames": the 96 patch
            tokens after the last norm, 1024 values each, 12 time steps of 8 bands from low to
            high.

    Raises:
        UserError: the checkpoint can not be had, read, or does not fit.
    """

    sample_rate = SAMPLE_RATE
    window_s = 2.0
    min_s = 2.0
    published = Published(
        name="hear",
        title="HeAR",
        source=HubFile(
            "google/hear-pytorch",
            "pytorch_model.bin",
            revision="f791cd42437c3e268c8ac84707e3508900f65f1a",
            gated=True,
        ),
        licence="weights under the Health AI Developer Foundations terms of use (access on "
        "request, restrictions on use).",
        licence_page="https://huggingface.co/google/hear-pytorch",
        sha256="d44d355816ee4315f67d7810da274409e9b1a6570325fc5ba9ae27555fd81723",
    )
    layout = Layout(rename=published_name, prefixes=("", "vit."))

    @validate_call
    def __init__(self, weights: str = "hub", output: OutputKind = "vector") -> None:
        super().__init__()
        self.output = output
        self.width = WIDTH if output == "vector" else TOKEN_WIDTH
        self.spectrogram = HearSpectrogram()
        self.network = self.load_network(weights)

    @property
    def settings(self) -> Mapping[str, Any]:
        """How clips are scaled; nothing else can be chosen."""
        return {"scaling": "clip"}

    @classmethod
    def build_network(cls) -> nn.Module:
        """ViT-L/16 over 12 x 8 patches, tanh GELU, linear pooler."""
        from transformers import ViTConfig, ViTModel

        config = ViTConfig(
            hidden_size=TOKEN_WIDTH, num_hidden_layers=24, num_attention_heads=16,
            intermediate_size=4096, hidden_act="gelu_pytorch_tanh", layer_norm_eps=1e-6,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, qkv_bias=True,
            image_size=IMAGE, patch_size=16, num_channels=1,
            pooler_output_size=WIDTH, pooler_act="linear",
        )  # fmt: skip
        place = torch.get_default_device()
        with torch.device("meta"):  # drawing 300 million values that are replaced takes seconds
            network = ViTModel(config)
        return network.to_empty(device=place)

    def forward(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, 32000]` as `[clips, 512]`, or as frames `[clips, 96, 1024]`."""
        self.check_input(waveforms)
        result = self.network(pixel_values=self.spectrogram(scale(waveforms)))
        output: Tensor = (
            result.pooler_output if self.output == "vector" else result.last_hidden_state[:, 1:]
        )
        return output
