import math

import numpy as np
import polars as pl
import pytest

from raqa.errors import UserError
from raqa.metrics import score_regression


def cohort(subjects: int, predict) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two recordings a subject, half of them training; `predict(labels, generator)`."""
    generator = np.random.default_rng(7)
    labels = np.repeat(generator.normal(40, 12, size=subjects), 2)
    names = [f"s{index // 2}" for index in range(len(labels))]
    fold = pl.DataFrame(
        {
            "side": [
                "train" if index < len(labels) // 2 else "test" for index in range(len(labels))
            ],
            "corpus": ["demo"] * len(labels),
            "recording_id": [f"r{index:04d}" for index in range(len(labels))],
            "subject_id": names,
            "subject_known": [True] * len(labels),
            "label": labels,
        }
    )
    test = fold.filter(pl.col("side") == "test")
    predictions = test.select(
        pl.lit(0, dtype=pl.Int64).alias("seed"),
        "corpus",
        "recording_id",
        "subject_id",
        truth="label",
        prediction=pl.Series(predict(test["label"].to_numpy(), generator)),
    )
    return predictions, fold


def test_mae_is_averaged_over_seeds_with_the_sample_standard_deviation(predictions, fold):
    scores = score_regression(predictions, fold)
    assert [number.value for number in scores.mae.by_seed] == [2.0, 4.0]
    assert scores.mae.mean.value == 3.0
    assert scores.mae.sd.value == pytest.approx(math.sqrt(2))


def test_baselines_are_constants_of_the_training_side_on_the_same_test_recordings(
    predictions, fold
):
    scores = score_regression(predictions, fold)
    assert scores.median_mae.value == pytest.approx(10.0)  # |10-20|, |20-20|, |40-20|
    assert scores.mean_mae.value == pytest.approx(40 / 3)  # |10-30|, |20-30|, |40-30|
    assert scores.difference.value == pytest.approx(3.0 - 10.0)


def test_the_papers_mad_is_of_all_labels_around_their_mean(predictions, fold):
    labels = np.array([10, 20, 60, 40, 10, 20, 40])
    expected = np.abs(labels - labels.mean()).mean()
    assert score_regression(predictions, fold).mad.value == pytest.approx(expected)


def test_the_interval_weights_subjects_by_their_recordings(predictions, fold):
    scores = score_regression(predictions, fold)  # subject e: mean error 2.25, f: 4.5
    assert scores.mae_interval.low.value == pytest.approx(2.25)
    assert scores.mae_interval.high.value == pytest.approx(4.5)


def test_recordings_and_subjects_are_counted_on_every_side(predictions, fold):
    scores = score_regression(predictions, fold)
    assert scores.recordings == {"train": 3, "validation": 1, "test": 3}
    assert scores.subjects == {"train": 3, "validation": 1, "test": 2}
    assert scores.few_subjects


def test_the_order_of_rows_changes_nothing(predictions, fold):
    shuffled = score_regression(
        predictions.sample(fraction=1, shuffle=True, seed=1),
        fold.sample(fraction=1, shuffle=True, seed=2),
    )
    assert shuffled == score_regression(predictions, fold)


def test_one_seed_has_no_spread_over_seeds(predictions, fold):
    scores = score_regression(predictions.filter(pl.col("seed") == 0), fold)
    assert math.isnan(scores.mae.sd.value)
    assert scores.mae.sd.reason == "one seed has no standard deviation"


def test_a_model_that_knows_is_above_the_median():
    scores = score_regression(*cohort(200, lambda y, rng: y + rng.normal(0, 4, len(y))))
    assert scores.against_baseline == "above"
    assert scores.spearman.mean.value > 0.9
    assert scores.r2.mean.value > 0.8
    assert scores.spread.mean.value == pytest.approx(1.05, abs=0.1)
    assert not scores.collapsed_seeds
    assert not scores.few_subjects


def test_noise_is_not_above_the_median_and_wild_guesses_are_below_it():
    def nearly_median(labels, rng):
        return np.full(len(labels), 40.0) + rng.normal(0, 0.5, len(labels))

    assert score_regression(*cohort(200, nearly_median)).against_baseline == "undecided"
    wild = score_regression(*cohort(200, lambda y, rng: rng.normal(40, 30, len(y))))
    assert wild.against_baseline == "below"


def test_a_constant_model_looks_like_one():
    scores = score_regression(*cohort(60, lambda y, _: np.full(len(y), 39.0)))
    assert scores.collapsed_seeds == (0,)
    assert scores.spread.mean.value == 0
    assert scores.spearman.mean.reason == "all predictions are equal"
    assert scores.r2.mean.defined


def test_equal_test_labels_leave_correlations_undefined_with_the_reason(predictions, fold):
    fold = fold.with_columns(pl.when(side="test").then(20.0).otherwise("label").alias("label"))
    scores = score_regression(predictions.with_columns(truth=pl.lit(20.0)), fold)
    for summary in (scores.r2, scores.spearman, scores.spread):
        assert summary.mean.reason == "all test labels are equal"
    assert scores.mae.mean.defined


def test_a_single_test_subject_has_no_interval_and_no_verdict(predictions, fold):
    keep = pl.col("subject_id") != "f"
    scores = score_regression(predictions.filter(keep), fold.filter(keep))
    assert scores.difference_interval.low.reason == "1 subject(s) have no interval"
    assert scores.against_baseline == "undecided"


def test_unknown_subjects_are_said(predictions, fold):
    fold = fold.with_columns(subject_known=pl.col("corpus") != "demo")
    assert not score_regression(predictions, fold).subject_known


def test_an_empty_side_is_refused(predictions, fold):
    with pytest.raises(UserError, match="training side has no recording"):
        score_regression(predictions, fold.filter(pl.col("side") == "test"))


def test_predictions_of_other_recordings_or_labels_are_refused(predictions, fold):
    with pytest.raises(ValueError, match="each of the 3 test recordings once"):
        score_regression(predictions.head(5), fold)
    with pytest.raises(ValueError, match="not the fold's label"):
        score_regression(predictions.with_columns(truth=pl.col("truth") + 1), fold)
    with pytest.raises(ValueError, match="not finite"):
        score_regression(predictions.with_columns(prediction=pl.lit(math.nan)), fold)
