"""Fitting a run's head to its folds, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console

from raqa.configuration.build import Experiment
from raqa.corpora.base import Recordings
from raqa.gather import Embedded
from raqa.regimes.base import Folds
from raqa.regimes.calibration import held_back, selecting
from raqa.regimes.fold import Fold
from raqa.reports.scoring import Answered, Examined, Own
from raqa.reports.tracking import RunFacts
from raqa.tables import prediction_columns, set_aside_table

if TYPE_CHECKING:
    from raqa.training.fitted import FittedHead


@dataclass(frozen=True)
class Outcome:
    """What a fit leaves behind.

    Attributes:
        predictions: of the test side, in the columns of the task's kind.
        history: HISTORY columns.
        save: writes the fitted heads to a path.
        own: of a run that is tested on another corpus, what it is measured against.
        answered: what was asked, where predictions are answers to questions.
        examined: what was asked and how it was judged, where they are answers to an exam's.
        set_aside: SET_ASIDE rows of answers that could not be used.
        unusable: recordings of the test side that could not be used, recording_ids by corpus.
        calibration: predictions of validation recordings that selected nothing, where any were
            held back.
    """

    predictions: pl.DataFrame
    history: pl.DataFrame
    save: Callable[[Path], None]
    own: Own | None = None
    answered: Answered | None = None
    examined: Examined | None = None
    set_aside: pl.DataFrame = field(default_factory=set_aside_table)
    unusable: Mapping[str, Sequence[str]] = field(default_factory=dict)
    calibration: pl.DataFrame | None = None


@dataclass(frozen=True)
class Fitting:
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
        from raqa.heads.base import DirectHead, GradientHead
        from raqa.heads.data import FitData
        from raqa.training.fit import fit

        head = self.experiment.head
        assert isinstance(head, GradientHead | DirectHead)
        train, validation = fold.side("train"), selecting(fold, self._share(fold))
        data = FitData(
            train_inputs=self.embedded.inputs(train),
            train_labels=train["label"].to_numpy(),
            validation_inputs=self.embedded.inputs(validation),
            validation_labels=validation["label"].to_numpy(),
            classes=len(fold.classes),
            epoch_recordings=fold.epoch_recordings,
        )
        return fit(
            head,
            data,
            self.experiment.seeds,
            self.experiment.trainer,
            loggers=loggers,
            console=self.console,
            checkpoint=self.checkpoints / f"{name}.safetensors",
            stop=self.stop,
        )


def fit_labels(
    fitting: Fitting,
    recordings: Sequence[Recordings],  # noqa: ARG001
    folds: Folds,
    facts: RunFacts,
    loggers: Sequence[Any],
) -> Outcome:
    """Fit a head that predicts the task's number or class from an embedding."""
    fitted = fitting.fit(folds.main, "main", loggers)
    away, seeds = fitting.held_back(folds.main), fitting.experiment.seeds
    calibration = None
    if away.height:
        calibration = predict(fitted, away, folds.main.classes, fitting.embedded, seeds)
    return Outcome(
        predictions=predict_test(fitted, folds.main, fitting.embedded, fitting.experiment.seeds),
        history=fitted.history,
        save=lambda path: fitted.save(path, head_facts(facts)),
        own=_own(fitting, folds),
        calibration=calibration,
    )


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


def _own(fitting: Fitting, folds: Folds) -> Own | None:
    """The same head with the same seeds, trained on the tested corpus's own fold."""
    if folds.own is None:
        return None
    fitted, seeds = fitting.fit(folds.own, "own", ()), fitting.experiment.seeds
    return Own(folds.own.table, predict_test(fitted, folds.own, fitting.embedded, seeds))


def head_facts(facts: RunFacts) -> Mapping[str, str]:
    """What a head file says of itself, so that it can be asked about new recordings."""
    names = ("run", "corpus", "task", "unit", "encoder", "encoder_fingerprint", "clip")
    return {name: str(facts.provenance[name]) for name in names}
