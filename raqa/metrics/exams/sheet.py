"""Questions, answers and verdicts of a run side by side, and the parts they are scored by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.exams.means import Floats
from raqa.metrics.exams.scores import PARTS, By
from raqa.tables import ANSWERS, CRITERIA, DIFFICULTIES, EXAM, EXAM_FORMS, VERDICTS, check_table

_NO_VERDICT = "nobody judged it"
_ORDER = (*DIFFICULTIES, *(name for types in EXAM_FORMS.values() for name in types))
"""Parts whose names have an order of their own; others come by name."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """Every seed's answer to every question, in the same order of questions.

    Attributes:
        exam: EXAM columns, sorted by qa_id.
        rows: VERDICTS columns, response, answer and form; a row for each seed and question,
            sorted by both.
        seeds: in the order of rows.
        subjects: `[questions]`, a number for each person; a recording of an unknown one counts
            as one.
    """

    exam: pl.DataFrame
    rows: pl.DataFrame
    seeds: tuple[int, ...]
    subjects: NDArray[np.int64]

    def column(self, name: str) -> Floats:
        """A column of numbers, `[seeds, questions]`, NaN where it is null."""
        values = self.rows[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        return values.reshape(len(self.seeds), self.exam.height)

    def where(self, condition: pl.Expr) -> NDArray[np.bool_]:
        """Which rows fulfil a condition, `[seeds, questions]`."""
        found = self.rows.select(condition.fill_null(value=False)).to_series().to_numpy()
        return found.reshape(len(self.seeds), self.exam.height)

    def parts(self) -> Iterator[tuple[By, str, NDArray[np.bool_]]]:
        """Every part: by what, its name, and which questions are in it."""
        for by in PARTS:
            if by == "all":
                yield by, "all", np.ones(self.exam.height, np.bool_)
                continue
            names = self.exam[by].drop_nulls().unique().to_list()
            for name in sorted(names, key=_place):
                inside = (self.exam[by] == name).fill_null(value=False)
                yield by, name, inside.to_numpy()


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else -1, name)


def sheet(
    exam: pl.DataFrame,
    answers: pl.DataFrame,
    verdicts: pl.DataFrame,
    *,
    seeds: Sequence[int] = (),
) -> Sheet:
    """Put tables side by side; a question without a verdict is unscored.

    Args:
        exam: EXAM columns.
        answers: ANSWERS columns.
        verdicts: VERDICTS columns of one judge for each question.
        seeds: that were to answer; none: those that did.

    Raises:
        ValueError: the tables do not belong together, or there is no question.
    """
    exam = check_table(exam, EXAM, name="exam", key=["qa_id"]).select(*EXAM).sort("qa_id")
    answers = check_table(answers, ANSWERS, name="answers", key=["seed", "qa_id"])
    verdicts = check_table(verdicts, VERDICTS, name="verdicts", key=["seed", "qa_id"])
    expected = tuple(seeds or answers["seed"].unique().sort().to_list())
    if not exam.height or not expected:
        raise ValueError(f"{len(expected)} seed(s) answered {exam.height} questions")
    asked = pl.DataFrame({"seed": expected}, schema={"seed": pl.Int64}).join(
        exam.select("qa_id", "answer", "form"), how="cross"
    )
    for name, table in (("answer", answers), ("verdict", verdicts)):
        lost = table.join(asked, on=["seed", "qa_id"], how="anti")
        if lost.height:
            raise ValueError(
                f"{lost.height:,} {name}(s) of no question, as {lost['qa_id'][0]}, seed "
                f"{lost['seed'][0]}"
            )
    rows = (
        asked.join(answers.select("seed", "qa_id", "response"), on=["seed", "qa_id"], how="left")
        .join(verdicts.select(*VERDICTS), on=["seed", "qa_id"], how="left")
        .with_columns(
            outcome=pl.col("outcome").fill_null("unscored"),
            reason=pl.when(pl.col("outcome").is_null())
            .then(pl.lit(_NO_VERDICT))
            .otherwise("reason"),
            grade=pl.mean_horizontal(*(pl.col(name) for name in CRITERIA), ignore_nulls=False),
        )
        .sort("seed", "qa_id")
    )
    odd = rows.filter((pl.col("outcome") == "unscored") != pl.col("score").is_null())
    if odd.height:
        raise ValueError(
            f"a verdict is unscored or has a score, not both: {odd.row(0, named=True)}"
        )
    return Sheet(exam, rows, expected, _subjects(exam))


def _subjects(exam: pl.DataFrame) -> NDArray[np.int64]:
    known = pl.col("subject_id").is_not_null()
    whose = pl.struct("corpus", known.alias("known"), who=pl.coalesce("subject_id", "recording_id"))
    numbers = exam.select(whose.rank("dense").cast(pl.Int64) - 1).to_series()
    return numbers.to_numpy()
