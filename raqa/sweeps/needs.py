"""What cells need that a download brings: label tables with audio, and published weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hydra.utils import get_class
from omegaconf import DictConfig, OmegaConf

from raqa.configuration.reuse import read_corpus
from raqa.errors import UserError
from raqa.gather import read_cohort
from raqa.regimes.base import Source

if TYPE_CHECKING:
    from raqa.configuration.build import Experiment
    from raqa.encoders.published import Published
    from raqa.responders.base import Responder

_TEXT_MODELS = ("head.text_encoder", "head.language_model", "task.bertscore")


@dataclass(frozen=True)
class Need:
    """One thing that cells of a recipe need.

    Attributes:
        absent: why it can not be used and how to get it; empty: it is there.
    """

    kind: Literal["corpus", "questions", "weights"]
    name: str
    absent: tuple[str, ...] = ()


def weights_need(config: DictConfig, name: str) -> Need | None:
    """The published weights that an encoder would load; None: it loads none, or there is none.

    Nothing is fetched.

    Args:
        name: the encoder in conf/encoder.
    """
    if config.encoder is None or config.encoder.get("weights") != "hub":
        return None
    kind = get_class(config.encoder._target_)
    if hasattr(kind, "published"):
        here = kind.published.source.cached() is not None
        way = f"`raqa weights fetch {name}` fetches them."
    else:
        name = str(config.encoder.get("model", name))
        here = Path(name).is_dir() or _in_hub_cache(name, config.encoder.get("revision"))
        way = "they are fetched when they are first used."
    return Need("weights", name, _absent(here, way))


def text_model_needs(config: DictConfig) -> tuple[Need, ...]:
    """The language models that a cell would load; a finished run is known without them."""
    found = []
    for key in _TEXT_MODELS:
        node = OmegaConf.select(config, key)
        if node is None or node.get("model") is None:
            continue
        name = str(node.model)
        here = Path(name).is_dir() or _in_hub_cache(name, node.get("revision"))
        way = f"fetched when it is first used, or give a folder with {key}.model=DIR."
        found.append(Need("weights", name, _absent(here, way)))
    return tuple(found)


def responder_needs(config: DictConfig) -> tuple[Need, ...]:
    """What a responder on this machine would load; a finished run is known without it.

    Nothing is fetched.
    """
    node = config.get("responder")
    if node is None:
        return ()
    kind: type[Responder] = get_class(node._target_)
    found = []
    if kind.published is not None:
        given = node.get(kind.published.setting.removeprefix("responder."))
        found.append(Need("weights", kind.published.name, _checkpoint(kind.published, given)))
    for setting in kind.fetched:
        name = str(node[setting])
        here = Path(name).is_dir() or _in_hub_cache(name, node.get("revision"))
        way = f"fetched when it is first used, or give a folder with responder.{setting}=DIR."
        found.append(Need("weights", name, _absent(here, way)))
    return tuple(found)


def _checkpoint(published: Published, given: str | None) -> tuple[str, ...]:
    """What is wrong with a checkpoint: the user's own, or the fetched one."""
    if given is not None:
        return () if Path(given).expanduser().is_file() else (f"{given} is no file.",)
    here = published.source.cached() is not None
    return _absent(here, f"`raqa weights fetch {published.name}` fetches them.")


def _absent(here: bool, way: str) -> tuple[str, ...]:
    return () if here else (f"not in the cache; {way}",)


def untrained(config: DictConfig) -> DictConfig:
    """The same config with random weights, to check everything but weights that are absent."""
    changed = config.copy()
    changed.encoder.weights = "random"
    return changed


def corpus_needs(experiment: Experiment) -> tuple[Need, ...]:
    """The corpora of an experiment, and what is wrong with the files of them that are here.

    Raises:
        UserError: a cohort's filters do not fit its corpus.
    """
    first = Source(experiment.corpus, experiment.cohort)
    return tuple(_corpus_need(source) for source in (first, *experiment.regime.others))


def question_needs(experiment: Experiment) -> tuple[Need, ...]:
    """The collection whose questions are asked, where that is not the datamodule's own."""
    from raqa.questions.collection import FACTS, Collection
    from raqa.questions.task import QuestionTask

    task = experiment.task
    if not isinstance(task, QuestionTask) or task.collection is None:
        return ()
    folder = task.collection
    if folder == experiment.corpus.place:
        return ()
    if not (folder / FACTS).is_file():
        way = (
            f"there are none. `raqa qa sample COLLECTION --out {folder}` chooses a subset of what "
            "`raqa qa build` wrote."
        )
        return (Need("questions", str(folder), (way,)),)
    try:
        Collection.open(folder)
    except UserError as error:
        return (Need("questions", str(folder), error.problems),)
    return (Need("questions", str(folder)),)


def _corpus_need(source: Source) -> Need:
    corpus = source.corpus
    try:
        everything = read_corpus(corpus)
    except UserError as error:
        return Need("corpus", corpus.name, error.problems)
    source.cohort.apply(everything)
    try:
        read_cohort(source)
    except UserError as error:
        return Need("corpus", corpus.name, error.problems)
    return Need("corpus", corpus.name)


def _in_hub_cache(model: str, revision: str | None) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(model, "config.json", revision=revision), str)
