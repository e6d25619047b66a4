"""From a composed config to the objects of one experiment, checked against each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hydra.errors import HydraException
from hydra.utils import get_class, instantiate
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import ValidationError

from raqa.configuration.folder import config_folder, group_choices
from raqa.configuration.reuse import reuse_encoder
from raqa.configuration.unused import EMBEDDING, uses_embeddings
from raqa.errors import UserError

if TYPE_CHECKING:
    from raqa.answering.base import QuestionHead
    from raqa.audio.clip import ClipPolicy
    from raqa.corpora.base import Corpus
    from raqa.corpora.cohort import Cohort
    from raqa.embeddings.extract import EmbedSettings
    from raqa.encoders.base import Encoder
    from raqa.heads.base import Head
    from raqa.judges.base import Judge
    from raqa.regimes.base import Regime
    from raqa.regimes.split import Split
    from raqa.regimes.task import Task
    from raqa.reports.tracking import Tracker
    from raqa.tables import TaskKind
    from raqa.training.settings import TrainerSettings


@dataclass(frozen=True)
class Experiment:
    """Everything one run is made of, one object for each config group.

    Attributes:
        encoder, clip, embed: None where the head is given no embeddings.
        judge: of an exam's answers; None: rules.
    """

    corpus: Corpus
    cohort: Cohort
    task: Task
    encoder: Encoder | None
    clip: ClipPolicy | None
    embed: EmbedSettings | None
    head: Head | QuestionHead
    regime: Regime
    split: Split
    trainer: TrainerSettings
    logger: Tracker
    seeds: tuple[int, ...]
    judge: Judge | None = None


# Where each object stands in the config. Cheap ones first: the encoder may have to load weights.
_NODES = {
    "corpus": "datamodule.corpus",
    "cohort": "datamodule.cohort",
    "task": "task",
    "clip": "clip",
    "embed": "embed",
    "head": "head",
    "regime": "regime",
    "split": "split",
    "trainer": "trainer",
    "logger": "logger",
    "judge": "judge",
    "encoder": "encoder",
}


# What pydantic adds to a setting's path to tell which of several types it tried.
_ALTERNATIVE = re.compile(
    r"int|float|bool|str|constrained-\w+|(literal|tuple|list|dict|function-\w+)\[.*\]"
)

# Hydra's own words for where an object stands that could not be built.
_PLACE = re.compile(r"^full_key: (\S+)$", re.MULTILINE)


def build(config: DictConfig) -> Experiment:
    """Build and cross-check everything; no file of a corpus is opened.

    Raises:
        UserError: naming every setting that is wrong and every pair that does not fit.
    """
    problems: list[str] = []
    parts: dict[str, Any] = {}
    unused = {*(() if uses_embeddings(config) else EMBEDDING)}
    unused |= {"judge"} if config.get("judge") is None else set()
    for name, path in _NODES.items():
        if name in unused:
            parts[name] = None
            continue
        try:
            parts[name] = build_node(config, path)
        except UserError as error:
            problems += error.problems
    try:
        parts["seeds"] = parse_seeds(config.seeds)
    except UserError as error:
        problems += error.problems
    if problems:
        raise UserError(problems)
    experiment = Experiment(**parts)
    problems = list(_misfits(experiment))
    if config.get("responder") is not None and not hasattr(experiment.head, "responder"):
        problems.append(
            f"responder: {type(experiment.head).__name__} asks nobody. Set head=zero_shot."
        )
    if experiment.judge is not None and experiment.task.kind != "exam":
        problems.append(
            f"judge: task={experiment.task.target} has no answers to be judged, only task=exam "
            "has. Leave it out."
        )
    if problems:
        raise UserError(problems)
    return experiment


def build_node(config: DictConfig, path: str) -> Any:
    """Build the object at a dotted path, turning every kind of refusal into a UserError."""
    node = OmegaConf.select(config, path)
    group = path.split(".", maxsplit=1)[0]
    if not isinstance(node, DictConfig):
        raise UserError(f"{group}={node}: one has to be chosen; see --help for the choices.")
    try:
        if path == "encoder":
            return reuse_encoder(node, lambda: instantiate(node, _convert_="all"))
        return instantiate(node, _convert_="all")
    except ValidationError as error:
        raise UserError(list(_validation(path, error))) from error
    except (HydraException, OmegaConfBaseException) as error:
        raise UserError(list(_causes(path, error))) from error


def parse_seeds(value: Any) -> tuple[int, ...]:
    """Read `seeds`: a count (0, 1, ...) or a list of different non-negative integers."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return tuple(range(value))
    listed = list(value) if isinstance(value, ListConfig | list | tuple) else []
    valid = all(isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in listed)
    if not listed or not valid or len(set(listed)) != len(listed):
        raise UserError(
            f"seeds={value}: expected how many seeds (1 or more), "
            "or a list of different seeds such as seeds=[0,3]."
        )
    return tuple(listed)


def check_clip(encoder: Encoder, clip: ClipPolicy) -> None:
    """Refuse a clip policy whose clips the encoder does not take.

    Raises:
        UserError: naming what it takes.
    """
    from raqa.embeddings.extract import clip_problem  # imports torch

    if problem := clip_problem(encoder, clip):
        raise UserError(problem)


def heads_for(kind: TaskKind) -> list[str]:
    """The shipped heads that can do a kind of task."""
    able = []
    for choice in group_choices("head"):
        head: type[Head | QuestionHead] = get_class(target_of("head", choice))
        if kind in head.kinds:
            able.append(choice)
    return able


def target_of(group: str, choice: str) -> str:
    """The class that a shipped choice builds, its own or that of the choice it starts from."""
    shipped: Any = OmegaConf.load(config_folder() / group / f"{choice}.yaml")
    return str(shipped.get("_target_") or target_of(group, shipped.defaults[0]))


def _causes(path: str, error: BaseException) -> Iterable[str]:
    """What lies behind an error of Hydra's, in the user's words."""
    cause = error.__cause__
    if place := _PLACE.search(str(error)):  # of an object within this one
        path = place[1].replace("head.responder", "responder")  # which the head takes from there
    if isinstance(cause, ValidationError):
        yield from _validation(path, cause)
    elif isinstance(cause, UserError):
        of_judge = path.startswith("judge.responder")
        yield from (f"judge.{one}" if of_judge else one for one in cause.problems)
    else:
        yield f"{path}: {' '.join(str(cause or error).split())}"


def _validation(path: str, error: ValidationError) -> Iterable[str]:
    refused: dict[str, list[str]] = defaultdict(list)
    for fault in error.errors():
        parts = [str(part) for part in fault["loc"] if not _ALTERNATIVE.fullmatch(str(part))]
        where = ".".join([path, *parts])
        given = fault["input"]
        if fault["type"] in {"unexpected_keyword_argument", "extra_forbidden"}:
            yield f"{where}: {error.title} has no such setting."
        elif fault["type"] in {"missing", "missing_argument", "missing_keyword_only_argument"}:
            yield f"{where}: has to be set."
        else:
            message = fault["msg"].removeprefix("Value error, ")
            refused[f"{where}={given}"].append(f"{message[:1].lower()}{message[1:]}")
    for setting, messages in refused.items():
        yield f"{setting}: {', or '.join(messages)}"


def _misfits(experiment: Experiment) -> Iterable[str]:
    corpus, task = experiment.corpus, experiment.task
    if task.kind == "exam" or "exam" in corpus.attributes:
        yield from _exam_misfits(experiment)
    elif task.kind != "questions" and task.target not in corpus.attributes:
        have = ", ".join(corpus.attributes) or f"none yet ({corpus.how_to_get})"
        yield f"task={task.target}: {corpus.name} has no such label. Its labels: {have}."
    else:
        yield from experiment.regime.problems(corpus, task)
    if task.kind not in experiment.head.kinds:
        able = ", ".join(heads_for(task.kind))
        yield (
            f"head: {type(experiment.head).__name__} does no {task.kind}, which task="
            f"{task.target} is. Heads that do: {able}."
        )
    yield from _unused(experiment)
    yield from _embedding_misfits(experiment)


def _exam_misfits(experiment: Experiment) -> Iterable[str]:
    """What does not go with an exam, which is asked as a whole and never trained on."""
    from raqa.regimes.split import Auto, Official

    task, corpus = experiment.task, experiment.corpus
    if task.kind != "exam":
        yield f"datamodule: {corpus.name} is an exam: its questions are asked with task=exam."
        return
    if task.target not in corpus.attributes:
        yield (
            f"task=exam asks an exam's questions, and {corpus.name} is none: set datamodule=exam "
            "datamodule.corpus.file=FILE, or datamodule=demo_exam."
        )
    if experiment.regime.name != "within":
        yield f"regime={experiment.regime.name}: an exam is not trained on. Set regime=within."
    if not isinstance(experiment.split, Auto | Official):
        yield "split: an exam is asked as a whole. Leave split=auto."


def _embedding_misfits(experiment: Experiment) -> Iterable[str]:
    encoder, clip, embed = experiment.encoder, experiment.clip, experiment.embed
    if encoder is None or clip is None or embed is None:
        return
    try:
        check_clip(encoder, clip)
    except UserError as error:
        yield from error.problems
    if embed.shard is not None:
        yield "embed.shard: parts of a corpus can be embedded (`raqa embed`), not trained on."
    if encoder.output != "vector" and not experiment.head.takes_frames:
        head = type(experiment.head).__name__
        yield (
            f"encoder.output={encoder.output}: {head} takes one vector a recording. "
            "Set encoder.output=vector."
        )


def _unused(experiment: Experiment) -> Iterable[str]:
    """Settings that would change nothing with the other choices."""
    from raqa.answering.base import QuestionHead
    from raqa.heads.base import DirectHead  # imports torch
    from raqa.training.settings import processes

    if experiment.trainer.calibration and isinstance(experiment.head, QuestionHead):
        yield (
            f"trainer.calibration={experiment.trainer.calibration:g}: subjects are held back for "
            f"an interval around predicted numbers. {type(experiment.head).__name__} answers "
            "questions and gives none, so nothing would be held back. Set trainer.calibration=0."
        )
    if experiment.regime.settings().get("equal_updates") and isinstance(
        experiment.head, DirectHead
    ):
        yield (
            f"regime.equal_updates=true: {type(experiment.head).__name__} is not trained in "
            "updates, so this would change nothing."
        )
    if processes(experiment.trainer) > 1 and not experiment.head.several_devices:
        yield (
            f"trainer.devices={experiment.trainer.devices}: {type(experiment.head).__name__} is "
            "too small to be worth several devices. Set trainer.devices=1, or the number of one "
            "GPU in brackets."
        )
