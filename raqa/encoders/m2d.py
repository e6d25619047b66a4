"""M2D: NTT's Masked Modeling Duo, a ViT-B of timm over log-mel spectrograms of any length."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

import torch
import torchaudio
from pydantic import Field, validate_call
from torch import Tensor, nn
from torch.nn import functional

from raqa.encoders.base import OutputKind
from raqa.encoders.published import Published
from raqa.encoders.sources import ZipMember
from raqa.encoders.weights import Layout, PretrainedEncoder
from raqa.errors import UserError

BANDS, PATCH = 80, 16
ROWS, COLUMNS = BANDS // PATCH, 38  # of the table of positions: mel, time
CHUNK = COLUMNS * PATCH  # frames (6.08 s) that the table spans
TOKEN_WIDTH = 768
STATISTICS = "norm_stats"
STATISTICS_OF_2022 = (-7.1, 4.2)
"""What the authors use with their checkpoints of 2022, which hold no statistics."""

FOLDER = "m2d_vit_base-80x608p16x16p16k-250826-AS+Resp400K"
RELEASE = "https://github.com/nttcslab/eval-audio-repr/releases"


class M2DNetwork(nn.Module):
    """The encoder's transformer, and the mean and SD of its training data's log-mel values."""

    norm_stats: Tensor

    def __init__(self) -> None:
        from timm.models.vision_transformer import VisionTransformer

        super().__init__()
        self.vit: Any = VisionTransformer(
            img_size=(BANDS, CHUNK), patch_size=PATCH, in_chans=1, num_classes=0, global_pool="",
            embed_dim=TOKEN_WIDTH, depth=12, num_heads=12, mlp_ratio=4.0, qkv_bias=True,
            norm_layer=partial(nn.LayerNorm, eps=1e-6), weight_init="skip",
        )  # fmt: skip
        self.register_buffer(STATISTICS, torch.empty(2))

    def forward(self, spectrogram: Tensor) -> Tensor:
        """Turn normalised `[clips, 80, frames]` into tokens `[clips, 5 mel, time, 768]`."""
        padded = functional.pad(spectrogram, (0, -spectrogram.shape[-1] % PATCH))
        return torch.cat([self._chunk(chunk) for chunk in torch.split(padded, CHUNK, -1)], dim=2)

    def _chunk(self, spectrogram: Tensor) -> Tensor:
        """Tokens of at most 608 frames, which see each other and no other chunk's."""
        vit = self.vit
        patches = vit.patch_embed.proj(spectrogram[:, None]).permute(0, 2, 3, 1)
        steps = patches.shape[2]
        first, table = vit.pos_embed[:, :1], vit.pos_embed[:, 1:]
        patches = patches + table.unflatten(1, (ROWS, COLUMNS))[:, :, :steps]
        first = (vit.cls_token + first).expand(len(patches), -1, -1)
        tokens = vit.norm(vit.blocks(torch.cat([first, patches.flatten(1, 2)], dim=1)))
        chunk: Tensor = tokens[:, 1:].unflatten(1, (ROWS, steps))
        return chunk


class M2D(PretrainedEncoder):
    """M2D+Resp (Niizumi et al. 2025, arXiv 2505.15307); other M2D ViT-B of its kind fit as well.

    Clips may have any length. A clip is cut into chunks of 6.08 s that do not see each other; the
    silence that a clip policy adds counts in the mean, as in the authors' own evaluation.

    Args:
        weights: "hub" for the published M2D+Resp, a path, or "random".
        output: "vector": the mean over time; "frames": one vector for every 0.16 s.
        features: "stacked": the five bands' tokens side by side, 3840 values; "flat": their mean,
            768 values.
        norm_stats: mean and SD of log-mel values; "checkpoint": the ones that it holds. M2D files
            of 2022 hold none; their authors use [-7.1, 4.2].

    Raises:
        UserError: the checkpoint can not be had, read, or does not fit.
    """

    sample_rate = 16_000
    min_s = 0.025  # one analysis window
    published = Published(
        name="m2d_resp",
        title="M2D+Resp",
        source=ZipMember(f"{RELEASE}/download/0.1.0/{FOLDER}.zip", f"{FOLDER}/checkpoint-50.pth"),
        licence="NTT's Software License Agreement for Evaluation: internal, non-commercial use "
        "to test, analyse and evaluate.",
        licence_page="https://github.com/nttcslab/eval-audio-repr",
        size=341_660_351,
    )
    layout = Layout(
        rename=lambda name: name.removeprefix("vit."),
        prefixes=("", "backbone.", "module.ar.runtime.backbone."),
        optional=(STATISTICS,),
    )

    @validate_call
    def __init__(
        self,
        weights: str = "hub",
        output: OutputKind = "vector",
        features: Literal["stacked", "flat"] = "stacked",
        norm_stats: Literal["checkpoint"]
        | tuple[float, Annotated[float, Field(gt=0)]] = "checkpoint",
    ) -> None:
        super().__init__()
        self.output = output
        self.width = TOKEN_WIDTH * (ROWS if features == "stacked" else 1)
        self._settings = {"features": features, "norm_stats": norm_stats}
        self.mel = torchaudio.transforms.MelSpectrogram(
            self.sample_rate, n_fft=400, hop_length=160, f_min=50.0, f_max=8000.0, n_mels=BANDS,
            pad_mode="reflect", norm="slaney", mel_scale="slaney",
        )  # fmt: skip
        network: Any = self.load_network(weights)
        self.network: M2DNetwork = network
        self._set_statistics(norm_stats)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Which features, and where mean and SD come from."""
        return self._settings

    @classmethod
    def build_network(cls) -> nn.Module:
        """ViT-B/16 over 5 x 38 patches, and two statistics."""
        place = torch.get_default_device()
        with torch.device("meta"):
            network = M2DNetwork().to_empty(device=place)
        network.norm_stats.fill_(torch.nan)
        return network

    def _set_statistics(self, given: Literal["checkpoint"] | tuple[float, float]) -> None:
        """Use the given mean and SD, or see that the checkpoint had some."""
        held = self.network.norm_stats
        if given != "checkpoint":
            held.copy_(torch.tensor(given))
        elif self.weights == "random":
            held.copy_(torch.tensor(STATISTICS_OF_2022))
        elif held.isnan().any():
            raise UserError(
                f"The checkpoint holds no {STATISTICS} (mean and SD of log-mel values). Its "
                "authors use encoder.norm_stats=[-7.1,4.2] with such files, which are of 2022."
            )

    def spectrogram(self, waveforms: Tensor) -> Tensor:
        """Normalised log-mel values `[clips, 80, 1 + samples // 160]`."""
        mean, deviation = self.network.norm_stats
        levels = (self.mel(waveforms) + torch.finfo(torch.float32).eps).log()
        normalised: Tensor = (levels - mean) / deviation
        return normalised

    def forward(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` as `[clips, width]`, or as frames `[clips, time, width]`."""
        self.check_input(waveforms)
        tokens: Tensor = self.network(self.spectrogram(waveforms)).transpose(1, 2)
        frames = tokens.flatten(2) if self.width > TOKEN_WIDTH else tokens.mean(2)
        return frames.mean(1) if self.output == "vector" else frames
