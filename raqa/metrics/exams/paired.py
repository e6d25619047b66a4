"""Whether one model does better than another in an exam: the same questions, the same subjects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.exams.means import Floats, Means, subject_means
from raqa.metrics.exams.score import RESAMPLES
from raqa.metrics.exams.scores import By
from raqa.metrics.exams.sheet import Sheet, sheet
from raqa.metrics.number import Interval, Number

_NONE = "no question has a score of both"


@dataclass(frozen=True, kw_only=True)
class ExamDifference:
    """The accuracies of two models on one part of the questions.

    Attributes:
        by, name: the part, as in ExamPart.
        questions: that have a score of both; only these count.
        left_out: that have not.
        first, second: over these questions, averaged over each model's own seeds.
        difference: first minus second.
        interval: 95 %, over subjects, paired.
    """

    by: By
    name: str
    questions: int
    left_out: int
    first: Number
    second: Number
    difference: Number
    interval: Interval

    @property
    def better(self) -> Literal["first", "second"] | None:
        """The better one, or None where the interval holds 0 or there is none."""
        if not self.interval.excludes_zero():
            return None
        return "first" if self.difference.value > 0 else "second"


def compare_exams(
    exam: pl.DataFrame,
    first: tuple[pl.DataFrame, pl.DataFrame],
    second: tuple[pl.DataFrame, pl.DataFrame],
    *,
    resamples: int = RESAMPLES,
    bootstrap_seed: int = 0,
) -> tuple[ExamDifference, ...]:
    """Compare two models, for example one that hears with one that does not.

    A question that one of them has no score for counts for neither: unscored is not wrong.

    Args:
        exam: EXAM columns.
        first, second: ANSWERS and VERDICTS columns of each; the numbers of seeds may differ.

    Returns:
        a difference for every part, everything first.
    """
    pages = [sheet(exam, *tables) for tables in (first, second)]
    one, other = (_mean_score(page) for page in pages)
    both = np.isfinite(one) & np.isfinite(other)
    parts = list(pages[0].parts())
    columns = [
        np.where(inside & both, scores, np.nan)[None, :]
        for _, _, inside in parts for scores in (one, other)
    ]  # fmt: skip
    means = subject_means(columns, pages[0].subjects, resamples=resamples, seed=bootstrap_seed)
    return tuple(_difference(part, both, means, 2 * place) for place, part in enumerate(parts))


def _mean_score(page: Sheet) -> Floats:
    """Of each question, averaged over the seeds that have one, `[questions]`."""
    scores = page.column("score")
    counts = np.isfinite(scores).sum(axis=0)
    sums = np.nansum(scores, axis=0)
    undefined = np.full(sums.shape, np.nan)
    return np.asarray(np.divide(sums, counts, out=undefined, where=counts > 0), np.float64)


def _difference(
    part: tuple[By, str, NDArray[np.bool_]], both: NDArray[np.bool_], means: Means, at: int
) -> ExamDifference:
    by, name, inside = part
    difference, interval = means.difference(at, at + 1, _NONE)
    return ExamDifference(
        by=by,
        name=name,
        questions=int((inside & both).sum()),
        left_out=int((inside & ~both).sum()),
        first=means.over_seeds(at, _NONE).mean,
        second=means.over_seeds(at + 1, _NONE).mean,
        difference=difference,
        interval=interval,
    )
