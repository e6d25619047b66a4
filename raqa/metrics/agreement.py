"""How far two who judged the same answers agree: share, and kappa, with intervals over subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raqa.metrics.bootstrap import resample_counts
from raqa.metrics.exams.means import number, percentiles
from raqa.metrics.number import Interval, Number

RESAMPLES = 2_000

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

NOTHING = "no answer was judged by both"
ONE_VERDICT = "both always say the same one, so that chance explains it all"


@dataclass(frozen=True)
class Agreement:
    """Two judges of the same answers.

    Attributes:
        answers, subjects: how many were judged by both, and whose they are.
        table: `[categories, categories]`, answers by the first's and the second's verdict.
        agreed: share of answers with the same verdict.
        kappa: Cohen's (1960): agreement beyond what independent judges with the same frequencies
            would have, as a share of what is possible; of graded verdicts with quadratic weights
            (Cohen 1968), so that 1 against 3 counts four times as much as 1 against 2.
    """

    answers: int
    subjects: int
    table: tuple[tuple[int, ...], ...]
    agreed: Number
    agreed_interval: Interval
    kappa: Number
    kappa_interval: Interval


def agreement(
    first: Places,
    second: Places,
    subjects: Places,
    categories: int,
    *,
    graded: bool = False,
    weights: Floats | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Agreement:
    """Compare two judges.

    Args:
        first, second: `[answers]`, verdicts as numbers from 0 to categories - 1.
        subjects: `[answers]`, whose recording each is about, from 0.
        graded: categories have an order, and are equally far from each other.
        weights: `[answers]`, how many answers each stands for; None: itself.
    """
    cells = first * categories + second
    table = np.bincount(cells, minlength=categories**2).reshape(categories, categories)
    own, whose = np.unique(subjects, return_inverse=True)
    by_subject = np.zeros((len(own), categories**2))
    np.add.at(by_subject, (whose, cells), 1.0 if weights is None else weights)
    far = _distances(categories, graded)
    agreed, kappa = _measures(by_subject.sum(axis=0)[None], far)
    reason = ONE_VERDICT if len(first) else NOTHING
    blocks: list[tuple[Floats, Floats]] = [
        _measures(times @ by_subject, far)
        for times in (
            resample_counts(len(own), resamples=resamples, seed=seed) if len(own) > 1 else ()
        )
    ]
    drawn = [np.concatenate([np.zeros(0), *(block[one] for block in blocks)]) for one in (0, 1)]
    return Agreement(
        answers=len(first),
        subjects=len(own),
        table=tuple(tuple(map(int, row)) for row in table),
        agreed=number(agreed[0], NOTHING),
        agreed_interval=percentiles(drawn[0], len(own)),
        kappa=number(kappa[0], reason),
        kappa_interval=(
            percentiles(drawn[1], len(own)) if np.isfinite(kappa[0]) else Interval.undefined(reason)
        ),
    )


def _distances(categories: int, graded: bool) -> Floats:
    """How much each cell counts as disagreement, `[categories squared]`."""
    rows, columns = np.indices((categories, categories))
    apart = (rows - columns).ravel().astype(np.float64)
    return apart**2 if graded else (apart != 0).astype(np.float64)


def _measures(tables: Floats, far: Floats) -> tuple[Floats, Floats]:
    """Share with the same verdict and kappa of tables `[tables, cells]`; NaN where undefined."""
    size = round(len(far) ** 0.5)
    square = tables.reshape(-1, size, size)
    total = tables.sum(axis=1)
    expected = square.sum(axis=2)[:, :, None] * square.sum(axis=1)[:, None, :]
    observed = tables @ far
    by_chance = expected.reshape(len(tables), -1) @ far
    same = np.trace(square, axis1=1, axis2=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = 1 - observed * total / by_chance
        agreed = same / total
    return agreed, np.where(by_chance > 0, kappa, np.nan)


def numbered(names: Sequence[str]) -> Places:
    """Equal names as equal numbers from 0, `[names]`."""
    _, places = np.unique(np.asarray(names, dtype=str), return_inverse=True)
    return np.asarray(places, np.int64)
