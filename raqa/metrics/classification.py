"""Scores of a classification run, made from its predictions and its fold and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.align import align_probabilities
from raqa.metrics.auroc import auroc_interval
from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.class_measures import (
    Floats,
    Integers,
    area_under_precision_recall,
    area_under_roc,
    calibration_error,
    macro_f1,
    mean_recall,
    one_against_rest,
    spread,
    surprise,
    why_one_class,
)
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.scores import Scores, collapsed, recording_counts, sides, subject_counts
from raqa.tables import SIDES

_CONSEQUENCE = {
    "train": "it can not be learnt",
    "test": "means over classes leave it out",
}


@dataclass(frozen=True, kw_only=True)
class ClassificationScores(Scores):
    """What one run reached on its test recordings.

    The baseline is always saying the training prior: the classes' frequencies in training, the
    best constant for the cross-entropy. `difference` is of the cross-entropy.

    Attributes:
        classes: names in the order of their numbers; of two the last is the positive one.
        auroc, auprc: of the positive class; of more than two classes the mean over each against
            the rest. Classes that the test side lacks are left out, here and below.
        macro_f1: mean F1 over classes.
        balanced_accuracy: mean recall over classes.
        cross_entropy: mean negative logarithm of the true class's probability, nat.
        calibration_error: expected calibration error of the predicted class, in 15 equal bins.
        spread: SD of the probabilities over SD of the truth as 0 and 1, over all classes.
        auroc_interval, cross_entropy_interval: 95 % over subjects, averaged over seeds.
        prior_cross_entropy, prior_auprc: of the training prior on the same recordings.
        prior_macro_f1, prior_balanced_accuracy: of always saying its most frequent class.
        class_counts: recordings of every class on each side of the fold.
    """

    kind: Literal["classification"] = "classification"
    baseline: ClassVar[str] = "training prior"
    compared: ClassVar[str] = "cross-entropy"
    difference_unit: ClassVar[str | None] = "nat"
    classes: tuple[str, ...]
    auroc: OverSeeds
    auprc: OverSeeds
    macro_f1: OverSeeds
    balanced_accuracy: OverSeeds
    cross_entropy: OverSeeds
    calibration_error: OverSeeds
    auroc_interval: Interval
    cross_entropy_interval: Interval
    prior_cross_entropy: Number
    prior_auprc: Number
    prior_macro_f1: Number
    prior_balanced_accuracy: Number
    class_counts: Mapping[str, tuple[int, ...]]

    @property
    def positive(self) -> str | None:
        """The positive class, where there are two."""
        return self.classes[1] if len(self.classes) == 2 else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """Which classes a side lacks."""
        lacking = {
            side: [name for name, count in zip(self.classes, counts, strict=True) if not count]
            for side, counts in self.class_counts.items()
            if side != "validation"
        }
        return tuple(
            f"Classes missing: the {side} side has no recording of {', '.join(names)}; "
            f"{_CONSEQUENCE[side]}."
            for side, names in lacking.items()
            if names
        )


def score_classification(
    predictions: pl.DataFrame,
    fold: pl.DataFrame,
    classes: Sequence[str],
    *,
    resamples: int = 10_000,
    bootstrap_seed: int = 0,
) -> ClassificationScores:
    """Score predictions of the fold's test recordings, given the trained models.

    Args:
        predictions: CLASS_PREDICTIONS columns; every seed predicts every test recording once.
        fold: FOLD columns.
        classes: names of the classes that labels and probabilities number.

    Raises:
        UserError: the fold has an empty training or test side.
        ValueError: predictions and fold do not belong together.
    """
    fold, train, test = sides(fold)
    seeds, probabilities = align_probabilities(predictions, test, len(classes))
    truth = test["label"].to_numpy().astype(np.int64)
    subjects = subject_names(test["corpus"].to_list(), test["subject_id"].to_list())
    draws = {"resamples": resamples, "seed": bootstrap_seed}
    prior = np.bincount(train["label"].to_numpy().astype(np.int64), minlength=len(classes))
    constant = np.tile(prior / prior.sum(), (len(truth), 1))
    spreads = [spread(one, truth) for one in probabilities]
    cross_entropy = [surprise(one, truth) for one in probabilities]
    paired = _paired(cross_entropy, surprise(constant, truth), subjects, draws)
    return ClassificationScores(
        seeds=seeds,
        classes=tuple(classes),
        auroc=OverSeeds.of([area_under_roc(one, truth) for one in probabilities]),
        auprc=OverSeeds.of([area_under_precision_recall(one, truth) for one in probabilities]),
        macro_f1=OverSeeds.of([macro_f1(one, truth) for one in probabilities]),
        balanced_accuracy=OverSeeds.of([mean_recall(one, truth) for one in probabilities]),
        cross_entropy=OverSeeds.of([_mean(one, "a true class") for one in cross_entropy]),
        calibration_error=OverSeeds.of([calibration_error(one, truth) for one in probabilities]),
        spread=OverSeeds.of(spreads),
        collapsed_seeds=collapsed(seeds, spreads),
        auroc_interval=_auroc_interval(probabilities, truth, subjects, draws),
        cross_entropy_interval=paired.model,
        difference=paired.difference,
        difference_interval=paired.interval,
        prior_cross_entropy=_mean(surprise(constant, truth), "a true class"),
        prior_auprc=area_under_precision_recall(constant, truth),
        prior_macro_f1=macro_f1(constant, truth),
        prior_balanced_accuracy=mean_recall(constant, truth),
        class_counts={side: _class_counts(fold, side, len(classes)) for side in SIDES},
        recordings=recording_counts(fold),
        subjects=subject_counts(fold),
        subject_known=bool(fold["subject_known"].all()),
        resamples=resamples,
        bootstrap_seed=bootstrap_seed,
    )


@dataclass(frozen=True)
class _Paired:
    """The model's cross-entropy and its difference to the prior's, over the same resamples."""

    model: Interval
    difference: Number
    interval: Interval


def _paired(
    by_seed: Sequence[Floats], prior: Floats, subjects: NDArray[np.str_], draws: Mapping[str, int]
) -> _Paired:
    model = np.mean(by_seed, axis=0)
    for name, values in (("the model", model), ("the training prior", prior)):
        if not np.isfinite(values).all():
            reason = _mean(values, f"by {name} a true class").reason or ""
            nothing = Interval.undefined(reason)
            return _Paired(nothing, Number.undefined(reason), nothing)
    interval, difference_interval = subject_intervals(
        np.column_stack([model, model - prior]),
        subjects,
        resamples=draws["resamples"],
        seed=draws["seed"],
    )
    return _Paired(interval, Number(float((model - prior).mean())), difference_interval)


def _auroc_interval(
    probabilities: Floats, truth: Integers, subjects: NDArray[np.str_], draws: Mapping[str, int]
) -> Interval:
    if reason := why_one_class(truth):
        return Interval.undefined(reason)
    numbers = one_against_rest(truth, probabilities.shape[-1])
    return auroc_interval(
        probabilities[:, :, numbers],
        truth[:, None] == np.array(numbers),
        subjects,
        resamples=draws["resamples"],
        seed=draws["seed"],
    )


def _mean(surprises: Floats, whose: str) -> Number:
    infinite = int(np.isinf(surprises).sum())
    if infinite:
        return Number.undefined(f"{whose} was given probability 0 in {infinite:,} recording(s)")
    return Number(float(surprises.mean()))


def _class_counts(fold: pl.DataFrame, side: str, classes: int) -> tuple[int, ...]:
    labels = fold.filter(pl.col("side") == side)["label"].to_numpy().astype(np.int64)
    return tuple(int(count) for count in np.bincount(labels, minlength=classes))
