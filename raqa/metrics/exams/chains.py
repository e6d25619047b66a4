"""Chains of questions: how well each turn is answered, and what a wrong first answer costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.exams.means import Floats, subject_means
from raqa.metrics.exams.scores import ChainScores, TurnScore
from raqa.metrics.exams.sheet import Sheet
from raqa.metrics.number import OverSeeds

_NONE = "no such turn has a score"


def score_chains(sheet: Sheet, *, resamples: int, seed: int) -> ChainScores | None:
    """Score the turns of chains; None: there are none."""
    turned = sheet.exam["turn"].is_not_null().to_numpy()
    if not turned.any():
        return None
    score = sheet.column("score")
    turn = sheet.exam["turn"].fill_null(0).to_numpy()
    first = _of_chain(sheet, score, turn == 1)
    later = turned & (turn > 1)
    columns = {
        **{str(one): _only(score, turn == one) for one in sorted(set(turn[turned].tolist()))},
        "after right": _only(score, later & (first == 1)),
        "after wrong": _only(score, later & (first < 1)),
        "whole": _whole(sheet, score, turned),
    }
    names = list(columns)
    means = subject_means(list(columns.values()), sheet.subjects, resamples=resamples, seed=seed)
    turns = tuple(
        TurnScore(
            name=name, scored=int(means.counts[place]), accuracy=means.over_seeds(place, _NONE),
            interval=means.interval(place, _NONE),
        )
        for place, name in enumerate(names[:-1])
    )  # fmt: skip
    cost, interval = means.difference(
        names.index("after right"), names.index("after wrong"),
        "later turns follow right first ones only, or wrong ones only",
    )  # fmt: skip
    whole: OverSeeds = means.over_seeds(names.index("whole"), _NONE)
    chains = sheet.exam.filter(pl.Series(turned)).select("benchmark", "chain").n_unique()
    return ChainScores(
        chains=chains, turns=turns, whole=whole, cost=cost, cost_interval=interval,
        unscored_first=int((np.isnan(first) & later & np.isfinite(score)).sum()),
    )  # fmt: skip


def _only(values: Floats, inside: NDArray[Any]) -> Floats:
    return np.where(inside, values, np.nan)


def _of_chain(sheet: Sheet, score: Floats, chosen: NDArray[Any]) -> Floats:
    """The score of the chosen turn of each question's chain, `[seeds, questions]`."""
    key = sheet.exam.select(pl.struct("benchmark", "chain").rank("dense").cast(pl.Int64) - 1)
    chain = key.to_series().to_numpy()
    found = np.full((score.shape[0], int(chain.max()) + 1), np.nan)
    found[:, chain[chosen]] = score[:, chosen]
    return np.asarray(found[:, chain], np.float64)


def _whole(sheet: Sheet, score: Floats, turned: NDArray[Any]) -> Floats:
    """For each chain, at its first turn, whether all of its turns are right."""
    turn = sheet.exam["turn"].fill_null(0).to_numpy()
    right = np.ones_like(score)
    for one in set(turn[turned].tolist()):
        of = _of_chain(sheet, score, turn == one)
        right = np.where(np.isnan(of), np.nan, right * (of == 1))
    return _only(right, turn == 1)
