"""An interval for a new recording: split-conformal, from subjects that training never looked at.

Vovk, Gammerman and Shafer 2005; Lei et al. 2018 (arXiv:1604.04173), section 2.2. Of every
held-back subject one recording counts, chosen by a hash. Subjects are exchangeable, their
recordings are not, and the mean error of several recordings spreads less than the error of the one
that a new subject brings, so that an interval made of means would be too narrow.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.number import Interval, Number

LEAST_SUBJECTS = 20
"""Fewer held-back subjects give an interval that depends on one or two of them."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Conformal:
    """What is added to and taken from a prediction, in the label's unit.

    It holds for a recording of a new subject of the corpus that was held back, drawn as that
    corpus was; on recordings of another corpus it is void.

    Attributes:
        level: share of new subjects that the interval covers at least, on average over draws.
        half_width: undefined where too few subjects were held back.
        subjects: how many were held back.
        coverage: share of the test subjects that it did cover, one recording each.
        coverage_interval: 95 %, exact (Clopper and Pearson 1934).
        test_subjects: how many these are.
    """

    level: float
    half_width: Number
    subjects: int
    coverage: Number
    coverage_interval: Interval
    test_subjects: int


def conformal(held_back: pl.DataFrame, test: pl.DataFrame, *, level: float = 0.9) -> Conformal:
    """Make the interval from held-back subjects, and try it on the test subjects.

    Args:
        held_back, test: PREDICTIONS columns; the mean over seeds is what is predicted.
        level: between 0 and 1.
    """
    errors, tested = (subject_errors(rows) for rows in (held_back, test))
    width = half_width(errors, level=level)
    covered = int((tested <= width.value).sum())
    coverage, ends = _share(covered, len(tested))
    if width.reason is not None:
        coverage, ends = Number.undefined(width.reason), Interval.undefined(width.reason)
    return Conformal(level, width, len(errors), coverage, ends, len(tested))


def subject_errors(predictions: pl.DataFrame) -> Floats:
    """The absolute error of one recording of every subject, `[subjects]`.

    Args:
        predictions: PREDICTIONS columns.
    """
    recordings = predictions.group_by("corpus", "subject_id", "recording_id").agg(
        error=(pl.col("prediction").mean() - pl.col("truth").first()).abs()
    )
    drawn = [
        hashlib.sha256(f"{corpus}\0{recording}".encode()).hexdigest()
        for corpus, recording in recordings.select("corpus", "recording_id").iter_rows()
    ]
    one = recordings.with_columns(drawn=pl.Series(drawn, dtype=pl.String)).sort(
        "corpus", "subject_id", "drawn"
    )
    return one.group_by("corpus", "subject_id", maintain_order=True).first()["error"].to_numpy()


def half_width(errors: Floats, *, level: float) -> Number:
    """The finite-sample quantile of held-back errors: the ceil((n + 1) level)-th smallest.

    Args:
        errors: `[subjects]`, absolute.

    Returns:
        undefined below LEAST_SUBJECTS, and where the level asks for more subjects than there are.
    """
    count = len(errors)
    if count < LEAST_SUBJECTS:
        return Number.undefined(
            f"{count} subject(s) were held back; at least {LEAST_SUBJECTS} are needed"
        )
    rank = math.ceil(round((count + 1) * level, 9))
    if rank > count:
        needed = math.ceil(level / (1 - level))
        return Number.undefined(
            f"a level of {level:g} needs {needed} held-back subjects; there are {count}"
        )
    return Number(float(np.sort(errors)[rank - 1]))


def _share(covered: int, count: int) -> tuple[Number, Interval]:
    from scipy.stats import binomtest

    if not count:
        return Number.undefined("no test subject"), Interval.undefined("no test subject")
    ends = binomtest(covered, count).proportion_ci(0.95, method="exact")
    return Number(covered / count), Interval(Number(float(ends.low)), Number(float(ends.high)))
