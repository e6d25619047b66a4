"""Transfer: the same test recordings, by a model from elsewhere and by one of their own corpus."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from raqa.metrics.transfer import TransferScores, score_transfer


def _fold(subjects: int = 60) -> pl.DataFrame:
    draw = np.random.default_rng(0)
    rows = [
        {
            "side": side,
            "corpus": "crowd",
            "recording_id": f"{side}{subject}",
            "subject_id": f"{side}{subject}",
            "subject_known": True,
            "label": float(draw.uniform(20, 80)),
        }
        for side in ("train", "validation", "test")
        for subject in range(subjects)
    ]
    return pl.DataFrame(rows)


def _predict(fold: pl.DataFrame, error: float, seeds: tuple[int, ...] = (0, 1)) -> pl.DataFrame:
    test = fold.filter(side="test")
    draw = np.random.default_rng(1)
    return pl.concat(
        test.select(
            pl.lit(seed, pl.Int64).alias("seed"), "corpus", "recording_id", "subject_id",
            truth="label",
            prediction=pl.col("label") + pl.Series(draw.choice([-1, 1], test.height) * error),
        )
        for seed in seeds
    )  # fmt: skip


def _score(error: float, own_error: float) -> TransferScores:
    fold = _fold()
    return score_transfer(_predict(fold, error), _predict(fold, own_error), fold, resamples=500)


def test_the_gap_is_the_transferred_error_minus_the_own_one() -> None:
    scores = _score(7.0, 4.0)
    assert scores.own_error.mean.value == pytest.approx(4)
    assert scores.gap.mean.value == pytest.approx(3)
    assert scores.gap_interval.low.value == pytest.approx(3)
    assert scores.gap_interval.excludes_zero()


def test_a_transferred_model_may_be_better() -> None:
    assert _score(4.0, 7.0).gap.mean.value == pytest.approx(-3)


def test_the_same_model_has_no_gap() -> None:
    scores = _score(5.0, 5.0)
    assert scores.gap.mean.value == 0
    assert not scores.gap_interval.excludes_zero()


def test_the_own_baseline_is_the_median_of_the_tested_corpus_training_labels() -> None:
    fold = _fold()
    median = np.median(fold.filter(side="train")["label"])
    expected = np.abs(fold.filter(side="test")["label"].to_numpy() - median).mean()
    assert _score(5, 5).own_baseline.value == pytest.approx(expected)
    assert (_score(5, 5).own_recordings, _score(5, 5).own_subjects) == (60, 60)


def test_other_seeds_or_recordings_do_not_belong_together() -> None:
    fold = _fold()
    with pytest.raises(ValueError, match="has seeds"):
        score_transfer(_predict(fold, 1), _predict(fold, 1, (0, 2)), fold)
    with pytest.raises(ValueError, match="every seed must predict"):
        score_transfer(_predict(fold, 1), _predict(fold, 1)[:-1], fold)
