"""Scores of classes: what scikit-learn says, undefined where it must be, paired with the prior."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn import metrics as reference

from raqa.errors import UserError
from raqa.metrics import ClassificationScores, score_classification
from raqa.tables import CLASS_PREDICTIONS, FOLD

Made = tuple[pl.DataFrame, pl.DataFrame]


def made(
    classes: int = 2, subjects: int = 120, seeds: int = 2, skill: float = 1.5, test: Any = None
) -> Made:
    """Predictions and fold: two recordings a subject, half of the subjects in training."""
    random = np.random.default_rng(3)
    labels = np.repeat(random.integers(classes, size=subjects), 2).astype(float)
    sides = np.array(["train", "test"])[np.arange(2 * subjects) // 2 % 2]
    if test is not None:
        labels[sides == "test"] = test
    fold = pl.DataFrame(
        {
            "side": sides,
            "corpus": ["made"] * len(labels),
            "recording_id": [f"r{number:04d}" for number in range(len(labels))],
            "subject_id": [f"s{number // 2:03d}" for number in range(len(labels))],
            "subject_known": [True] * len(labels),
            "label": labels,
        },
        schema=dict(FOLD),
    )
    rows = fold.filter(side="test")
    truth = rows["label"].to_numpy().astype(int)
    tables = []
    for seed in range(seeds):
        logits = random.normal(size=(len(truth), classes)).round(1)  # rounded: there are ties
        logits[np.arange(len(truth)), truth] += skill
        probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        said = probabilities.argmax(axis=1).astype(float)
        tables.append(
            rows.select(
                pl.lit(seed, pl.Int64).alias("seed"), "corpus", "recording_id", "subject_id",
                truth="label", prediction=pl.Series(said),
                probabilities=pl.Series(probabilities.tolist(), dtype=pl.List(pl.Float64)),
            )
        )  # fmt: skip
    return pl.concat(tables).select(*CLASS_PREDICTIONS), fold


def names(count: int) -> list[str]:
    return [f"class {number}" for number in range(count)]


def scored(predictions: pl.DataFrame, fold: pl.DataFrame, classes: int = 2) -> ClassificationScores:
    return score_classification(predictions, fold, names(classes), resamples=500)


def arrays(predictions: pl.DataFrame, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rows = predictions.filter(seed=seed)
    return rows["truth"].to_numpy().astype(int), np.array(rows["probabilities"].to_list())


BINARY: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "auroc": lambda truth, given: reference.roc_auc_score(truth, given[:, 1]),
    "auprc": lambda truth, given: reference.average_precision_score(truth, given[:, 1]),
}
SEVERAL: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "auroc": lambda truth, given: reference.roc_auc_score(truth, given, multi_class="ovr"),
    "auprc": lambda truth, given: reference.average_precision_score(np.eye(3)[truth], given),
}
ANY: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "macro_f1": lambda truth, given: reference.f1_score(truth, given.argmax(1), average="macro"),
    "balanced_accuracy": lambda truth, given: reference.balanced_accuracy_score(
        truth, given.argmax(1)
    ),
    "cross_entropy": reference.log_loss,
}


@pytest.mark.parametrize(("classes", "own"), [(2, BINARY), (3, SEVERAL)])
def test_every_measure_is_that_of_scikit_learn(classes: int, own: dict[str, Any]) -> None:
    predictions, fold = made(classes)
    scores = scored(predictions, fold, classes)
    for name, measure in (own | ANY).items():
        expected = [measure(*arrays(predictions, seed)) for seed in (0, 1)]
        found = getattr(scores, name)
        assert [one.value for one in found.by_seed] == pytest.approx(expected), name
        assert found.mean.value == pytest.approx(np.mean(expected))
        assert found.sd.value == pytest.approx(np.std(expected, ddof=1))


def test_the_calibration_error_is_the_mean_gap_of_15_bins() -> None:
    predictions, fold = made(3, seeds=1)
    truth, given = arrays(predictions, 0)
    sure, right = given.max(axis=1), given.argmax(axis=1) == truth
    expected = 0.0
    for low in np.arange(15) / 15:
        inside = (sure >= low) & (sure < low + 1 / 15)
        if inside.any():
            expected += inside.mean() * abs(sure[inside].mean() - right[inside].mean())
    assert scored(predictions, fold, 3).calibration_error.mean.value == pytest.approx(expected)


def test_the_baseline_is_the_training_prior_on_the_same_recordings() -> None:
    predictions, fold = made()
    scores = scored(predictions, fold)
    prior = fold.filter(side="train")["label"].mean()
    truth, _ = arrays(predictions, 0)
    constant = np.tile([1 - prior, prior], (len(truth), 1))
    said = np.full(len(truth), constant[0].argmax())
    assert scores.prior_cross_entropy.value == pytest.approx(reference.log_loss(truth, constant))
    assert scores.prior_auprc.value == pytest.approx(truth.mean())
    assert scores.prior_balanced_accuracy.value == 0.5
    assert scores.prior_macro_f1.value == pytest.approx(
        reference.f1_score(truth, said, average="macro", zero_division=0)
    )
    gap = scores.cross_entropy.mean.value - scores.prior_cross_entropy.value
    assert scores.difference.value == pytest.approx(gap)
    low, high = scores.difference_interval.low.value, scores.difference_interval.high.value
    assert low < gap < high


def test_classes_and_subjects_are_counted_on_every_side() -> None:
    predictions, fold = made(3)
    scores = scored(predictions, fold, 3)
    for side in ("train", "test"):
        labels = fold.filter(side=side)["label"]
        assert scores.class_counts[side] == tuple((labels == number).sum() for number in range(3))
        assert (scores.recordings[side], scores.subjects[side]) == (120, 60)
    assert scores.class_counts["validation"] == (0, 0, 0)


def test_a_verdict_needs_the_whole_interval() -> None:
    assert scored(*made(skill=1.5)).against_baseline == "above"
    assert scored(*made(skill=-1.5)).against_baseline == "below"
    predictions, fold = made()
    prior = float(fold.filter(side="train")["label"].mean())
    nearly = predictions.with_columns(
        probabilities=pl.when(pl.col("recording_id").str.slice(-1).cast(pl.Int64) % 4 < 2)
        .then(pl.lit([1 - prior - 0.05, prior + 0.05]))
        .otherwise(pl.lit([1 - prior + 0.05, prior - 0.05]))
    )
    assert scored(nearly, fold).against_baseline == "undecided"


def test_the_interval_of_the_auroc_lies_around_it() -> None:
    scores = scored(*made(skill=0.7))
    low, high = scores.auroc_interval.low.value, scores.auroc_interval.high.value
    assert 0.5 < low < scores.auroc.mean.value < high < 1


def test_one_class_in_the_truth_leaves_nothing_to_tell_apart() -> None:
    scores = scored(*made(test=1.0))
    for name in ("auroc", "auprc", "macro_f1", "balanced_accuracy"):
        mean = getattr(scores, name).mean
        assert math.isnan(mean.value)
        assert mean.reason == "all test recordings are of one class"
    assert scores.auroc_interval.low.reason == "all test recordings are of one class"
    assert scores.cross_entropy.mean.defined
    assert scores.calibration_error.mean.defined
    (remark,) = scores.remarks
    assert remark.startswith("Classes missing: the test side has no recording of class 0")


def test_means_are_over_the_classes_that_the_truth_has() -> None:
    predictions, fold = made(3)
    two = fold.with_columns(
        label=pl.when((pl.col("side") == "test") & (pl.col("label") == 2)).then(1.0)
        .otherwise("label")
    )  # fmt: skip
    same = predictions.with_columns(truth=pl.min_horizontal("truth", pl.lit(1.0)))
    scores = scored(same, two, 3)
    truth, given = arrays(same, 0)
    expected = np.mean([reference.roc_auc_score(truth == one, given[:, one]) for one in (0, 1)])
    assert scores.auroc.by_seed[0].value == pytest.approx(expected)
    assert scores.balanced_accuracy.by_seed[0].value == pytest.approx(
        np.mean([(given.argmax(1) == truth)[truth == one].mean() for one in (0, 1)])
    )
    assert scores.macro_f1.by_seed[0].value == pytest.approx(
        reference.f1_score(truth, given.argmax(1), labels=[0, 1], average="macro")
    )


def test_a_true_class_of_probability_0_has_no_cross_entropy_and_says_so() -> None:
    predictions, fold = made(3)
    unseen = fold.with_columns(
        label=pl.when(pl.col("side") == "train").then(pl.min_horizontal("label", pl.lit(1.0)))
        .otherwise("label")
    )  # fmt: skip
    scores = scored(predictions, unseen, 3)
    assert "a true class was given probability 0" in (scores.prior_cross_entropy.reason or "")
    assert scores.cross_entropy.mean.defined
    assert not scores.difference.defined
    assert "training prior" in (scores.difference_interval.low.reason or "")
    assert scores.against_baseline == "undecided"
    assert "the train side has no recording of class 2" in scores.remarks[0]


def test_saying_the_same_for_everyone_is_a_collapse() -> None:
    predictions, fold = made()
    flat = predictions.with_columns(probabilities=pl.lit([0.4, 0.6]))
    assert scored(flat, fold).collapsed_seeds == (0, 1)
    assert scored(flat, fold).spread.mean.value == pytest.approx(0, abs=1e-12)
    assert scored(predictions, fold).collapsed_seeds == ()
    sure = predictions.with_columns(
        probabilities=pl.when(pl.col("truth") == 1).then(pl.lit([0.0, 1.0]))
        .otherwise(pl.lit([1.0, 0.0]))
    )  # fmt: skip
    assert scored(sure, fold).spread.mean.value == pytest.approx(1)


def test_the_order_of_rows_does_not_matter() -> None:
    predictions, fold = made(3)
    shuffled = (
        predictions.sample(fraction=1, shuffle=True, seed=1),
        fold.sample(fraction=1, shuffle=True, seed=2),
    )
    assert scored(*shuffled, 3) == scored(predictions, fold, 3)


def test_predictions_that_do_not_belong_are_refused() -> None:
    predictions, fold = made()
    with pytest.raises(UserError, match="test side has no recording"):
        scored(predictions, fold.filter(side="train"))
    with pytest.raises(ValueError, match="probabilities of 3 classes"):
        scored(predictions, fold, 3)
    with pytest.raises(ValueError, match="once"):
        scored(predictions.head(7), fold)
    with pytest.raises(ValueError, match="add up to 1"):
        scored(predictions.with_columns(probabilities=pl.lit([0.7, 0.7])), fold)
    with pytest.raises(ValueError, match="not the fold's label"):
        scored(predictions.with_columns(truth=1 - pl.col("truth")), fold)
