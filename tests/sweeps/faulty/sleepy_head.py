"""A head that needs longer than its job may take, until the job has been requeued."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from pydantic.dataclasses import dataclass
from torch import Tensor

from raqa.heads.mlp import MLPHead, StackedMLP


class _Sleepy(StackedMLP):
    seconds = 0.0

    def forward(self, inputs: Tensor) -> Tensor:
        if self.training and os.environ.get("SLURM_RESTART_COUNT", "0") == "0":
            time.sleep(self.seconds if "SLURM_JOB_ID" in os.environ else 0.0)
        return super().forward(inputs)


@dataclass(frozen=True)
class SleepyHead(MLPHead):
    """A linear head with pauses."""

    seconds: float = 0.0

    def build(self, width: int, seeds: Sequence[int], outputs: int = 1) -> StackedMLP:
        model = _Sleepy([width, outputs], seeds, dropout=0.0, activation="relu")
        model.seconds = self.seconds
        return model
