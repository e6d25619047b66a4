"""Signals that ask a command to stop: after the epoch where a head is trained, else at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

from raqa.training.interrupt import StoppedError

SIGNALS = ("SIGTERM", "SIGUSR2")  # of kill and of batch systems; Windows lacks the second


class StopRequest:
    """Whether a signal has asked to stop; it hears them within its `with` block.

    Calling it tells. Once a fit has called it the signal only sets it, for the fit will call
    again after the epoch. Before that nothing would be lost, and waiting for an extraction of
    hours would exceed any batch system's patience: the signal raises StoppedError where it is.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __call__(self) -> bool:
        """Tell whether a signal has asked to stop; it will be asked again after the epoch."""
        self._asked = True
        return self.received is not None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # others may not listen
            for name in SIGNALS:
                number = getattr(signal, name, None)
                if number is not None:
                    self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while self._before:
            signal.signal(*self._before.popitem())

    def _hear(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self.received = number
        if not self._asked:
            raise StoppedError("before a first epoch was complete")
