"""Parts of a config that a head makes no use of are taken out: they decide nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.utils import get_class
from omegaconf import DictConfig, OmegaConf

EMBEDDING = ("encoder", "clip", "embed")
"""Groups that say how recordings are embedded."""

NO_ENCODER = "none"
"""The choice that stands for the encoder of a run whose head is given no embeddings."""


def without_unused(
    config: DictConfig, choices: Mapping[str, str]
) -> tuple[DictConfig, dict[str, str]]:
    """A copy of a composed config in which null stands for what its head makes no use of.

    Runs that differ only there are one run. What was taken out before stays so.

    Args:
        choices: which choice each config group has ("encoder": "mel_stats").
    """
    named = dict(choices)
    if uses_embeddings(config):
        return config, named
    settled = config.copy()
    for group in EMBEDDING:
        settled[group] = None
        named[group] = NO_ENCODER
    return settled, named


def uses_embeddings(config: DictConfig) -> bool:
    """Whether the chosen head is given embeddings; a head that can not be found counts as one."""
    target = OmegaConf.select(config, "head._target_")
    try:
        head: Any = get_class(str(target))
    except Exception:  # whatever importing it raises is told where the head is built
        return True
    return bool(head.uses_embeddings)
