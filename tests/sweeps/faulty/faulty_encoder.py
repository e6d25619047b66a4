"""An encoder that fails on demand, to see what a sweep does then."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from raqa.encoders.mel_stats import MelStats
from raqa.errors import UserError


class Faulty(MelStats):
    """Mel statistics, except for the fault."""

    def __init__(self, fault: str, unless: str | None) -> None:
        super().__init__()
        self.fault = fault
        self.unless = unless

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**super().settings, "fault": self.fault}

    def forward(self, waveforms: Tensor) -> Tensor:
        if self.unless is None or not Path(self.unless).exists():
            if self.fault == "raise":
                raise RuntimeError("the disk is full of [bold]cats[/bold]")
            if self.fault == "refuse":
                raise UserError("this clip is not for me")
            if self.fault == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
        return super().forward(waveforms)
