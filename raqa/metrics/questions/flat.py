"""Scores of answers as flat tables, for reports, files and trackers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import polars as pl

from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.questions.paired import AnswerDifference
from raqa.metrics.questions.scores import (
    Counts,
    LabelScores,
    NumberScores,
    PartScores,
    QuestionScores,
    TextScores,
)

_NOT_COUNTED = ("one_class", "absent", "unit")
_LEADING = {"model": pl.String, "by": pl.String, "name": pl.String, "unit": pl.String}
_SCORED = (LabelScores, NumberScores, TextScores)
_PARTS = {"labels": LabelScores, "numbers": NumberScores, "text": TextScores}


def _columns() -> dict[str, Any]:
    columns: dict[str, Any] = {**_LEADING}
    columns |= {one.name: pl.Int64 for one in fields(Counts)}
    for kind in _SCORED:
        for one in fields(kind):
            if one.type == "OverSeeds":
                columns |= {one.name: pl.Float64, f"{one.name}_sd": pl.Float64}
            elif one.type == "Interval":
                columns |= {f"{one.name[:-9]}_low": pl.Float64, f"{one.name[:-9]}_high": pl.Float64}
            elif one.type == "Number":
                columns |= {one.name: pl.Float64}
            elif one.name not in _NOT_COUNTED:
                columns |= {one.name: pl.Int64}
    return columns | {"undefined": pl.String}


SCORES = _columns()
"""Columns of `scores_table`: counts, then means, their SD over seeds and ends of intervals; null
where undefined, and `undefined` says why: "name: reason; ..."."""

DIFFERENCES = {
    "first": pl.String,
    "second": pl.String,
    "by": pl.String,
    "name": pl.String,
    "measure": pl.String,
    "first_value": pl.Float64,
    "second_value": pl.Float64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "better": pl.String,  # the better model's name, or null
    "undefined": pl.String,
}


def scores_table(models: Mapping[str, QuestionScores]) -> pl.DataFrame:
    """All parts of all models, a row each.

    Args:
        models: scores by the name of the model.

    Returns:
        SCORES columns.
    """
    rows = [
        {"model": model, **_row(part)} for model, scores in models.items() for part in scores.parts
    ]
    return pl.DataFrame(rows, schema=SCORES)


def differences_table(
    compared: Mapping[tuple[str, str], Iterable[AnswerDifference]],
) -> pl.DataFrame:
    """Differences of pairs of models, a row for each part and measure.

    Args:
        compared: what compare_answers gives, by the names of the first and the second model.

    Returns:
        DIFFERENCES columns.
    """
    rows = []
    for (first, second), differences in compared.items():
        for one in differences:
            reason = one.difference.reason or one.interval.low.reason
            rows.append({
                "first": first, "second": second,
                "by": one.by, "name": one.name, "measure": one.measure,
                "first_value": _value(one.first), "second_value": _value(one.second),
                "difference": _value(one.difference),
                "low": _value(one.interval.low), "high": _value(one.interval.high),
                "better": {"first": first, "second": second}.get(one.better or ""),
                "undefined": reason,
            })  # fmt: skip
    return pl.DataFrame(rows, schema=DIFFERENCES)


def _row(part: PartScores) -> dict[str, Any]:
    row: dict[str, Any] = {"by": part.by, "name": part.name}
    row |= {one.name: getattr(part.counts, one.name) for one in fields(Counts)}
    reasons = []
    for place in _PARTS:
        scores = getattr(part, place)
        for one in fields(scores) if scores is not None else ():
            cells, reason = _cells(one.name, getattr(scores, one.name))
            row |= cells
            if reason:
                reasons.append(f"{one.name}: {reason}")
    return {**row, "undefined": "; ".join(reasons) or None}


def _cells(name: str, value: object) -> tuple[dict[str, Any], str | None]:
    """The columns that one score fills, and why it is undefined."""
    if isinstance(value, OverSeeds):
        return {name: _value(value.mean), f"{name}_sd": _value(value.sd)}, value.mean.reason
    if isinstance(value, Interval):
        ends = {f"{name[:-9]}_low": _value(value.low), f"{name[:-9]}_high": _value(value.high)}
        return ends, value.low.reason
    if isinstance(value, Number):
        return {name: _value(value)}, value.reason
    return ({name: value} if name in SCORES else {}), None


def _value(number: Number) -> float | None:
    return None if math.isnan(number.value) else number.value
