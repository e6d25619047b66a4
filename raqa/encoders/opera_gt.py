"""OPERA-GT: a masked autoencoder's ViT-small on 8.18 s of mel spectrogram."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import torch
from pydantic import Field, validate_call
from torch import Tensor, nn

from raqa.encoders.base import OutputKind
from raqa.encoders.opera import (
    BANDS,
    RATE,
    OperaEncoder,
    cut_silence,
    opera_published,
    repeat_before,
)
from raqa.encoders.weights import Layout
from raqa.errors import UserError

FRAMES = 256
PATCH = 4  # frames and bands; the grid of positions has 64 steps
CELLS = 16  # patches side by side in every step
SAMPLES = 130_880  # 8.18 s, the longest clip with that many frames
STEP = 65_440  # half of it, from piece to piece of a longer recording

Padding = Literal["waveform_8s", "spectrogram_8s", "none", "upstream"]


class OperaGT(OperaEncoder):
    """OPERA's generative transformer (Zhang et al. 2024): 384 numbers a clip.

    Args:
        weights: "hub", "random", or a checkpoint's path.
        window_s: seconds of a clip, at most 8.18; None, any length, with padding="upstream" only.
        padding: how a clip reaches 8.18 s. "waveform_8s" puts zeros behind the waveform,
            "spectrogram_8s" behind the scaled spectrogram; "none" embeds the clip as short as it
            is; "upstream" does what the authors' code does: cuts silence off both ends, repeats the
            clip up to 8.18 s, and takes the mean over pieces of longer ones.
        output: "vector" (mean over tokens), or "frames", one in four spectrogram frames (128 ms),
            the mean over its 16 mel cells.

    Raises:
        UserError: the window is longer than 8.18 s; or the weights can not be had or do not fit.
    """

    published = opera_published(
        "opera_gt",
        "OPERA-GT",
        "encoder-operaGT.ckpt",
        "64dff121368e30ee7b1c9b2e526eaf2af93ac63ce4a8712efd60ecda84618cb8",
    )
    layout: ClassVar[Layout] = Layout(unused=(r"mask_token", r"decoder_.*"))
    width = 384

    @validate_call
    def __init__(
        self,
        weights: str = "hub",
        window_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = 2.0,
        padding: Padding = "waveform_8s",
        output: OutputKind = "vector",
    ) -> None:
        if padding != "upstream" and not (window_s and round(window_s * RATE) <= SAMPLES):
            raise UserError(
                f"encoder.window_s={window_s}: with padding={padding} OPERA-GT takes clips of at "
                f"most {SAMPLES / RATE:g} s; longer ones are cut into pieces by padding=upstream."
            )
        super().__init__(weights, window_s, padding, output)

    @classmethod
    def build_network(cls) -> nn.Module:
        """A ViT with learned positions and a class token, without a head."""
        from timm.models.vision_transformer import VisionTransformer

        return VisionTransformer(
            img_size=(FRAMES, BANDS),
            patch_size=PATCH,
            in_chans=1,
            num_classes=0,
            embed_dim=cls.width,
            depth=12,
            num_heads=6,
        )

    def spectrograms(self, waveforms: Tensor) -> Tensor:
        """What the network sees of `[clips, samples]`: `[clips, frames, 64]`."""
        if self.padding == "waveform_8s":
            waveforms = nn.functional.pad(waveforms, (0, SAMPLES - waveforms.shape[1]))
        spectrograms: Tensor = self.spectrogram(waveforms)
        if self.padding == "spectrogram_8s":
            missing = FRAMES - spectrograms.shape[1]
            spectrograms = nn.functional.pad(spectrograms, (0, 0, 0, missing))
        return spectrograms

    def clips_heard(self, waveform: Tensor) -> list[Tensor]:
        """Cut silence, fill up to 8.18 s, or cut into pieces that overlap by half."""
        clip = cut_silence(waveform)
        if len(clip) <= SAMPLES:
            return [repeat_before(clip, SAMPLES)]
        pieces = list(clip.unfold(0, SAMPLES, STEP))
        rest = clip[len(pieces) * STEP :]
        return [*pieces, repeat_before(rest, SAMPLES, source=clip)]

    def embed_waveforms(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]`, at most 8.18 s, as `[clips, 384]` or `[clips, frames, 384]`."""
        tokens = self.tokens(self.spectrograms(waveforms))
        if self.output == "frames":
            tokens = tokens.reshape(len(tokens), -1, CELLS, self.width)
        embedding: Tensor = self.network.norm(tokens.mean(dim=-2))
        return embedding

    def tokens(self, spectrograms: Tensor) -> Tensor:
        """Turn `[clips, frames, 64]` into `[clips, tokens, 384]`, time first, before the norm."""
        network = self.network
        clips, frames = spectrograms.shape[:2]
        steps = frames // PATCH
        # A convolution whose kernels do not overlap is a matrix product.
        patches = spectrograms[:, : steps * PATCH].reshape(clips, steps, PATCH, CELLS, PATCH)
        patches = patches.transpose(2, 3).reshape(clips, steps * CELLS, PATCH * PATCH)
        projection = network.patch_embed.proj
        tokens = nn.functional.linear(patches, projection.weight.flatten(1), projection.bias)
        positions = network.pos_embed
        tokens = tokens + positions[:, 1 : 1 + tokens.shape[1]]
        first = (network.cls_token + positions[:, :1]).expand(clips, -1, -1)
        hidden: Tensor = network.blocks(torch.cat([first, tokens], dim=1))
        return hidden[:, 1:]
