"""Fits that go on where they were stopped, and end as if they had not been."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning
from lightning_fabric.plugins.io.checkpoint_io import CheckpointIO
from pytorch_lightning.callbacks import Callback

from raqa.errors import UserError
from raqa.training.head_file import read_arrays, write_arrays
from raqa.training.interrupt import StoppedError
from raqa.training.plain_state import from_plain, to_plain

EVERY_S = 30.0
"""Seconds of training that a killed process loses at most, besides the epoch it was in."""

LARGEST_SHARE = 0.02
"""Of the time that writing may take: large heads are written less often."""

Say = Callable[[str], None]


class CheckpointFile(CheckpointIO):
    """Lightning's checkpoint as safetensors and JSON; it appears whole or not at all.

    Args:
        path: the file; its folder is made where it is missing.
        fingerprint: of the fit that it belongs to.
        say: tells the user why a checkpoint is not used, or could not be written.
    """

    def __init__(self, path: Path, fingerprint: Mapping[str, str], say: Say) -> None:
        self.path, self.fingerprint, self.say = path, dict(fingerprint), say
        self._state: dict[str, Any] = {}

    def found(self) -> bool:
        """Read the file; False: there is none, it is damaged, or it is another fit's."""
        if not self.path.exists():
            return False
        try:
            arrays, facts = read_arrays(self.path)
            theirs, tree = facts["fingerprint"], facts["state"]
            if theirs == self.fingerprint:
                self._state = from_plain(arrays, tree)
                return True
        except (UserError, KeyError, TypeError, ValueError, AttributeError):
            self.say(f"{self.path} is damaged; training begins anew.")
            return False
        others = [name for name in self.fingerprint if theirs.get(name) != self.fingerprint[name]]
        self.say(f"{self.path} is of other {', '.join(others)}; training begins anew.")
        return False

    def save_checkpoint(
        self,
        checkpoint: dict[str, Any],
        path: str | Path,
        storage_options: Any = None,  # noqa: ARG002
    ) -> None:
        """Write what Lightning collected.

        The progress of its loops is left out: continued from it, Lightning 2.6 trains nothing in
        the first epoch. The number of epochs says it all, since only whole epochs are written.
        """
        arrays, tree = to_plain({key: checkpoint[key] for key in checkpoint if key != "loops"})
        write_arrays(Path(path), arrays, {"fingerprint": self.fingerprint, "state": tree})

    def load_checkpoint(
        self,
        path: str | Path,  # noqa: ARG002
        map_location: Any = None,  # noqa: ARG002
        weights_only: bool | None = None,  # noqa: ARG002 - nothing else than data is ever read
    ) -> dict[str, Any]:
        """Hand over what `found` has read."""
        state, self._state = self._state, {}
        return state

    def remove_checkpoint(self, path: str | Path) -> None:
        """Remove the file."""
        Path(path).unlink(missing_ok=True)


class Pace:
    """When a checkpoint is due, and writing it.

    Args:
        clock: seconds, of any beginning.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._written, self._cost = clock(), 0.0

    @property
    def due(self) -> bool:
        """Whether enough time has gone by since the last one, given what it took to write."""
        return self._clock() - self._written >= max(EVERY_S, self._cost / LARGEST_SHARE)

    def write(self, trainer: lightning.Trainer, file: CheckpointFile) -> None:
        """Write a checkpoint; a full disk is told, and does not end the training."""
        begun = self._clock()
        try:
            trainer.save_checkpoint(file.path)
        except OSError as error:
            file.say(f"{file.path} could not be written ({error.strerror or error}).")
        self._written = self._clock()
        self._cost = self._written - begun


class SignalOwner:
    """Leaves SIGTERM to whoever had it: Lightning would end the fit after the next batch."""

    def __init__(self) -> None:
        self._terminated = signal.getsignal(signal.SIGTERM)

    def restore(self) -> None:
        """Give the signal back; of a thread it is none of its business."""
        if threading.current_thread() is threading.main_thread() and self._terminated is not None:
            signal.signal(signal.SIGTERM, self._terminated)


class Stopping(Callback):
    """After each epoch: writes the checkpoint now and then, and stops when asked to.

    Args:
        file: None: nothing is written.
        stop: asked after each epoch whether to stop.
        clock: seconds, of any beginning.
    """

    def __init__(
        self,
        file: CheckpointFile | None,
        stop: Callable[[], bool] | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.file, self.stop, self.pace = file, stop, Pace(clock)
        self._signal = SignalOwner()

    def on_load_checkpoint(
        self,
        trainer: lightning.Trainer,
        pl_module: lightning.LightningModule,  # noqa: ARG002
        checkpoint: dict[str, Any],
    ) -> None:
        """Go on with the epoch after the last one that is in the checkpoint."""
        progress = trainer.fit_loop.epoch_progress
        progress.increment_by(checkpoint["epoch"] + 1)  # counted from 0

    def on_train_start(self, *_: Any) -> None:
        """Leave SIGTERM to whoever had it."""
        self._signal.restore()

    def on_train_epoch_end(self, trainer: lightning.Trainer, _: lightning.LightningModule) -> None:
        """Judge the epoch that is complete, with its validation.

        Raises:
            StoppedError: as asked; it says after which epoch.
        """
        stopping = self.stop is not None and self.stop()
        if self.file is not None and (stopping or self.pace.due):
            self.pace.write(trainer, self.file)
        if stopping:
            raise StoppedError(f"after epoch {trainer.current_epoch + 1}")
