"""Whether one model is better than another: paired over subjects, on the same test recordings."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.errors import UserError
from raqa.metrics.bootstrap import resampled_means, subject_names, subject_totals
from raqa.metrics.number import Interval, Number

LEVEL = 0.05
"""Differences whose (corrected) p-value is below this are called differences."""
NAMED = 5
"""Recordings that a message names."""

Floats = NDArray[np.float64]
_KEY = ["corpus", "recording_id", "subject_id"]


@dataclass(frozen=True)
class Pair:
    """Two models on the same recordings.

    Attributes:
        first, second: what they are called.
        difference: first's error minus second's (absolute, in the label's unit; of classes the
            cross-entropy in nat), every recording counted once and averaged over seeds; below 0
            the first is better.
        interval: 95 %, over subjects, paired.
        p: two-sided, by the bootstrap over subjects; never 0.
        p_holm: the same, corrected (Holm 1979) for all pairs that were compared together.
    """

    first: str
    second: str
    difference: Number
    interval: Interval
    p: Number
    p_holm: Number

    @property
    def better(self) -> str | None:
        """The better one, or None where they can not be told apart."""
        if not self.p_holm.defined or self.p_holm.value >= LEVEL:
            return None
        return self.first if self.difference.value < 0 else self.second


@dataclass(frozen=True)
class Comparison:
    """Several models on the same recordings, every one against every other.

    Attributes:
        errors: mean absolute error by name, averaged over seeds.
        pairs: all of them; the first of a pair stands before the second in `errors`.
        recordings, subjects: how many all were tested on.
    """

    errors: Mapping[str, float]
    pairs: tuple[Pair, ...]
    recordings: int
    subjects: int

    def pair(self, first: str, second: str) -> Pair:
        """The pair as first against second, whichever way round it was compared."""
        for one in self.pairs:
            if (one.first, one.second) == (first, second):
                return one
            if (one.second, one.first) == (first, second):
                return _turned(one)
        raise KeyError((first, second))

    def best(self, eligible: Collection[str]) -> tuple[str, ...]:
        """The smallest error among the eligible, then those that can not be told from it."""
        order = sorted(
            (name for name in self.errors if name in eligible), key=self.errors.__getitem__
        )
        if not order:
            return ()
        best = order[0]
        return (best, *(name for name in order[1:] if self.pair(best, name).better is None))


def recording_errors(predictions: pl.DataFrame) -> pl.DataFrame:
    """Absolute error of every recording, of classes the cross-entropy, averaged over seeds.

    Args:
        predictions: PREDICTIONS or CLASS_PREDICTIONS columns.

    Returns:
        corpus, recording_id, subject_id, truth and error, sorted by the first two.

    Raises:
        UserError: a true class was given probability 0, so that its cross-entropy is infinite.
    """
    error = (pl.col("prediction") - pl.col("truth")).abs()
    if "probabilities" in predictions.columns:
        error = -pl.col("probabilities").list.get(pl.col("truth").cast(pl.Int64)).log()
    table = predictions.group_by(_KEY).agg(pl.col("truth").first(), error.mean().alias("error"))
    endless = table.filter(pl.col("error").is_infinite()).sort(_KEY)
    if endless.height:
        raise UserError(
            f"The true class was given probability 0 for {_some(endless)} recording(s): the "
            "cross-entropy is infinite and can not be compared."
        )
    return table.sort(_KEY)


def compare(
    models: Mapping[str, pl.DataFrame], *, resamples: int = 10_000, bootstrap_seed: int = 0
) -> Comparison:
    """Compare every model with every other; one draw of subjects serves them all.

    Args:
        models: PREDICTIONS columns by the name of the model, two or more.

    Raises:
        UserError: they were not tested on the same recordings with the same labels; the message
            counts those that differ and names some.
    """
    tables = {name: recording_errors(predictions) for name, predictions in models.items()}
    check_same_recordings(tables)
    names, first = list(tables), next(iter(tables.values()))
    errors = np.column_stack([table["error"].to_numpy() for table in tables.values()])
    subjects = subject_names(first["corpus"].to_list(), first["subject_id"].to_list())
    sums, counts = subject_totals(errors, subjects)
    pairs = list(itertools.combinations(range(len(names)), 2))
    means = errors.mean(axis=0)
    found = []
    if len(counts) > 1:
        drawn = resampled_means(sums, counts, resamples=resamples, seed=bootstrap_seed)
        for a, b in pairs:
            found.append((*_tested(drawn[:, a] - drawn[:, b]), means[a] - means[b]))
    else:
        reason = f"{len(counts)} subject(s) can not be drawn again"
        nothing = Interval.undefined(reason), Number.undefined(reason)
        found = [(*nothing, means[a] - means[b]) for a, b in pairs]
    corrected = holm([p for _, p, _ in found])
    return Comparison(
        errors=dict(zip(names, map(float, means), strict=True)),
        pairs=tuple(
            Pair(names[a], names[b], Number(float(difference)), interval, p, p_holm)
            for (a, b), (interval, p, difference), p_holm in zip(
                pairs, found, corrected, strict=True
            )
        ),
        recordings=first.height,
        subjects=len(counts),
    )


def holm(p_values: Iterable[Number]) -> list[Number]:
    """Correct p-values for having looked at all of them (Holm 1979); undefined ones stay so."""
    numbers = list(p_values)
    order = sorted(
        (index for index, one in enumerate(numbers) if one.defined),
        key=lambda index: numbers[index].value,
    )
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * numbers[index].value))
        numbers[index] = Number(largest)
    return numbers


def check_same_recordings(tables: Mapping[str, pl.DataFrame]) -> None:
    """Refuse models that were tested on different recordings, or against different labels.

    Args:
        tables: what `recording_errors` gives, by the name of the model.
    """
    (first, reference), *others = tables.items()
    problems = []
    for name, table in others:
        if reference.select(_KEY).equals(table.select(_KEY)):
            if not np.allclose(reference["truth"], table["truth"], atol=1e-6):
                changed = np.abs(reference["truth"].to_numpy() - table["truth"].to_numpy()) > 1e-6
                problems.append(
                    f"{first} and {name} were tested against different labels: "
                    f"{_some(reference.filter(changed))}."
                )
            continue
        only_first = reference.join(table, on=_KEY, how="anti").sort(_KEY)
        only_second = table.join(reference, on=_KEY, how="anti").sort(_KEY)
        problems.append(
            f"{first} and {name} were tested on different recordings, so their errors can not be "
            f"paired. Only {first}: {_some(only_first)}. Only {name}: {_some(only_second)}. "
            f"Both: {reference.height - only_first.height:,}."
        )
    if problems:
        raise UserError(problems)


def _some(rows: pl.DataFrame) -> str:
    """How many recordings, and the first of them by name."""
    if not rows.height:
        return "0"
    names = [f"{one['corpus']}/{one['recording_id']}" for one in rows.head(NAMED).to_dicts()]
    more = ", ..." if rows.height > NAMED else ""
    return f"{rows.height:,} ({', '.join(names)}{more})"


def _tested(drawn: Floats) -> tuple[Interval, Number]:
    """Interval and p-value of a difference from its resamples `[resamples]`.

    The p-value is twice the share of resamples on the smaller side of zero, the observed study
    counted as one more, so that it agrees with the percentile interval and is never 0
    (Davison and Hinkley 1997, 4.2.5).
    """
    low, high = np.quantile(drawn, [LEVEL / 2, 1 - LEVEL / 2])
    side = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (side + 1) / (len(drawn) + 1))
    return Interval(Number(float(low)), Number(float(high))), Number(p)


def _turned(pair: Pair) -> Pair:
    def minus(number: Number) -> Number:
        return replace(number, value=-number.value)

    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        difference=minus(pair.difference),
        interval=Interval(minus(pair.interval.high), minus(pair.interval.low)),
    )
