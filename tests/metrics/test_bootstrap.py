import numpy as np
import pytest

from raqa.metrics import bootstrap
from raqa.metrics.bootstrap import (
    resampled_means,
    subject_intervals,
    subject_names,
    subject_totals,
)

TRUTH = 10.0


def studies(count: int, subjects: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Errors `[recordings, studies]` and whose they are: 1 to 8 recordings of every subject.

    Half of the variance lies between subjects, so that a subject's recordings are correlated.
    """
    generator = np.random.default_rng(seed)
    names = np.repeat(np.arange(subjects), generator.integers(1, 9, size=subjects))
    between = generator.gamma(4.0, 1.0, size=(subjects, count)) - 4.0  # skewed, as errors are
    within = generator.normal(0.0, 2.0, size=(len(names), count))
    return TRUTH + between[names] + within, names


def coverage(errors: np.ndarray, drawn_together: np.ndarray) -> float:
    """The share of studies whose interval covers the truth; one draw serves all studies."""
    intervals = subject_intervals(errors, drawn_together, resamples=1000, seed=5)
    return float(np.mean([one.low.value <= TRUTH <= one.high.value for one in intervals]))


def test_the_interval_over_subjects_covers_the_truth_and_one_over_recordings_would_not():
    errors, names = studies(2000, subjects=200, seed=20)
    assert 0.93 <= coverage(errors, names) <= 0.97
    assert coverage(errors, np.arange(len(names))) < 0.85


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
