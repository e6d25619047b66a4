"""Kappa as scikit-learn computes it, weighted and not, with intervals over subjects."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from raqa.metrics.agreement import NOTHING, ONE_VERDICT, Agreement, agreement, numbered


def _made(count: int, categories: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    first = random.integers(categories, size=count)
    second = np.where(random.random(count) < 0.6, first, random.integers(categories, size=count))
    return first, second, np.arange(count) % max(count // 4, 1)


@pytest.mark.parametrize(("categories", "graded"), [(2, False), (3, False), (3, True), (5, True)])
def test_kappa_is_that_of_scikit_learn(categories: int, graded: bool) -> None:
    first, second, subjects = _made(200, categories)
    found = agreement(first, second, subjects, categories, graded=graded)
    weights = "quadratic" if graded else None
    assert found.kappa.value == pytest.approx(cohen_kappa_score(first, second, weights=weights))
    assert found.agreed.value == pytest.approx(np.mean(first == second))
    assert (found.answers, found.subjects) == (200, 50)
    assert np.array(found.table)[1, 0] == np.sum((first == 1) & (second == 0))
    assert found.kappa_interval.low.value < found.kappa.value < found.kappa_interval.high.value


def test_intervals_resample_subjects_with_all_their_answers() -> None:
    first, second, _ = _made(60, 2)
    alone = agreement(first, second, np.arange(60), 2)
    tenfold = agreement(
        np.repeat(first, 10), np.repeat(second, 10), np.repeat(np.arange(60), 10), 2
    )
    many = agreement(np.repeat(first, 10), np.repeat(second, 10), np.arange(600), 2)
    assert _width(tenfold) == pytest.approx(_width(alone), rel=1e-9)
    assert _width(many) < _width(alone) / 2


def _width(found: Agreement) -> float:
    return found.kappa_interval.high.value - found.kappa_interval.low.value


def test_the_interval_is_the_percentiles_of_scikit_learns_kappa_over_drawn_subjects() -> None:
    first, second, subjects = _made(120, 2, seed=3)
    found = agreement(first, second, subjects, 2, resamples=400)
    random = np.random.default_rng(9)
    values = []
    for _ in range(400):
        drawn = np.concatenate(
            [np.flatnonzero(subjects == one) for one in random.integers(30, size=30)]
        )
        values.append(cohen_kappa_score(first[drawn], second[drawn]))
    low, high = np.quantile(values, [0.025, 0.975])
    assert found.kappa_interval.low.value == pytest.approx(low, abs=0.05)
    assert found.kappa_interval.high.value == pytest.approx(high, abs=0.05)


def test_weights_count_answers_as_often_as_they_stand_for() -> None:
    first, second, subjects = _made(40, 2)
    times = np.arange(40) % 3 + 1
    weighted = agreement(first, second, subjects, 2, weights=times.astype(np.float64))
    repeated = agreement(*(np.repeat(one, times) for one in (first, second, subjects)), 2)
    assert weighted.kappa.value == pytest.approx(repeated.kappa.value)
    assert weighted.kappa_interval == repeated.kappa_interval
    assert (weighted.answers, repeated.answers) == (40, times.sum())


def test_what_can_not_be_computed_has_a_reason() -> None:
    nothing = agreement(*(np.zeros(0, np.int64),) * 3, 2)
    assert nothing.kappa.reason == nothing.agreed.reason == NOTHING
    same = agreement(*(np.ones(5, np.int64),) * 2, np.arange(5), 2)
    assert (same.agreed.value, same.kappa.reason) == (1.0, ONE_VERDICT)
    assert math.isnan(same.kappa_interval.low.value)
    assert math.isnan(same.agreed_interval.low.value)
    one = agreement(np.array([0, 1]), np.array([0, 1]), np.zeros(2, np.int64), 2)
    assert one.kappa.value == 1.0
    assert "1 subject" in (one.kappa_interval.low.reason or "")


def test_names_become_numbers() -> None:
    assert numbered(["b", "a", "b"]).tolist() == [1, 0, 1]
    assert numbered([]).tolist() == []
