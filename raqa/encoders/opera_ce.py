"""OPERA-CE: an EfficientNet-B0 on a mel spectrogram."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Annotated, Any, ClassVar

import torch
from pydantic import Field, validate_call
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from raqa.encoders.base import OutputKind
from raqa.encoders.opera import OperaEncoder, opera_published
from raqa.encoders.opera_padding import Padding, clip_heard
from raqa.encoders.weights import Layout

STAGES = (1, 2, 2, 3, 3, 4, 1)
"""Blocks of each stage of EfficientNet-B0 (Tan and Le 2019, table 1)."""

BATCH_NORM_EPS = 1e-3  # TensorFlow's

FIRST = tuple(accumulate(STAGES, initial=0))
"""Number of each stage's first block in the checkpoint, which counts through."""

WITHOUT_EXPANSION = {
    "conv_dw": "_depthwise_conv", "bn1": "_bn1", "conv_pw": "_project_conv", "bn2": "_bn2",
}  # fmt: skip
WITH_EXPANSION = {
    "conv_pw": "_expand_conv", "bn1": "_bn0", "conv_dw": "_depthwise_conv", "bn2": "_bn1",
    "conv_pwl": "_project_conv", "bn3": "_bn2",
}  # fmt: skip
OUTSIDE = {"conv_stem": "_conv_stem", "bn1": "_bn0", "conv_head": "_conv_head", "bn2": "_bn1"}
"""timm's names, and those of the package that OPERA used."""


def _published_name(name: str) -> str:
    """Translate timm's name of a tensor, in stages of blocks, to the checkpoint's."""
    if name.startswith("cnn1."):
        return f"encoder.{name}"
    part, *rest = name.removeprefix("efficientnet.").split(".")
    if part != "blocks":
        return ".".join(["encoder.efficientnet", OUTSIDE[part], *rest])
    stage, block, layer, *rest = rest
    if layer == "se":
        own = "_se_" + rest.pop(0).removeprefix("conv_")
    else:
        own = (WITH_EXPANSION if int(stage) else WITHOUT_EXPANSION)[layer]
    number = str(FIRST[int(stage)] + int(block))
    return ".".join(["encoder.efficientnet._blocks", number, own, *rest])


class PaddedBehind(nn.Conv2d):
    """A convolution of stride 2 with one row and column less of zeros before than behind.

    TensorFlow's "same" padding for pictures of even size, whatever the real size.
    """

    def forward(self, picture: Tensor) -> Tensor:
        """Pad `[clips, channels, time, bands]` and convolve."""
        before = (self.kernel_size[0] - 2) // 2
        return super().forward(nn.functional.pad(picture, (before, before + 1) * 2))


def _padded_behind(convolution: nn.Conv2d) -> PaddedBehind:
    (kernel, _) = convolution.kernel_size
    return PaddedBehind(
        convolution.in_channels, convolution.out_channels, kernel, stride=2,
        groups=convolution.groups, bias=False,
    )  # fmt: skip


class SpectrogramNet(nn.Module):
    """A convolution from one channel to three, then EfficientNet-B0 up to its last feature map."""

    def __init__(self) -> None:
        from timm.models.efficientnet import efficientnet_b0

        super().__init__()
        self.cnn1 = nn.Conv2d(1, 3, kernel_size=3)
        self.efficientnet: Any = efficientnet_b0(
            num_classes=0, global_pool="", bn_eps=BATCH_NORM_EPS
        )
        self.efficientnet.conv_stem = _padded_behind(self.efficientnet.conv_stem)
        for block in self._blocks():
            if block.conv_dw.stride == (2, 2):
                block.conv_dw = _padded_behind(block.conv_dw)

    def _blocks(self) -> Iterator[Any]:
        for stage in self.efficientnet.blocks:
            yield from stage

    def forward(self, spectrograms: Tensor) -> Tensor:
        """Turn `[clips, frames, 64]` into `[clips, 1280, steps, cells]`."""
        features: Tensor = self.efficientnet.forward_features(self.cnn1(spectrograms.unsqueeze(1)))
        return features

    def fold(self) -> None:
        """Fold every batch normalisation into the convolution before it, for speed.

        The numbers stay the same to rounding.
        """
        _fold(self.efficientnet, "conv_stem", "bn1")
        _fold(self.efficientnet, "conv_head", "bn2")
        for block in self._blocks():
            names = WITH_EXPANSION if hasattr(block, "conv_pwl") else WITHOUT_EXPANSION
            convolutions = [name for name in names if name.startswith("conv")]
            for convolution, norm in zip(convolutions, ("bn1", "bn2", "bn3"), strict=False):
                _fold(block, convolution, norm)


def _fold(module: Any, convolution: str, norm: str) -> None:
    """Replace a convolution and a normalisation with activation by a convolution and activation."""
    after = getattr(module, norm)
    setattr(module, convolution, fuse_conv_bn_eval(getattr(module, convolution), after))
    setattr(module, norm, after.act)


class OperaCE(OperaEncoder):
    """OPERA's contrastive EfficientNet (Zhang et al. 2024): 1280 numbers a clip.

    Args:
        weights: "hub", "random", or a checkpoint's path.
        window_s: seconds of a clip; None: any length.
        padding: how a clip is filled up, see `raqa.encoders.opera_padding`.
        output: "vector" (mean over time and bands), or "frames", the mean over bands.

    Raises:
        UserError: the weights can not be had or do not fit.
    """

    published = opera_published(
        "opera_ce",
        "OPERA-CE",
        "encoder-operaCE.ckpt",
        "2e18765ad90e584f7122dd739cd9e9b56d9013ce25660042ab8f6690cce74d39",
    )
    layout: ClassVar[Layout] = Layout(
        rename=_published_name,
        unused=(r"(g|layer_norm|linear)\.(weight|bias)",),  # the projection of contrastive training
    )
    width = 1280

    @validate_call
    def __init__(
        self,
        weights: str = "hub",
        window_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = 2.0,
        padding: Padding = "none",
        output: OutputKind = "vector",
    ) -> None:
        super().__init__(weights, window_s, padding, output)
        self.network.fold()
        self.network.to(memory_format=torch.channels_last)

    @classmethod
    def build_network(cls) -> nn.Module:
        """EfficientNet-B0 behind a convolution."""
        return SpectrogramNet()

    def clips_heard(self, waveform: Tensor) -> list[Tensor]:
        """Cut silence and fill up; longer clips stay whole."""
        return [clip_heard(waveform, self.padding)]

    def embed_waveforms(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` as `[clips, 1280]` or `[clips, steps, 1280]`."""
        features: Tensor = self.network(self.spectrogram(waveforms))
        if self.output == "vector":
            return features.mean(dim=(2, 3))
        return features.mean(dim=3).transpose(1, 2)
