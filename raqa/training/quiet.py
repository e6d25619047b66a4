"""Lightning without its banners, and without traces in the process that called it."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_CUBLAS = "CUBLAS_WORKSPACE_CONFIG"  # Lightning sets it for deterministic algorithms

_TALKATIVE = ("utilities.rank_zero", "trainer.connectors.checkpoint_connector")


@contextmanager
def quiet_lightning() -> Iterator[None]:
    """Drop Lightning's notices (devices found, tips, limits reached) and three known warnings."""
    notices = [logging.getLogger(f"pytorch_lightning.{name}") for name in _TALKATIVE]
    for logger in notices:
        logger.addFilter(_above_info)
    try:
        with warnings.catch_warnings():
            # accelerator=cpu on a machine with a GPU is the user's choice.
            warnings.filterwarnings("ignore", message="GPU available but not used")
            # A login node has srun; how runs are started there is the launcher's business.
            warnings.filterwarnings("ignore", message="The `srun` command is available")
            # Lightning 2.6's own use of a name that torch 2.14 is about to drop.
            warnings.filterwarnings("ignore", message=r"`isinstance\(treespec, LeafSpec\)`")
            yield
    finally:
        for logger in notices:
            logger.removeFilter(_above_info)


@contextmanager
def torch_flags_restored() -> Iterator[None]:
    """Give back the process-wide switches that a deterministic Trainer sets.

    Within, new memory is not filled: nothing reads it before it is written, and filling costs a
    tenth of the time of a small head.
    """
    filling = torch.utils.deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    deterministic = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    benchmark, workspace = torch.backends.cudnn.benchmark, os.environ.get(_CUBLAS)
    try:
        yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = filling  # type: ignore[attr-defined]
        torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)
        torch.backends.cudnn.benchmark = benchmark
        if workspace is None:
            os.environ.pop(_CUBLAS, None)
        else:
            os.environ[_CUBLAS] = workspace


def _above_info(record: logging.LogRecord) -> bool:
    return record.levelno > logging.INFO
