"""Errors by group of subjects: where a model is good, where it is not, and on how many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from raqa.metrics.align import align
from raqa.metrics.bootstrap import subject_intervals, subject_names
from raqa.metrics.number import Interval, Number

AGE_EDGES = (18, 30, 45, 60)
"""Years at which the next age group begins."""
_AGE_NAMES = ("under 18", "18–29", "30–44", "45–59", "60 and over")
_SEX_ORDER = ("female", "male", "other")
UNKNOWN = "unknown"


@dataclass(frozen=True)
class GroupError:
    """The error within one group of the test side, in the label's unit.

    Attributes:
        attribute: what groups: age or sex.
        mae: recording-weighted, averaged over seeds; `interval` is over the group's subjects.
        median_mae: of always saying the training median, same recordings.
        bias: mean of prediction - truth; positive: too high.
    """

    attribute: str
    group: str
    recordings: int
    subjects: int
    mae: Number
    interval: Interval
    median_mae: Number
    bias: Number


def errors_by_group(
    predictions: pl.DataFrame,
    fold: pl.DataFrame,
    target: str,
    *,
    resamples: int = 10_000,
    bootstrap_seed: int = 0,
) -> tuple[GroupError, ...]:
    """Errors by age group and sex, as far as the fold's age and sex columns know them.

    Args:
        target: the attribute that the labels hold; where it is age, no age column is needed.
    """
    test = fold.filter(pl.col("side") == "test").sort("corpus", "recording_id")
    _, predicted = align(predictions, test)
    labels = test["label"].to_numpy()
    median = np.median(fold.filter(pl.col("side") == "train")["label"].to_numpy())
    values = np.column_stack(
        [
            np.abs(predicted - labels).mean(axis=0),
            np.abs(labels - median),
            (predicted - labels).mean(axis=0),
        ]
    )
    subjects = subject_names(test["corpus"].to_list(), test["subject_id"].to_list())
    groups = []
    for attribute, names, order in _groupings(test, target):
        for group in order:
            inside = np.array([name == group for name in names])
            if not inside.any():
                continue
            interval, *_ = subject_intervals(
                values[inside], subjects[inside], resamples=resamples, seed=bootstrap_seed
            )
            mae, median_mae, bias = (Number(float(mean)) for mean in values[inside].mean(axis=0))
            count = len(np.unique(subjects[inside]))
            groups.append(
                GroupError(
                    attribute, group, int(inside.sum()), count, mae, interval, median_mae, bias
                )
            )
    return tuple(groups)


def _groupings(test: pl.DataFrame, target: str) -> list[tuple[str, Sequence[str], tuple[str, ...]]]:
    groupings: list[tuple[str, Sequence[str], tuple[str, ...]]] = []
    age = "label" if target == "age" else "age"
    if age in test.columns and test[age].count():
        names = [_age_group(years) for years in test[age]]
        groupings.append(("age", names, (*_AGE_NAMES, UNKNOWN)))
    if "sex" in test.columns and test["sex"].count():
        sexes = [sex if sex in _SEX_ORDER else UNKNOWN for sex in test["sex"]]
        groupings.append(("sex", sexes, (*_SEX_ORDER, UNKNOWN)))
    return groupings


def _age_group(years: float | None) -> str:
    if years is None or np.isnan(years):
        return UNKNOWN
    return _AGE_NAMES[int(np.searchsorted(AGE_EDGES, years, side="right"))]
