"""What cells need that a download brings: label tables with audio, and published weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hydra.utils import get_class
from omegaconf import DictConfig

from raqa.errors import UserError
from raqa.run import read_sided

if TYPE_CHECKING:
    from raqa.configuration.build import Experiment


@dataclass(frozen=True)
class Need:
    """One thing that cells of a recipe need.

    Attributes:
        absent: why it can not be used and how to get it; empty: it is there.
    """

    kind: Literal["corpus", "weights"]
    name: str
    absent: tuple[str, ...] = ()


def weights_need(config: DictConfig, name: str) -> Need | None:
    """The published weights that an encoder would load; None: it loads none. Nothing is fetched.

    Args:
        name: the encoder in conf/encoder.
    """
    if config.encoder.get("weights") != "hub":
        return None
    kind = get_class(config.encoder._target_)
    if hasattr(kind, "published"):
        here = kind.published.source.cached() is not None
        way = f"`raqa weights fetch {name}` fetches them"
    else:
        name = str(config.encoder.get("model", name))
        here = Path(name).is_dir() or _in_hub_cache(name, config.encoder.get("revision"))
        way = "they are fetched when they are first used"
    return Need("weights", name, () if here else (f"not in the cache; {way}.",))


def untrained(config: DictConfig) -> DictConfig:
    """The same config with random weights, to check everything but weights that are absent."""
    changed = config.copy()
    changed.encoder.weights = "random"
    return changed


def corpus_need(experiment: Experiment) -> Need:
    """The corpus of an experiment, and what is wrong with the files of it that are here.

    Raises:
        UserError: the cohort's filters do not fit the corpus.
    """
    corpus = experiment.corpus
    try:
        everything = corpus.read()
    except UserError as error:
        return Need("corpus", corpus.name, error.problems)
    if experiment.cohort.apply(everything).table["audio"].any():
        return Need("corpus", corpus.name)
    try:
        read_sided(experiment)
    except UserError as error:
        return Need("corpus", corpus.name, error.problems)
    return Need("corpus", corpus.name)


def _in_hub_cache(model: str, revision: str | None) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(model, "config.json", revision=revision), str)
