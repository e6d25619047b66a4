"""Two judges of the same answers: where both judged, how far they agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.errors import UserError
from raqa.judges.rules import RULES
from raqa.metrics.agreement import Agreement, agreement, numbered
from raqa.reports.judges.read import Judged
from raqa.tables import CRITERIA

BINARY = ("facts", "concept", "label", "choice")
Floats = NDArray[np.float64]
_ASKED = ("question", "answer", "form", "response")
_UNJUDGED = ("refused", "unreadable")


@dataclass(frozen=True)
class Part:
    """Answers of one kind.

    Attributes:
        name: the form, "right or wrong" for all of those, or a criterion of open answers.
        first, second: the mean of what each judge gave: share of right ones, or 1 to 3.
        found: how far they agree.
    """

    name: str
    first: float
    second: float
    found: Agreement


@dataclass(frozen=True)
class Compared:
    """Two judges of the same answers.

    Attributes:
        parts: what both judged, by kind.
        counts: of answers, what became of them.
        cases: those that they judge differently, the farthest apart first.
    """

    first: Judged
    second: Judged
    parts: tuple[Part, ...]
    counts: dict[str, int]
    cases: pl.DataFrame


def compare_judges(first: Judged, second: Judged) -> Compared:
    """Compare two judges on the answers that both judged.

    Answers that are refusals or unreadable for both, and those that rules read for both, were not
    judged twice and are left out.

    Raises:
        UserError: no answer was judged by both; says what became of all.
    """
    both, counts = _common(first, second)
    if not both.height:
        told = "; ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        raise UserError(
            f"No answer was judged by both: {told or 'there is none'}. Compare runs of the same "
            "responder on the same exam with different judges, or a run with rules."
        )
    others = {name: f"{name}_b" for name in ("score", *CRITERIA)}
    parts = (part(name, rows, one, others[one]) for name, rows, one in kinds(both, others))
    return Compared(first, second, tuple(parts), counts, _cases(both))


def _common(first: Judged, second: Judged) -> tuple[pl.DataFrame, dict[str, int]]:
    """Answers that both judged, and how many were left out, and why."""
    joined = first.rows.join(
        second.rows.select("seed", "qa_id", *_ASKED, *_OF_JUDGE), on=["seed", "qa_id"], how="full",
        suffix="_b", coalesce=True,
    )  # fmt: skip
    other = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_b")) for name in _ASKED)
    why = (
        pl.when(pl.col("outcome").is_null()).then(pl.lit("only in B"))
        .when(pl.col("outcome_b").is_null()).then(pl.lit("only in A"))
        .when(other).then(pl.lit("of which question or answer differ"))
        .when(pl.col("score").is_null() & pl.col("score_b").is_null())
        .then(pl.lit("unscored by both"))
        .when(pl.col("score").is_null()).then(pl.lit("scored by B alone"))
        .when(pl.col("score_b").is_null()).then(pl.lit("scored by A alone"))
        .when((pl.col("judge") == RULES.judge) & (pl.col("judge_b") == RULES.judge))
        .then(pl.lit("read by rules for both"))
        .when(pl.col("outcome").is_in(_UNJUDGED) & pl.col("outcome_b").is_in(_UNJUDGED))
        .then(pl.lit("refused or unreadable for both"))
        .otherwise(pl.lit("judged by both"))
    )  # fmt: skip
    joined = joined.with_columns(why=why).unique(  # seeds that answer alike count once
        ["qa_id", "response", "response_b"], keep="first", maintain_order=True
    )
    counts = dict(joined["why"].value_counts(sort=True).iter_rows())
    return joined.filter(why="judged by both").sort("seed", "qa_id"), counts


_OF_JUDGE = ("judge", "outcome", "score", "reason", *CRITERIA)


def kinds(rows: pl.DataFrame, others: Mapping[str, str]) -> Iterator[tuple[str, pl.DataFrame, str]]:
    """What two judges are compared on: a name, the rows of it and the column of the first's marks.

    Args:
        others: the second's column for score and each criterion; rows without it are left out.
    """
    binary = rows.filter(pl.col("form").is_in(BINARY)).drop_nulls(["score", others["score"]])
    present = [form for form in BINARY if (binary["form"] == form).any()]
    for form in present:
        yield form, binary.filter(form=form), "score"
    if len(present) > 1:
        yield "right or wrong", binary, "score"
    for name in CRITERIA:
        graded = rows.filter(form="open").drop_nulls([name, others[name]])
        if graded.height:
            yield name, graded, name


def part(
    name: str, rows: pl.DataFrame, first: str, second: str, weights: Floats | None = None
) -> Part:
    """How far two columns of marks agree: 0 or 1, or 1 to 3 where the first is of a criterion."""
    graded = first in CRITERIA
    lowest = 1 if graded else 0
    given = [(rows[one] - lowest).cast(pl.Int64).to_numpy() for one in (first, second)]
    subjects = numbered(rows["subject"].to_list())
    found = agreement(
        given[0], given[1], subjects, 3 if graded else 2, graded=graded, weights=weights
    )
    means = [float(np.average(one + lowest, weights=weights)) for one in given]
    return Part(name, means[0], means[1], found)


def _cases(both: pl.DataFrame) -> pl.DataFrame:
    apart = (pl.col("score") - pl.col("score_b")).abs()
    names = ["seed", "qa_id", "form", "question", "answer", "response"]
    judged = [f"{name}{of}" for of in ("", "_b") for name in ("outcome", "score", "reason")]
    return (
        both.with_columns(apart=apart)
        .filter(pl.col("apart") > 0)
        .sort("apart", "seed", "qa_id", descending=[True, False, False])
        .select(*names, *judged)
        .rename({name: f"{name}_a" for name in ("outcome", "score", "reason")})
    )
