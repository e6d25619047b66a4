"""After each step and epoch of a seed: best weights, early stopping, checkpoints, stops."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning
from pytorch_lightning.callbacks import Callback
from torch import Tensor

from raqa.answering.soft_prefix.loaders import Position
from raqa.answering.soft_prefix.module import SoftPrefixModule
from raqa.training.checkpoint import CheckpointFile, Pace, Say, SignalOwner
from raqa.training.head_file import write_arrays
from raqa.training.interrupt import StoppedError
from raqa.training.plain_state import to_plain

Row = tuple[int, int, float | None, float | None]
"""A row of HISTORY."""


@dataclass(frozen=True)
class Events:
    """Whom a training tells what happens, and asks whether to stop."""

    epoch: Callable[[Row], None]
    step: Callable[[int, int, int, int], None]  # seed, epoch from 1, steps done, steps
    say: Say
    stop: Callable[[], bool] | None = None


@dataclass
class Finished:
    """What a seed's training has left."""

    best: dict[str, Tensor]
    rows: list[Row] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """As a state that a checkpoint can hold."""
        return {"best": self.best, "rows": self.rows}


class SeedsFile(CheckpointFile):
    """A checkpoint of seeds trained one after another: those that are done, and the one at work.

    Attributes:
        finished: by seed.
        seed: the one at work.
    """

    def __init__(self, path: Path, fingerprint: Mapping[str, str], say: Say) -> None:
        super().__init__(path, fingerprint, say)
        self.finished: dict[int, Finished] = {}
        self.seed: int | None = None

    def found(self) -> bool:
        """Read the file, if it is this fit's; `finished` and `seed` then tell what it holds."""
        if not super().found():
            return False
        self.seed = self._state["seed"]
        self.finished = {
            seed: Finished(left["best"], [tuple(row) for row in left["rows"]])
            for seed, left in self._state["finished"].items()
        }
        return True

    def save_checkpoint(
        self,
        checkpoint: dict[str, Any],
        path: str | Path,
        storage_options: Any = None,  # noqa: ARG002
    ) -> None:
        """Write what Lightning collected of the seed at work, and the seeds that are done."""
        kept = {key: value for key, value in checkpoint.items() if key != "loops"}
        done = {seed: left.plain() for seed, left in self.finished.items()}
        arrays, tree = to_plain({**kept, "seed": self.seed, "finished": done})
        write_arrays(Path(path), arrays, {"fingerprint": self.fingerprint, "state": tree})


class Selection(Callback):
    """Keeps a seed's best epoch, ends its training, writes checkpoints and stops when asked.

    All processes take every decision together, the first one's.

    Args:
        file: None: nothing is written.
    """

    def __init__(
        self,
        seed: int,
        patience: int,
        *,
        position: Position,
        file: SeedsFile | None,
        events: Events,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seed, self.patience, self.position = seed, patience, position
        self.file, self.events, self.pace = file, events, Pace(clock)
        self.left = Finished({})
        self._waited = 0
        self._signal = SignalOwner()

    @property
    def over(self) -> bool:
        """Whether the seed has waited long enough."""
        return self._waited >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """Everything that a fit which was stopped goes on with."""
        return {
            **self.left.plain(),
            "waited": self._waited,
            "position": [self.position.epoch, self.position.step],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with what `state_dict` gave."""
        rows = [tuple(row) for row in state_dict["rows"]]
        self.left = Finished(state_dict["best"], rows)
        self._waited = state_dict["waited"]
        self.position.epoch, self.position.step = state_dict["position"]

    def on_load_checkpoint(
        self,
        trainer: lightning.Trainer,
        pl_module: lightning.LightningModule,  # noqa: ARG002
        checkpoint: dict[str, Any],
    ) -> None:
        """Let Lightning count the epochs that are complete."""
        states = checkpoint["callbacks"][self.state_key]
        trainer.fit_loop.epoch_progress.increment_by(states["position"][0])

    def on_train_start(self, trainer: lightning.Trainer, _: lightning.LightningModule) -> None:
        """Train nothing where the checkpoint is of a seed that is over."""
        trainer.should_stop = self.over
        self._signal.restore()

    def on_train_batch_end(
        self,
        trainer: lightning.Trainer,
        pl_module: lightning.LightningModule,
        outputs: Any,  # noqa: ARG002
        batch: Any,  # noqa: ARG002
        batch_idx: int,
    ) -> None:
        """Count the step, if the pass was its last; the epoch's last one is judged with it."""
        assert isinstance(pl_module, SoftPrefixModule)
        passes = pl_module.passes
        if (batch_idx + 1) % passes.passes:
            return
        self.position.step += 1
        self.events.step(self.seed, self.position.epoch + 1, self.position.step, passes.steps)
        if self.position.step < passes.steps:
            self._pause(trainer, f"in epoch {self.position.epoch + 1}, after step "
                                 f"{self.position.step} of {passes.steps}")  # fmt: skip

    def on_validation_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule
    ) -> None:
        """Judge the epoch that has just been validated."""
        assert isinstance(pl_module, SoftPrefixModule)
        loss, error = pl_module.train_loss, pl_module.validation_error
        lowest = min((row[3] for row in self.left.rows if row[3] is not None), default=math.inf)
        row = (self.seed, self.position.epoch + 1, _finite(loss), _finite(error))
        self.left.rows.append(row)
        self.events.epoch(row)
        self._waited += 1
        if error < lowest:
            self._waited = 0
            self.left.best = {
                name: one.detach().cpu().clone() for name, one in pl_module.model.trained.items()
            }
        trainer.should_stop = self.over

    def on_train_epoch_end(self, trainer: lightning.Trainer, _: lightning.LightningModule) -> None:
        """Close the epoch, with its validation."""
        self.position.epoch, self.position.step = self.position.epoch + 1, 0
        self._pause(trainer, f"after epoch {self.position.epoch}")

    def _pause(self, trainer: lightning.Trainer, where: str) -> None:
        """Write the checkpoint now and then, and stop when asked to.

        Raises:
            StoppedError: as asked.
        """
        stopping = self.events.stop is not None and self.events.stop()
        stopping, due = trainer.strategy.broadcast((stopping, self.pace.due))
        if self.file is not None and (stopping or due):
            self.pace.write(trainer, self.file)
        if stopping:
            raise StoppedError(f"{where} of seed {self.seed}")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
