"""Measures of one seed's class probabilities, each undefined with its reason where it must be.

`probabilities` are `[recordings, classes]`, `truth` `[recordings]` numbers the classes. Means over
classes are over those that the truth has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raqa.metrics.number import Number

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BINS = 15
"""Of the expected calibration error, as Guo et al. 2017 (arXiv:1706.04599) have it."""


def why_one_class(truth: Integers) -> str | None:
    """Why nothing can be told apart, or None."""
    return "all test recordings are of one class" if np.ptp(truth) == 0 else None


def one_against_rest(truth: Integers, classes: int) -> list[int]:
    """The classes whose detection is measured: the positive of two, else all in the truth."""
    return [1] if classes == 2 else [int(number) for number in np.unique(truth)]


def surprise(probabilities: Floats, truth: Integers) -> Floats:
    """Each recording's cross-entropy in nat `[recordings]`; infinite at probability 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(probabilities[np.arange(len(truth)), truth]), np.float64)


def area_under_roc(probabilities: Floats, truth: Integers) -> Number:
    """AUROC of the positive class, or the mean of each class against the rest."""
    from sklearn.metrics import roc_auc_score

    return _one_against_rest(roc_auc_score, probabilities, truth)


def area_under_precision_recall(probabilities: Floats, truth: Integers) -> Number:
    """Average precision of the positive class, or the mean of each class against the rest."""
    from sklearn.metrics import average_precision_score

    return _one_against_rest(average_precision_score, probabilities, truth)


def macro_f1(probabilities: Floats, truth: Integers) -> Number:
    """F1 of the most probable class, averaged over classes."""
    from sklearn.metrics import f1_score

    if reason := why_one_class(truth):
        return Number.undefined(reason)
    said = probabilities.argmax(axis=1)
    value = f1_score(truth, said, labels=np.unique(truth), average="macro", zero_division=0)
    return Number(float(value))


def mean_recall(probabilities: Floats, truth: Integers) -> Number:
    """Balanced accuracy: the recall of every class, averaged."""
    if reason := why_one_class(truth):
        return Number.undefined(reason)
    right = probabilities.argmax(axis=1) == truth
    return Number(float(np.mean([right[truth == number].mean() for number in np.unique(truth)])))


def spread(probabilities: Floats, truth: Integers) -> Number:
    """SD of the probabilities over SD of the truth as 0 and 1, both over all classes together."""
    if reason := why_one_class(truth):
        return Number.undefined(reason)
    indicators = np.eye(probabilities.shape[1])[truth]
    ratio = probabilities.var(axis=0).sum() / indicators.var(axis=0).sum()
    return Number(float(np.sqrt(ratio)))


def calibration_error(probabilities: Floats, truth: Integers) -> Number:
    """Mean distance between how sure the prediction is and how often it is right, in BINS bins."""
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == truth
    place = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(place, weights=right - sure, minlength=BINS)
    return Number(float(np.abs(gaps).sum() / len(truth)))


def _one_against_rest(
    measure: Callable[..., Any], probabilities: Floats, truth: Integers
) -> Number:
    if reason := why_one_class(truth):
        return Number.undefined(reason)
    numbers = one_against_rest(truth, probabilities.shape[1])
    values = [measure(truth == number, probabilities[:, number]) for number in numbers]
    return Number(float(np.mean(values)))
