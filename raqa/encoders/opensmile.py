"""openSMILE's hand-made feature sets, the field's yardstick from before foundation models."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import torch
from pydantic import validate_call
from torch import Tensor

from raqa.encoders.base import Encoder, OutputKind
from raqa.errors import UserError

FeatureSet = Literal["eGeMAPSv02", "ComParE_2016"]


class OpenSmile(Encoder):
    """eGeMAPS (Eyben et al. 2016) or ComParE 2016 features, computed by openSMILE on the CPU.

    openSMILE is an optional extra because its licence allows research and teaching only.

    Args:
        features: "eGeMAPSv02" (88 functionals, 25 values a frame) or "ComParE_2016" (6373, 65).
        output: "vector": functionals of the whole clip; "frames": the low-level descriptors,
            every 10 ms.

    Raises:
        UserError: the package opensmile is not installed.
    """

    sample_rate = 16_000
    min_s = 0.06  # the window of the pitch tracker

    @validate_call
    def __init__(self, features: FeatureSet = "eGeMAPSv02", output: OutputKind = "vector") -> None:
        super().__init__()
        if find_spec("opensmile") is None:
            raise UserError(
                "encoder=opensmile needs the package opensmile, which is not installed. Its "
                "licence (audEERING Research License) allows research and teaching, nothing "
                "commercial; if that is your use: pip install 'raqa[opensmile]'."
            )
        import opensmile

        level = "Functionals" if output == "vector" else "LowLevelDescriptors"
        self._smile = opensmile.Smile(
            feature_set=opensmile.FeatureSet[features],
            feature_level=opensmile.FeatureLevel[level],
            sampling_rate=self.sample_rate,
        )
        self._settings = {"features": features, "opensmile": opensmile.__version__}
        self.output = output
        self.width = int(self._smile.num_features)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The feature set, and the version of the package that computes it."""
        return self._settings

    def forward(self, waveforms: Tensor) -> Tensor:
        """Embed `[clips, samples]` as `[clips, features]`, or as frames `[clips, frames, ...]`."""
        self.check_input(waveforms)
        values = [
            self._smile.process_signal(clip, self.sample_rate).to_numpy(np.float32)
            for clip in waveforms.cpu().numpy()
        ]
        features = torch.from_numpy(np.stack(values)).to(waveforms.device)
        return features[:, 0] if self.output == "vector" else features
