"""The one owner of Slurm's signals in a task: save what there is, and go back into the queue.

USR2 comes before a time limit: the task is to be requeued. TERM comes when a job is cancelled or
preempted: it only saves, for whether it is requeued is Slurm's decision then.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from raqa.sweeps.slurm import scheduler

SIGNALS = (signal.SIGUSR2, signal.SIGTERM)
CANCELLED = 128 + signal.SIGTERM


def _nothing(number: int, frame: FrameType | None) -> None:
    """Nothing: a signal's number comes through a pipe, in whatever the main thread is."""


class Interruption:
    """Listens for the signals from the moment it is made.

    A thread reads them from a pipe, so that they are heard at once, whatever the main thread
    computes and whichever thread of a library they happen to reach.

    Args:
        patience_s: how long the work may take to stop by itself; then the process ends anyway.
        requeues: how often the task may go back into the queue.
        leave: gives up what the process holds.
        failed: told why the task can not go back.
    """

    def __init__(
        self,
        patience_s: float,
        requeues: int,
        leave: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        self.patience_s = patience_s
        self.requeues = requeues
        self._leave = leave
        self._failed = failed
        self._asked = threading.Event()
        self._once = threading.Lock()
        self._again = False
        self._pipe, written = os.pipe()
        os.set_blocking(written, False)
        signal.set_wakeup_fd(written)
        for number in SIGNALS:
            signal.signal(number, _nothing)
        threading.Thread(target=self._listen, daemon=True).start()

    def asked(self) -> bool:
        """Whether the work is to stop; what trains asks this after each epoch."""
        return self._asked.is_set()

    def end(self) -> None:
        """End this process, back into the queue where that was asked for; does not return."""
        self._once.acquire()  # never given back: the first to come ends the process
        status = self._requeue() if self._again else CANCELLED
        self._leave()
        print(f"stopped with status {status}", flush=True)
        os._exit(status)

    def _requeue(self) -> int:
        """Go back into the queue; the exit status."""
        restarts = int(os.environ.get("SLURM_RESTART_COUNT", "0"))
        if restarts >= self.requeues:
            refused = f"requeued {restarts} times already (hydra.launcher.max_num_timeout)"
        else:
            print(f"requeue {restarts + 1} of at most {self.requeues}", flush=True)
            # Not SLURM_JOB_ID: one task of an array has that of the array, and would requeue all.
            task = f"{os.environ['SLURM_ARRAY_JOB_ID']}_{os.environ['SLURM_ARRAY_TASK_ID']}"
            refused = scheduler.requeue(task)
        if refused:
            self._failed(f"stopped by its time limit and not requeued: {refused}.")
        return 1 if refused else 0

    def _listen(self) -> None:
        received = 0
        while received not in SIGNALS:  # others have owners of their own
            received = os.read(self._pipe, 1)[0]
        self._again = received == signal.SIGUSR2
        print(f"{signal.Signals(received).name}: stopping", file=sys.stderr, flush=True)
        self._asked.set()
        time.sleep(self.patience_s)
        self.end()
