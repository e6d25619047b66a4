"""What a half-done fit belongs to: only the very same fit may go on with it."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from raqa.heads.base import GradientHead
from raqa.heads.data import FitData
from raqa.training.settings import TrainerSettings

LIBRARIES = ("torch", "pytorch-lightning", "numpy")
ROOMS = ("heads", "training")  # rooms of raqa whose every line can move a number of a fit


def fingerprint(
    head: GradientHead,
    data: FitData,
    seeds: Sequence[int],
    settings: TrainerSettings,
    accelerator: str,
) -> dict[str, str]:
    """Name everything that decides the numbers of a fit besides the number of threads.

    Args:
        accelerator: what the fit runs on ("cpu", "cuda"), whatever the settings leave open.

    Returns:
        digests by what they are of, in words for the user.
    """
    return fingerprint_of(
        head,
        seeds,
        settings,
        data=_data_digest(data),
        device=accelerator,
        software=software(type(head)),
    )


def fingerprint_of(
    head: object, seeds: Sequence[int], settings: TrainerSettings, **others: Any
) -> dict[str, str]:
    """The same of any head, given what else decides the numbers, by name."""
    recipe = asdict(settings)
    numbers = {name: recipe[name] for name in recipe.keys() - {"accelerator", "devices"}}
    kind = type(head)
    facts: Mapping[str, Any] = {
        "head": [kind.__module__, kind.__qualname__, repr(head)],
        "settings": sorted(numbers.items()),
        "seeds": list(seeds),
        **others,
    }
    return {name: hashlib.sha256(repr(fact).encode()).hexdigest() for name, fact in facts.items()}


def _data_digest(data: FitData) -> str:
    digest = hashlib.sha256(repr((data.classes, data.epoch_recordings)).encode())
    sides = (data.train_inputs, data.train_labels, data.validation_inputs, data.validation_labels)
    for array in sides:
        digest.update(f"{array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def software(
    head: type[object], libraries: Sequence[str] = LIBRARIES, rooms: Sequence[str] = ROOMS
) -> list[str]:
    """Versions of libraries, and the code itself: a checkout changes without a new version."""
    root = Path(__file__).parents[1]
    files = sorted(file for room in rooms for file in (root / room).glob("*.py"))
    own = inspect.getsourcefile(head)  # a head may come from elsewhere
    digests = [
        hashlib.sha256(file.read_bytes()).hexdigest()
        for file in [*files, *([Path(own)] if own else [])]
    ]
    return [*(f"{name} {version(name)}" for name in libraries), *digests]
