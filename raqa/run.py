"""One run, start to finish: read recordings, embed them, fit the head, score it, show it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from raqa.configuration.build import Experiment, build
from raqa.corpora.base import Recordings
from raqa.gather import Embedded, count_steps, embed_folds, read_sided, usable_folds
from raqa.identity import Identity, identify, settled
from raqa.regimes.base import Folds
from raqa.regimes.calibration import held_back, selecting
from raqa.regimes.fold import Fold
from raqa.regimes.split import write_split
from raqa.reports.calibration import CALIBRATION
from raqa.reports.console import print_run
from raqa.reports.run_folder import Run, RunFolder, read_run
from raqa.reports.scoring import Own
from raqa.reports.tracking import RunFacts
from raqa.single import check_single
from raqa.tables import prediction_columns

if TYPE_CHECKING:
    from raqa.training.fitted import FittedHead


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
    experiment = build(config)
    experiment.logger.check()
    recordings = read_sided(experiment)
    folds = experiment.regime.folds(
        recordings, experiment.task, as_published=experiment.split.leaking
    )
    words = _words(choices, experiment)
    identity = identify(
        config,
        words=[*list(words.values())[:-1], experiment.regime.slug],
        seeds=experiment.seeds,
        recordings=recordings,
        weights=experiment.encoder.weights,
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
        console.print("[dim]Finished before; force=true trains it again.[/dim]", highlight=False)
    return result


def execute(prepared: Prepared, console: Console, *, stop: Callable[[], bool] | None = None) -> Run:
    """Embed, fit, score and write a prepared run, whatever stood in its folder.

    A run that was stopped or killed goes on with what it left beside its folder.

    Raises:
        UserError: the data can not work, or this is one of several processes for the run.
        StoppedError: `stop`, which is asked after each epoch, asked for it.
    """
    check_single()
    experiment, recordings = prepared.experiment, prepared.recordings
    paths = prepared.config.paths
    taken = prepared.folds
    for corpus in recordings:
        write_split(corpus.table, Path(paths.runs) / "splits")
    embedded = embed_folds(experiment, recordings, taken, Path(paths.cache), console)
    folds, audio_aside = usable_folds(taken, recordings, embedded, Path(paths.cache))
    facts = _run_facts(prepared, folds, embedded)
    fitting = _Fitting(experiment, embedded, console, prepared.checkpoints, stop)
    loggers = experiment.logger.start(facts)
    try:
        fitted = fitting.fit(folds.main, "main", loggers)
        with prepared.folder.draft() as draft:
            draft.write(
                config=OmegaConf.to_yaml(prepared.config, resolve=True),
                provenance=facts.provenance,
                fold=folds.main.table,
                predictions=predict_test(fitted, folds.main, embedded, experiment.seeds),
                own=_own(fitting, folds),
                set_aside=pl.concat([*(corpus.set_aside for corpus in recordings), audio_aside]),
                steps=count_steps(recordings, taken, folds),
                history=fitted.history,
                save_heads=lambda path: fitted.save(path, _head_facts(facts)),
            )
            away = fitting.held_back(folds.main)
            if away.height:
                answers = predict(fitted, away, folds.main.classes, embedded, experiment.seeds)
                answers.write_parquet(draft.path / CALIBRATION)
            draft.publish(replace=True)
        shutil.rmtree(prepared.checkpoints, ignore_errors=True)
        finished = read_run(prepared.folder.path)
    except BaseException:
        experiment.logger.abandon()
        raise
    experiment.logger.finish(finished)
    return finished


def predict_test(
    fitted: FittedHead, fold: Fold, embedded: Embedded, seeds: tuple[int, ...]
) -> pl.DataFrame:
    """Every seed's prediction for every test recording, as PREDICTIONS or CLASS_PREDICTIONS."""
    return predict(fitted, fold.side("test"), fold.classes, embedded, seeds)


def predict(
    fitted: FittedHead,
    rows: pl.DataFrame,
    classes: Sequence[str],
    embedded: Embedded,
    seeds: tuple[int, ...],
) -> pl.DataFrame:
    """The same for some rows of a fold."""
    predicted = fitted.predicted(embedded.inputs(rows))
    truth = rows.select("corpus", "recording_id", "subject_id", truth="label")
    per_seed = [
        truth.with_columns(
            seed=pl.lit(seed, pl.Int64),
            **{name: pl.Series(array[row]) for name, array in predicted.columns.items()},
        )
        for row, seed in enumerate(seeds)
    ]
    columns = prediction_columns(classes)
    return pl.concat(per_seed).select(*columns).cast(pl.Schema(columns))


def _own(fitting: _Fitting, folds: Folds) -> Own | None:
    """The same head with the same seeds, trained on the tested corpus's own fold."""
    if folds.own is None:
        return None
    fitted, seeds = fitting.fit(folds.own, "own", ()), fitting.experiment.seeds
    return Own(folds.own.table, predict_test(fitted, folds.own, fitting.embedded, seeds))


def _words(choices: Mapping[str, str], experiment: Experiment) -> dict[str, str]:
    """What the run is called: the choice made in each group that tables compare."""
    return {
        "corpus": experiment.corpus.name,
        "task": experiment.task.target,
        **{group: str(choices[group]) for group in ("encoder", "head", "regime")},
    }


@dataclass(frozen=True)
class _Fitting:
    """How the heads of a run are fitted.

    Attributes:
        checkpoints: the folder in which each head has a file to go on with.
    """

    experiment: Experiment
    embedded: Embedded
    console: Console
    checkpoints: Path
    stop: Callable[[], bool] | None

    def held_back(self, fold: Fold) -> pl.DataFrame:
        """The validation rows that select nothing."""
        return held_back(fold, self._share(fold))

    def _share(self, fold: Fold) -> float:
        return 0.0 if fold.classes else self.experiment.trainer.calibration

    def fit(self, fold: Fold, name: str, loggers: Sequence[Any]) -> FittedHead:
        """Fit the run's head, all seeds, to one fold; `name` is that of its checkpoint."""
        from raqa.heads.data import FitData
        from raqa.training.fit import fit

        train = fold.side("train")
        validation = selecting(fold, self._share(fold))
        data = FitData(
            train_inputs=self.embedded.inputs(train),
            train_labels=train["label"].to_numpy(),
            validation_inputs=self.embedded.inputs(validation),
            validation_labels=validation["label"].to_numpy(),
            classes=len(fold.classes),
            epoch_recordings=fold.epoch_recordings,
        )
        return fit(
            self.experiment.head,
            data,
            self.experiment.seeds,
            self.experiment.trainer,
            loggers=loggers,
            console=self.console,
            checkpoint=self.checkpoints / f"{name}.safetensors",
            stop=self.stop,
        )


def _run_facts(prepared: Prepared, folds: Folds, embedded: Embedded) -> RunFacts:
    """Everything that tables, pages and trackers say about the run besides its numbers."""
    from raqa.provenance import provenance

    experiment, identity, fold = prepared.experiment, prepared.identity, folds.main
    encoder = experiment.encoder
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
        "unit": experiment.task.attribute.unit,
        "encoder_fingerprint": encoder.fingerprint,
        "weights": encoder.weights,
        "weights_real": encoder.weights_real,
        "clip": experiment.clip.slug,
        "seeds": list(experiment.seeds),
        "subject_known": fold.leakage is None,
        "leakage": fold.leakage,
        "subjects_on_two_sides": fold.torn.height,
        "embeddings": embedded.counts,
        **provenance(),
    }
    return RunFacts(identity.name, prepared.words, settled(prepared.config), facts)


def _head_facts(facts: RunFacts) -> Mapping[str, str]:
    """What a head file says of itself, so that it can be asked about new recordings."""
    names = ("run", "corpus", "task", "unit", "encoder", "encoder_fingerprint", "clip")
    return {name: str(facts.provenance[name]) for name in names}
