"""One run, start to finish: read recordings, embed them, fit the head, score it, show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from raqa.configuration.build import Experiment, build
from raqa.corpora.base import Recordings, Step
from raqa.corpora.cohort import audio_present
from raqa.errors import UserError
from raqa.identity import Identity, identify, settled
from raqa.regimes.fold import Fold
from raqa.regimes.split import write_split
from raqa.reports.console import print_run
from raqa.reports.run_folder import Run, RunFolder, read_run
from raqa.reports.tracking import RunFacts
from raqa.tables import SIDES, prediction_columns

if TYPE_CHECKING:
    from raqa.embeddings.extract import Embeddings
    from raqa.training.fitted import FittedHead


@dataclass(frozen=True)
class Prepared:
    """A run that has been checked and named, before anything costly is done.

    Attributes:
        config: composed from conf/train.yaml.
        words: what it is called: corpus, task, encoder, head, regime.
        choices: which choice each config group has ("encoder": "mel_stats").
        recordings: the cohort with a `side` column.
        folder: where its result is or will be.
    """

    config: DictConfig
    choices: Mapping[str, str]
    experiment: Experiment
    words: Mapping[str, str]
    recordings: Recordings
    identity: Identity
    folder: RunFolder


def prepare(config: DictConfig, choices: Mapping[str, str]) -> Prepared:
    """Build and check one configuration, read its labels and say which run it is.

    Raises:
        UserError: something in the config or the labels can not work.
    """
    experiment = build(config)
    experiment.logger.check()
    recordings = read_sided(experiment)
    words = _words(choices, experiment)
    identity = identify(
        config,
        words=list(words.values()),
        seeds=experiment.seeds,
        sources=recordings.sources,
        table=recordings.table,
        weights=experiment.encoder.weights,
    )
    folder = RunFolder(Path(config.paths.runs) / identity.name)
    return Prepared(config, choices, experiment, words, recordings, identity, folder)


def run(config: DictConfig, choices: Mapping[str, str], console: Console) -> Run:
    """Run one configuration, or show its result if it is finished already.

    Raises:
        UserError: something in the config or the data can not work; nothing was written.
    """
    prepared = prepare(config, choices)
    finished = prepared.folder.finished and not config.force
    result = read_run(prepared.folder.path) if finished else execute(prepared, console)
    print_run(result, console)
    if finished:
        console.print("[dim]Finished before; force=true trains it again.[/dim]", highlight=False)
    return result


def execute(prepared: Prepared, console: Console) -> Run:
    """Embed, fit, score and write a prepared run, whatever stood in its folder."""
    experiment, recordings = prepared.experiment, prepared.recordings
    runs = Path(prepared.config.paths.runs)
    fold = experiment.regime.fold(recordings, experiment.task)
    write_split(recordings.table, runs / "splits")
    present = audio_present(recordings)
    embeddings = _embed(prepared, present, fold, console)
    fold = _usable(experiment, fold, embeddings)
    facts = _run_facts(prepared, fold, embeddings)
    loggers = experiment.logger.start(facts)
    try:
        fitted = _fit(experiment, fold, embeddings, loggers, console)
        with prepared.folder.draft() as draft:
            draft.write(
                config=OmegaConf.to_yaml(prepared.config, resolve=True),
                provenance=facts.provenance,
                fold=fold.table,
                predictions=predict_test(fitted, fold, embeddings, experiment.seeds),
                set_aside=pl.concat([recordings.set_aside, embeddings.set_aside]),
                steps=_steps(present, experiment, fold),
                history=fitted.history,
                save_heads=lambda path: fitted.save(path, _head_facts(facts)),
            )
            draft.publish(replace=True)
        finished = read_run(prepared.folder.path)
    except BaseException:
        experiment.logger.abandon()
        raise
    experiment.logger.finish(finished)
    return finished


def read_sided(experiment: Experiment) -> Recordings:
    """Read the corpus, keep the cohort, and say for each recording which side it is on.

    Raises:
        UserError: there is no audio of the cohort at all.
    """
    everything = experiment.corpus.read()
    cohort = experiment.task.apply(experiment.cohort.apply(everything))
    if not cohort.table["audio"].any():
        corpus, there = experiment.corpus, int(everything.table["audio"].sum())
        raise UserError(
            f"{corpus.name}: 0 of {cohort.table.height:,} recordings of the cohort present "
            f"({there:,} of {everything.table.height:,} recordings present in the label tables). "
            f"How to get them: {corpus.how_to_get}"
        )
    return replace(cohort, table=experiment.split.assign(cohort.table))


def predict_test(
    fitted: FittedHead, fold: Fold, embeddings: Embeddings, seeds: tuple[int, ...]
) -> pl.DataFrame:
    """Every seed's prediction for every test recording, as PREDICTIONS or CLASS_PREDICTIONS."""
    test = fold.side("test")
    predicted = fitted.predicted(inputs_of(embeddings, test))
    truth = test.select("corpus", "recording_id", "subject_id", truth="label")
    per_seed = [
        truth.with_columns(
            seed=pl.lit(seed, pl.Int64),
            **{name: pl.Series(array[row]) for name, array in predicted.columns.items()},
        )
        for row, seed in enumerate(seeds)
    ]
    columns = prediction_columns(fold.classes)
    return pl.concat(per_seed).select(*columns).cast(pl.Schema(columns))


def _steps(present: Recordings, experiment: Experiment, fold: Fold) -> tuple[Step, ...]:
    """The cohort's steps, then what the task and the audio left."""
    target = experiment.task.target
    labelled = present.table.filter(
        experiment.task.label.is_not_null(), pl.col("side").is_not_null()
    )
    return (
        *present.steps,
        Step(f"{target} known, on a side", labelled.height, labelled["subject_id"].n_unique()),
        Step("audio usable", fold.table.height, fold.table["subject_id"].n_unique()),
    )


def inputs_of(embeddings: Embeddings, rows: pl.DataFrame) -> NDArray[np.float32]:
    """The embeddings of these rows' recordings, in the rows' order: `[recordings, width]`."""
    place = {recording_id: row for row, recording_id in enumerate(embeddings.recording_ids)}
    return embeddings.vectors[[place[recording_id] for recording_id in rows["recording_id"]]]


def _words(choices: Mapping[str, str], experiment: Experiment) -> dict[str, str]:
    """What the run is called: the choice made in each group that tables compare."""
    return {
        "corpus": experiment.corpus.name,
        "task": experiment.task.target,
        **{group: str(choices[group]) for group in ("encoder", "head", "regime")},
    }


def _embed(prepared: Prepared, recordings: Recordings, fold: Fold, console: Console) -> Embeddings:
    """Embed the fold's recordings, and no others."""
    from raqa.embeddings.extract import extract
    from raqa.embeddings.store import EmbeddingStore

    wanted = recordings.table.filter(
        pl.col("recording_id").is_in(fold.table["recording_id"].to_list())
    )
    experiment = prepared.experiment
    store = EmbeddingStore(Path(prepared.config.paths.cache) / "embeddings")
    return extract(
        wanted, experiment.encoder, experiment.clip, store, experiment.embed, console=console
    )


def _usable(experiment: Experiment, fold: Fold, embeddings: Embeddings) -> Fold:
    """The fold without recordings whose audio was set aside; refused if a side is then empty."""
    usable = fold.without(embeddings.set_aside["item"].to_list())
    empty = [side for side in SIDES if not usable.side(side).height]
    if empty:
        raise UserError(
            f"{experiment.corpus.name}: no usable audio is left on the {' and '.join(empty)} side; "
            f"{embeddings.set_aside.height} recordings were set aside, first "
            f"{embeddings.set_aside['item'][0]} ({embeddings.set_aside['reason'][0]})."
        )
    return usable


def _fit(
    experiment: Experiment,
    fold: Fold,
    embeddings: Embeddings,
    loggers: Any,
    console: Console,
) -> FittedHead:
    from raqa.heads.data import FitData
    from raqa.training.fit import fit

    train, validation = fold.side("train"), fold.side("validation")
    data = FitData(
        train_inputs=inputs_of(embeddings, train),
        train_labels=train["label"].to_numpy(),
        validation_inputs=inputs_of(embeddings, validation),
        validation_labels=validation["label"].to_numpy(),
        classes=len(fold.classes),
    )
    return fit(
        experiment.head,
        data,
        experiment.seeds,
        experiment.trainer,
        loggers=loggers,
        console=console,
    )


def _run_facts(prepared: Prepared, fold: Fold, embeddings: Embeddings) -> RunFacts:
    """Everything that tables, pages and trackers say about the run besides its numbers."""
    from raqa.provenance import provenance

    experiment, identity = prepared.experiment, prepared.identity
    encoder = experiment.encoder
    facts = {
        **prepared.words,
        "run": identity.name,
        "split": prepared.choices["split"],
        "corpus_title": experiment.corpus.title,
        "synthetic": experiment.corpus.synthetic,
        "kind": experiment.task.kind,
        "classes": list(fold.classes),
        "unit": experiment.task.attribute.unit,
        "encoder_fingerprint": encoder.fingerprint,
        "weights": encoder.weights,
        "weights_real": encoder.weights_real,
        "clip": experiment.clip.slug,
        "seeds": list(experiment.seeds),
        "subject_known": fold.leakage is None,
        "leakage": fold.leakage,
        "embeddings": {"reused": embeddings.reused, "computed": embeddings.computed},
        **provenance(),
    }
    return RunFacts(identity.name, prepared.words, settled(prepared.config), facts)


def _head_facts(facts: RunFacts) -> Mapping[str, str]:
    """What a head file says of itself, so that it can be asked about new recordings."""
    names = ("run", "corpus", "task", "unit", "encoder", "encoder_fingerprint", "clip")
    return {name: str(facts.provenance[name]) for name in names}
