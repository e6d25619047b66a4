"""The bootstrap of the AUROC: every resample is the AUROC of what it drew, ties and all."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from raqa.metrics.auroc import auroc_interval
from raqa.metrics.bootstrap import resample_counts

RANDOM = np.random.default_rng(5)
SUBJECTS = np.sort(RANDOM.integers(25, size=60))
LABELS = RANDOM.integers(3, size=60)  # of one subject they may differ
SCORES = (RANDOM.normal(size=(2, 60, 3)) + np.eye(3)[LABELS]).round(1)
DRAWS = {"resamples": 300, "seed": 4}


def by_hand(scores: np.ndarray, truth: np.ndarray, subjects: np.ndarray) -> np.ndarray:
    """Every resample with its recordings as often as their subject was drawn, one by one."""
    names, index = np.unique(subjects, return_inverse=True)
    values = []
    for times in np.concatenate([*resample_counts(len(names), **DRAWS)]):
        weights = times[index]
        values.append(
            np.mean(
                [
                    roc_auc_score(truth[:, number], one[:, number], sample_weight=weights)
                    for one in scores
                    for number in range(truth.shape[1])
                ]
            )
        )
    return np.quantile(values, [0.025, 0.975])


@pytest.mark.parametrize("numbers", [[1], [0, 1, 2]], ids=["one class", "each against the rest"])
def test_it_is_that_of_a_plain_loop(numbers: list[int]) -> None:
    truth = LABELS[:, None] == np.array(numbers)
    interval = auroc_interval(SCORES[:, :, numbers], truth, SUBJECTS, **DRAWS)
    expected = by_hand(SCORES[:, :, numbers], truth, SUBJECTS)
    assert [interval.low.value, interval.high.value] == pytest.approx(expected, abs=1e-12)


def test_it_can_be_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = LABELS[:, None] == np.array([1])
    whole = auroc_interval(SCORES[:, :, [1]], truth, SUBJECTS, **DRAWS)
    monkeypatch.setattr("raqa.metrics.auroc._CHUNK", 100)
    parts = auroc_interval(SCORES[:, :, [1]], truth, SUBJECTS, **DRAWS)
    assert parts.low.value == pytest.approx(whole.low.value, abs=1e-12)


def test_the_order_of_recordings_does_not_matter() -> None:
    truth, order = LABELS[:, None] == np.array([1]), RANDOM.permutation(60)
    one = auroc_interval(SCORES[:, :, [1]], truth, SUBJECTS, **DRAWS)
    other = auroc_interval(SCORES[:, order][:, :, [1]], truth[order], SUBJECTS[order], **DRAWS)
    assert other.high.value == pytest.approx(one.high.value, abs=1e-12)


def test_resamples_that_lack_a_class_leave_it_undefined_and_counted() -> None:
    truth = np.arange(20)[:, None] == 0  # one subject of twenty: a third of resamples lack it
    interval = auroc_interval(RANDOM.normal(size=(1, 20, 1)), truth, np.arange(20), **DRAWS)
    assert not interval.low.defined
    assert "of 300 resamples" in (interval.low.reason or "")
