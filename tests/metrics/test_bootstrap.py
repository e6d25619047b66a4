import numpy as np
import pytest

from raqa.metrics import bootstrap
from raqa.metrics.bootstrap import (
    resampled_means,
    subject_intervals,
    subject_names,
    subject_totals,
)


def clustered(generator: np.random.Generator, subjects: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Errors whose subjects differ more than their recordings; subjects with 1 to 9 recordings."""
    names = np.repeat(np.arange(subjects), generator.integers(1, 10, size=subjects))
    level = generator.gamma(4.0, 2.5, size=subjects)  # mean 10
    return level[names] + generator.normal(0, 1, size=len(names)), names


def coverage(by_subject: bool) -> float:
    generator = np.random.default_rng(20)
    inside = []
    for repeat in range(400):
        errors, names = clustered(generator)
        groups = names if by_subject else np.arange(len(names))
        (interval,) = subject_intervals(errors[:, None], groups, resamples=400, seed=repeat)
        inside.append(interval.low.value <= 10.0 <= interval.high.value)
    return float(np.mean(inside))


def test_the_interval_over_subjects_covers_the_truth_as_often_as_it_says():
    assert 0.91 <= coverage(by_subject=True) <= 0.98


def test_an_interval_over_recordings_would_cover_it_far_too_seldom():
    assert coverage(by_subject=False) < 0.75


def test_a_subject_is_drawn_with_all_its_recordings():
    sums, counts = subject_totals(np.array([[1.0], [2.0], [30.0]]), ["a", "a", "b"])
    means = resampled_means(sums, counts, resamples=500, seed=0)
    assert set(np.round(means.ravel(), 6)) == {1.5, 11.0, 30.0}  # aa, ab, bb


def test_all_statistics_come_from_the_same_draw():
    values = np.random.default_rng(0).normal(size=(40, 1))
    sums, counts = subject_totals(np.hstack([values, values + 3]), np.arange(40) // 2)
    means = resampled_means(sums, counts, resamples=100, seed=0)
    np.testing.assert_allclose(means[:, 1] - means[:, 0], 3)


def test_the_mean_of_resamples_is_near_the_mean_and_their_spread_near_the_standard_error():
    values = np.random.default_rng(0).normal(size=(300, 1))
    means = resampled_means(values, np.ones(300), resamples=20_000, seed=0)
    assert means.mean() == pytest.approx(values.mean(), abs=0.002)
    assert means.std() == pytest.approx(values.std() / np.sqrt(300), rel=0.03)


def test_memory_stays_bounded_whatever_the_block(monkeypatch):
    sums, counts = subject_totals(np.arange(20.0)[:, None], np.arange(20) // 2)
    whole = resampled_means(sums, counts, resamples=101, seed=3)
    monkeypatch.setattr(bootstrap, "BLOCK", 50)
    np.testing.assert_allclose(resampled_means(sums, counts, resamples=101, seed=3), whole)


def test_a_single_subject_has_no_interval():
    (interval,) = subject_intervals(np.ones((3, 1)), ["a", "a", "a"], resamples=10, seed=0)
    assert interval.low.reason == "1 subject(s) have no interval"


def test_equal_ids_of_two_corpora_are_two_subjects():
    assert len(set(subject_names(["coswara", "coughvid"], ["1", "1"]))) == 2
