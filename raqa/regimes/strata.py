"""Dealing subjects to the sides of a split so that every stratum has its share of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from raqa.corpora.attributes import ATTRIBUTES
from raqa.tables import SIDES

GROUPS = 5  # of a numeric attribute that a split is stratified on: quintiles


def deal(
    recordings: pl.DataFrame,
    column: str,
    stratify: Sequence[str],
    fractions: tuple[float, float, float],
    seed: int,
) -> pl.DataFrame:
    """Deal subjects (or groups) to the sides at random, every stratum in the fractions asked for.

    Args:
        column: what is dealt as a whole, for example subject_id.
        stratify: attributes, the most important first; those that are not there are passed over.
        fractions: of train, validation and test, together 1.
        seed: of the order within a stratum.

    Returns:
        `column` and `side`, a row for each subject.
    """
    names = [name for name in stratify if name in recordings.columns]
    strata = _strata(recordings, column, names)
    order = np.random.default_rng(seed).permutation(strata.height)
    shuffled = strata[order].sort(names, maintain_order=True) if names else strata[order]
    sides = _proportional(fractions, strata.height)
    return shuffled.select(column, side=pl.Series([SIDES[side] for side in sides], dtype=pl.String))


def _strata(recordings: pl.DataFrame, column: str, names: Sequence[str]) -> pl.DataFrame:
    """One row per subject (or group), sorted by id, with the stratum of each attribute."""
    strata = recordings.select(column).unique().sort(column)
    for name in names:
        numeric = ATTRIBUTES[name].kind == "numeric"
        found = _number_groups if numeric else _usual_labels
        strata = strata.join(found(recordings, column, name), on=column, how="left",
                             maintain_order="left")  # fmt: skip
    return strata


def _number_groups(recordings: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    """The quintile of each subject's median; -1: unknown."""
    subjects = recordings.group_by(column).agg(pl.col(name).median()).sort(column)
    known = subjects[name].drop_nulls().to_numpy()
    if not len(known):
        return subjects.with_columns(pl.lit(-1).alias(name))
    edges = np.quantile(known, np.linspace(0, 1, GROUPS + 1)[1:-1])
    groups = np.searchsorted(edges, subjects[name].fill_null(0).to_numpy(), side="right")
    group = pl.when(pl.col(name).is_null()).then(-1).otherwise(pl.Series(groups))
    return subjects.with_columns(group.alias(name))


def _usual_labels(recordings: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    """Each subject's most frequent label, the first of the alphabet where several are; or null."""
    label = pl.col(name)
    if recordings.schema[name] == pl.List:
        label = label.list.sort().list.join(" + ")
    return (
        recordings.select(column, label)
        .group_by(column, name)
        .len()
        .filter(pl.col(name).is_not_null())
        .sort(column, "len", name, descending=[False, True, False])
        .group_by(column, maintain_order=True)
        .agg(pl.col(name).first())
    )


def _proportional(fractions: tuple[float, float, float], count: int) -> list[int]:
    """Deal `count` places to the sides so that every stretch has about the fractions asked for.

    Each place goes to the side that lags most behind its share, so the proportions hold within
    every stratum of a sorted list as well as over all of it.
    """
    dealt = np.zeros(3)
    sides = []
    for place in range(1, count + 1):
        side = int(np.argmax(np.array(fractions) * place - dealt))
        dealt[side] += 1
        sides.append(side)
    return sides
