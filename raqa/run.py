"""One run, start to finish: read recordings, embed them, fit the head, score it, show it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from raqa.configuration.build import Experiment, build
from raqa.configuration.unused import without_unused
from raqa.corpora.base import Recordings
from raqa.fitting import Fitting, Outcome, fit_labels
from raqa.gather import (
    Embedded,
    count_steps,
    embed_folds,
    make_folds,
    needed_sides,
    read_sided,
    usable_folds,
)
from raqa.identity import Identity, identify, settled
from raqa.regimes.base import Folds
from raqa.regimes.split import write_split
from raqa.reports.calibration import CALIBRATION
from raqa.reports.console import print_run
from raqa.reports.run_folder import RunFolder, read_run
from raqa.reports.run_tables import Run
from raqa.reports.tracking import RunFacts
from raqa.single import check_single

Fitter = Callable[[Fitting, Sequence[Recordings], Folds, RunFacts, Sequence[Any]], Outcome]


@dataclass(frozen=True)
class Prepared:
    """A run that has been checked and named, before anything costly is done.

    Attributes:
        config: composed from conf/train.yaml.
        words: what it is called: corpus, task, encoder, head, regime.
        choices: which choice each config group has ("encoder": "mel_stats").
        recordings: the cohorts with a `side` column: the one of `datamodule`, then the regime's
            others.
        folds: what would be trained and tested, before any audio is opened.
        folder: where its result is or will be.
    """

    config: DictConfig
    choices: Mapping[str, str]
    experiment: Experiment
    words: Mapping[str, str]
    recordings: tuple[Recordings, ...]
    folds: Folds
    identity: Identity
    folder: RunFolder

    @property
    def checkpoints(self) -> Path:
        """A hidden folder beside the run's for what a stopped training goes on with."""
        return self.folder.path.with_name(f".{self.folder.path.name}.checkpoint")


def prepare(config: DictConfig, choices: Mapping[str, str]) -> Prepared:
    """Build and check one configuration, read its labels and say which run it is.

    Raises:
        UserError: something in the config or the labels can not work.
    """
    config, choices = without_unused(config, choices)
    experiment = build(config)
    experiment.logger.check()
    recordings = read_sided(experiment)
    folds = make_folds(experiment, recordings)
    words, encoder = _words(choices, experiment), experiment.encoder
    named = {**words, "regime": experiment.regime.slug}
    if encoder is None:
        del named["encoder"]
    identity = identify(
        config,
        words=list(named.values()),
        seeds=experiment.seeds,
        recordings=recordings,
        weights="none" if encoder is None else encoder.weights,
    )
    folder = RunFolder(Path(config.paths.runs) / identity.name)
    return Prepared(config, choices, experiment, words, recordings, folds, identity, folder)


def run(
    config: DictConfig,
    choices: Mapping[str, str],
    console: Console,
    *,
    stop: Callable[[], bool] | None = None,
) -> Run:
    """Run one configuration, or show its result if it is finished already.

    Args:
        stop: asked after each epoch whether to stop; the same run then goes on there.

    Raises:
        UserError: something in the config or the data can not work; nothing was written.
        StoppedError: `stop` asked for it.
    """
    prepared = prepare(config, choices)
    finished = prepared.folder.finished and not config.force
    result = read_run(prepared.folder.path) if finished else execute(prepared, console, stop=stop)
    print_run(result, console)
    if finished:
        learns = prepared.experiment.head.learns
        again = "trains it again" if learns else "scores it again and asks only what is not kept"
        console.print(f"[dim]Finished before; force=true {again}.[/dim]", highlight=False)
    return result


def execute(prepared: Prepared, console: Console, *, stop: Callable[[], bool] | None = None) -> Run:
    """Embed, fit, score and write a prepared run, whatever stood in its folder.

    A run that was stopped or killed goes on with what it left beside its folder.

    Raises:
        UserError: the data can not work, or this is one of several processes for the run.
        StoppedError: `stop`, which is asked after each epoch, asked for it.
    """
    check_single()
    _check_others(prepared.experiment)
    from raqa.answering.base import QuestionHead

    experiment, recordings = prepared.experiment, prepared.recordings
    paths = prepared.config.paths
    taken = prepared.folds
    for corpus in recordings:
        write_split(corpus.table, Path(paths.runs) / "splits")
    embedded = embed_folds(experiment, recordings, taken, Path(paths.cache), console)
    folds, audio_aside = usable_folds(
        taken, recordings, embedded, Path(paths.cache), needed_sides(experiment)
    )
    facts = _run_facts(prepared, folds, embedded)
    fitting = Fitting(experiment, embedded, console, prepared.checkpoints, stop)
    loggers = experiment.logger.start(facts)
    try:
        outcome = _fitter(experiment)(fitting, recordings, folds, facts, loggers)
        folds = folds.without(outcome.unusable)
        with prepared.folder.draft() as draft:
            draft.write(
                config=OmegaConf.to_yaml(prepared.config, resolve=True),
                provenance=facts.provenance,
                fold=folds.main.table,
                predictions=outcome.predictions,
                own=outcome.own,
                answered=outcome.answered,
                examined=outcome.examined,
                set_aside=pl.concat(
                    [*(corpus.set_aside for corpus in recordings), audio_aside, outcome.set_aside]
                ),
                steps=count_steps(
                    recordings,
                    taken,
                    folds,
                    heard="asked about" if experiment.encoder is None else "audio usable",
                ),
                history=outcome.history,
                save_heads=outcome.save,
                in_words=isinstance(experiment.head, QuestionHead),
            )
            if outcome.calibration is not None:
                outcome.calibration.write_parquet(draft.path / CALIBRATION)
            draft.publish(replace=True)
        shutil.rmtree(prepared.checkpoints, ignore_errors=True)
        finished = read_run(prepared.folder.path)
    except BaseException:
        experiment.logger.abandon()
        raise
    experiment.logger.finish(finished)
    return finished


def _check_others(experiment: Experiment) -> None:
    """Look for what head and judge need beside the settings."""
    experiment.head.check()
    if experiment.judge is not None:
        experiment.judge.check()


def _fitter(experiment: Experiment) -> Fitter:
    """How this head is fitted: to labels, to questions, to labels asked for; or is examined."""
    from raqa.answering.base import QuestionHead

    if not isinstance(experiment.head, QuestionHead):
        return fit_labels
    if experiment.task.kind == "exam":
        from raqa.exam_fitting import sit_exam

        return sit_exam
    from raqa.question_fitting import fit_asked_labels, fit_questions

    return fit_questions if experiment.task.kind == "questions" else fit_asked_labels


def _words(choices: Mapping[str, str], experiment: Experiment) -> dict[str, str]:
    """What the run is called: the choice made in each group that tables compare.

    A head that asks others adds whom, and what they are given: else all would be called the same.
    """
    variant = experiment.head.variant
    return {
        "corpus": experiment.corpus.name,
        "task": experiment.task.target,
        "encoder": str(choices["encoder"]),
        "head": f"{choices['head']}_{variant}" if variant else str(choices["head"]),
        "regime": str(choices["regime"]),
    }


def question_facts(experiment: Experiment) -> dict[str, Any]:
    """What else is said of a run that answers questions."""
    if experiment.task.kind not in {"questions", "exam"}:
        return {}
    from raqa.answering.base import QuestionHead
    from raqa.exams.task import ExamTask
    from raqa.questions.task import QuestionTask

    head, task = experiment.head, experiment.task
    assert isinstance(head, QuestionHead)
    assert isinstance(task, QuestionTask | ExamTask)
    return {
        "rendered": head.says_labels,
        "text_scorer": None if task.bertscore is None else asdict(task.bertscore),
    }


def _embedding_facts(experiment: Experiment) -> dict[str, Any]:
    """What is said of embeddings, also where there are none."""
    encoder, clip = experiment.encoder, experiment.clip
    return {
        "encoder_fingerprint": None if encoder is None else encoder.fingerprint,
        "weights": "none" if encoder is None else encoder.weights,
        "weights_real": encoder is None or encoder.weights_real,
        "clip": None if clip is None else clip.slug,
    }


def _run_facts(prepared: Prepared, folds: Folds, embedded: Embedded) -> RunFacts:
    """Everything that tables, pages and trackers say about the run besides its numbers."""
    from raqa.provenance import provenance

    experiment, identity, fold = prepared.experiment, prepared.identity, folds.main
    corpora = [experiment.corpus, *(other.corpus for other in experiment.regime.others)]
    facts = {
        **prepared.words,
        "run": identity.name,
        "tested_on": corpora[-1].name,
        "regime_settings": dict(experiment.regime.settings()),
        "split": prepared.choices["split"],
        "corpus_title": experiment.corpus.title,
        "synthetic": any(corpus.synthetic for corpus in corpora),
        "kind": experiment.task.kind,
        "classes": list(fold.classes),
        **question_facts(experiment),
        "unit": experiment.task.attribute.unit,
        **_embedding_facts(experiment),
        "seeds": list(experiment.seeds),
        "subject_known": fold.leakage is None,
        "leakage": fold.leakage,
        "subjects_on_two_sides": fold.torn.height,
        "embeddings": embedded.counts,
        **provenance(),
    }
    return RunFacts(identity.name, prepared.words, settled(prepared.config), facts)
