"""Whether one model answers better than another: the same questions, the same drawn subjects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.number import Interval, Number
from raqa.metrics.questions.judge import judge
from raqa.metrics.questions.layout import Layout
from raqa.metrics.questions.measures import Measured, interval, measure
from raqa.metrics.questions.score import RESAMPLES
from raqa.metrics.questions.slices import By, Part, parts_of

Measure = Literal["macro_f1", "balanced_accuracy", "accuracy", "relative_mae"]
COMPARED: tuple[Measure, ...] = ("macro_f1", "balanced_accuracy", "accuracy", "relative_mae")
_LOWER_IS_BETTER = ("relative_mae",)


@dataclass(frozen=True, kw_only=True)
class AnswerDifference:
    """One measure of two models on one part of the questions.

    Attributes:
        by, name: the part, as in PartScores.
        first, second: averaged over each model's own seeds.
        difference: first minus second.
        interval: 95 %, over subjects, paired.
    """

    by: By
    name: str
    measure: Measure
    first: Number
    second: Number
    difference: Number
    interval: Interval

    @property
    def better(self) -> Literal["first", "second"] | None:
        """The better one, or None where the interval holds 0 or there is none."""
        if not self.interval.excludes_zero():
            return None
        above = self.difference.value > 0
        return "first" if above != (self.measure in _LOWER_IS_BETTER) else "second"


def compare_answers(
    train: pl.DataFrame,
    test: pl.DataFrame,
    first: pl.DataFrame,
    second: pl.DataFrame,
    *,
    resamples: int = RESAMPLES,
    bootstrap_seed: int = 0,
) -> tuple[AnswerDifference, ...]:
    """Compare two models, for example fusion with text_only, or a model with a prior.

    Args:
        train, test: QUESTIONS columns, as in score_questions.
        first, second: ANSWERS columns; the numbers of seeds may differ.

    Returns:
        every measure of COMPARED that a part has, in the order of parts; all undefined where an
        answer never came back, since the two are not about the same questions then.
    """
    judged = [judge(train, test, answers) for answers in (first, second)]
    missing = sum(rows.filter(pl.col("outcome") == "unscored").height for rows in judged)
    reason = f"{missing:,} answer(s) never came back" if missing else None
    layout = Layout.of(judged[0])
    parts, members = parts_of(layout.groups)
    one, other = (
        measure(layout, layout.sums(rows), members, resamples=resamples, seed=bootstrap_seed)
        for rows in judged
    )
    return tuple(
        _difference(part, name, _Taken.of(one, place, name), _Taken.of(other, place, name), reason)
        for place, part in enumerate(parts)
        for name in COMPARED
        if _has((members[place] > 0) & (layout.numeric == (name == "relative_mae")))
    )


def _has(groups: NDArray[np.bool_]) -> bool:
    return bool(groups.any())


@dataclass(frozen=True, eq=False)
class _Taken:
    """One measure of one model on one part: its mean over seeds, and resamples."""

    mean: float
    drawn: NDArray[np.float32]

    @classmethod
    def of(cls, model: Measured, place: int, name: Measure) -> Self:
        return cls(float(model.mean(name)[place]), model.drawn[name][:, place])


def _difference(
    part: Part, name: Measure, one: _Taken, other: _Taken, reason: str | None
) -> AnswerDifference:
    first, second = _number(one.mean, None), _number(other.mean, None)
    return AnswerDifference(
        by=part.by,
        name=part.name,
        measure=name,
        first=first,
        second=second,
        difference=_number(one.mean - other.mean, reason),
        interval=Interval.undefined(reason) if reason else interval(one.drawn - other.drawn),
    )


def _number(value: float, reason: str | None) -> Number:
    if reason is None and np.isfinite(value):
        return Number(float(value))
    return Number.undefined(reason or "undefined for one of the two")
