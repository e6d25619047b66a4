"""OPERA-CT: a hierarchical Swin transformer (HTS-AT) on a mel spectrogram folded to a square."""

from __future__ import annotations

from typing import Annotated, ClassVar

import torch
from pydantic import Field, validate_call
from torch import Tensor, nn
from torch.nn.functional import interpolate

from raqa.encoders.base import OutputKind
from raqa.encoders.opera import BANDS, OperaEncoder, opera_published
from raqa.encoders.opera_padding import Padding, clip_heard
from raqa.encoders.weights import Layout

FRAMES = 1024  # of one picture; shorter clips are stretched to it
CROP_STEP = 512  # frames from picture to picture of clips longer than 32.7 s
SIDE = 256  # of the square picture
QUARTERS = FRAMES // SIDE
CELLS = 8  # tokens along a side after the last stage


class HtsAt(nn.Module):
    """Batch normalisation of mel bands and the Swin transformer (Chen et al. 2022, HTS-AT).

    Args:
        width: of a token of the first stage; every stage doubles it.
        depths: blocks of each stage.
        heads: of attention in each stage.
    """

    def __init__(
        self,
        width: int = 96,
        depths: tuple[int, ...] = (2, 2, 6, 2),
        heads: tuple[int, ...] = (4, 8, 16, 32),
    ) -> None:
        from timm.models.swin_transformer import SwinTransformer

        super().__init__()
        self.bn0 = nn.BatchNorm2d(BANDS)
        self.swin = SwinTransformer(
            img_size=SIDE,
            patch_size=4,
            in_chans=1,
            num_classes=0,
            embed_dim=width,
            depths=depths,
            num_heads=heads,
            window_size=8,
            drop_path_rate=0.0,
        )

    def forward(self, spectrograms: Tensor) -> Tensor:
        """Turn `[clips, frames, 64]`, at most 1024 frames, into tokens `[clips, 8, 8, 8 width]`.

        A token of the last stage is eight times as wide as one of the first.
        """
        tokens: Tensor = self.swin.forward_features(self.picture(spectrograms))
        return tokens

    def picture(self, spectrograms: Tensor) -> Tensor:
        """Normalise, stretch to 1024 frames and fold `[clips, frames, 64]`: `[clips, 1, 256, 256]`.

        A picture's rows are the mel bands of the first quarter of the clip, of the second, ...
        """
        bands = self.bn0(spectrograms.transpose(1, 2).unsqueeze(-1)).squeeze(-1)
        frames = bands.shape[2]
        if frames < FRAMES:
            bands = bands @ stretching(frames, bands)
        quarters = bands.reshape(-1, BANDS, QUARTERS, SIDE).transpose(1, 2)
        picture: Tensor = quarters.reshape(-1, 1, SIDE, SIDE)
        return picture


def stretching(frames: int, like: Tensor) -> Tensor:
    """The matrix `[frames, 1024]` of bicubic interpolation with aligned corners."""
    identity = torch.eye(frames, dtype=like.dtype, device=like.device)[None, None]
    return interpolate(identity, (frames, FRAMES), mode="bicubic", align_corners=True)[0, 0]


def htsat_name(name: str) -> str:
    """The name of one of `HtsAt`'s tensors in its authors' code.

    There the merging of patches is at the end of a stage, in timm at the start of the next.
    """
    parts = name.removeprefix("swin.").split(".")
    if "downsample" in parts:
        parts[1] = str(int(parts[1]) - 1)
    return ".".join(parts)


def _published_name(name: str) -> str:
    return f"encoder.encoder.htsat.{htsat_name(name)}"


class OperaCT(OperaEncoder):
    """OPERA's contrastive transformer (Zhang et al. 2024): 768 numbers a clip.

    Args:
        weights: "hub", "random", or a checkpoint's path.
        window_s: seconds of a clip; None: any length.
        padding: how a clip is filled up, see `raqa.encoders.opera_padding`.
        output: "vector" (mean over tokens), or "frames": the 64 tokens in order of time, for each
            of 32 steps the low bands before the high ones.

    Raises:
        UserError: the weights can not be had or do not fit.
    """

    published = opera_published(
        "opera_ct",
        "OPERA-CT",
        "encoder-operaCT.ckpt",
        "83c35b435518ad5f395bf4d34e552caa088faf9e63f6b8058d5288e9abb350ae",
    )
    layout: ClassVar[Layout] = Layout(
        rename=_published_name,
        unused=(
            # Both are computed from the window's size.
            r".*\.attn_mask",
            r".*\.relative_position_index",
            r"encoder\.encoder\.htsat\.(spectrogram_extractor|logmel_extractor|tscam_conv|head)\..*",
            r"(g|layer_norm|linear)\.(weight|bias)",  # the projection of contrastive training
        ),
    )
    width = 768

    @validate_call
    def __init__(
        self,
        weights: str = "hub",
        window_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = 2.0,
        padding: Padding = "none",
        output: OutputKind = "vector",
    ) -> None:
        super().__init__(weights, window_s, padding, output)

    @classmethod
    def build_network(cls) -> nn.Module:
        """HTS-AT."""
        return HtsAt()

    def clips_heard(self, waveform: Tensor) -> list[Tensor]:
        """Cut silence and fill up; longer clips stay whole."""
        return [clip_heard(waveform, self.padding)]

    def embed_waveforms(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` as `[clips, 768]` or `[clips, 64, 768]`."""
        spectrograms = self.spectrogram(waveforms)
        frames = spectrograms.shape[1]
        if frames <= FRAMES:
            return self._pool(self.network(spectrograms))
        # The last crop ends before the clip does, as in the authors' code.
        starts = range(0, max(1, frames - FRAMES - 1), CROP_STEP)
        crops = [self._pool(self.network(spectrograms[:, at : at + FRAMES])) for at in starts]
        return torch.stack(crops).mean(dim=0)

    def _pool(self, tokens: Tensor) -> Tensor:
        """Average tokens `[clips, 8, 8, 768]`, or put them in order of time."""
        if self.output == "vector":
            return tokens.mean(dim=(1, 2))
        # Rows are quarters of the clip, halves of the bands; columns are time.
        halves = tokens.reshape(-1, QUARTERS, CELLS // QUARTERS, CELLS, self.width)
        return halves.transpose(2, 3).reshape(-1, CELLS * CELLS, self.width)
