"""Answers in words beside their references: how like they are, and where judges disagree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.bertscore import BertScorer
from raqa.metrics.exams.means import Floats
from raqa.metrics.exams.scores import Disagreement
from raqa.metrics.exams.sheet import Sheet
from raqa.metrics.number import Number
from raqa.metrics.text import rouge_l

RIGHT = 0.5
"""A score from which on an answer counts as right here: of four grades of 1 to 3, a mean of 2."""
KEPT = 50
"""Disagreements that are kept."""
_WORDED = ("facts", "concept", "open")
_PAIR = ["response", "answer"]


@dataclass(frozen=True, eq=False)
class Compared:
    """Likeness of every answer in words, `[seeds, questions]` each, NaN of others.

    Attributes:
        reasons: why all of a measure is undefined, by its name.
    """

    rouge_l: Floats
    bertscore: Floats
    reasons: Mapping[str, str]

    @property
    def likeness(self) -> Floats:
        """BERTScore, or ROUGE-L where there is no model."""
        return self.rouge_l if "bertscore" in self.reasons else self.bertscore


def compare_wording(sheet: Sheet, scorer: BertScorer | None) -> Compared:
    """Compare every answer in words with its reference, every distinct pair once."""
    worded = pl.col("form").is_in(_WORDED) & pl.col("response").is_not_null()
    pairs = sheet.rows.filter(worded).select(_PAIR).unique(maintain_order=True)
    said, wanted = pairs["response"].to_list(), pairs["answer"].to_list()
    likeness = [rouge_l(*pair) for pair in zip(said, wanted, strict=True)]
    meaning: list[float] | None = None
    reasons = {"bertscore": "no model was chosen for it"}
    if scorer is not None and said:
        meaning, reasons = scorer.score(said, wanted).f1.tolist(), {}
    pairs = pairs.with_columns(
        pl.Series("rouge_l", likeness, pl.Float64),
        pl.Series("bertscore", meaning or [None] * pairs.height, pl.Float64),
    )
    joined = sheet.rows.with_columns(worded=worded).join(
        pairs.with_columns(worded=pl.lit(value=True)), on=[*_PAIR, "worded"], how="left",
        maintain_order="left",
    )  # fmt: skip
    shape = len(sheet.seeds), sheet.exam.height
    values = {
        name: joined[name].fill_null(np.nan).to_numpy().reshape(shape)
        for name in ("rouge_l", "bertscore")
    }
    return Compared(values["rouge_l"], values["bertscore"], reasons)


def fluent_errors(
    likeness: Floats, score: Floats, inside: NDArray[np.bool_]
) -> tuple[int, int, Number]:
    """How many answers are compared, how many of them are wrong, and how many of these are fluent.

    Args:
        likeness, score: `[seeds, questions]`.
        inside: `[questions]`, which questions count.
    """
    compared = np.isfinite(likeness) & inside
    judged = compared & np.isfinite(score)
    wrong, right = judged & (score < RIGHT), judged & (score >= RIGHT)
    if not right.any():
        return int(compared.sum()), int(wrong.sum()), Number.undefined("no answer is right")
    fluent = likeness[wrong] >= np.median(likeness[right])
    return int(compared.sum()), int(wrong.sum()), Number(float(fluent.sum()))


def disagreements(sheet: Sheet, likeness: Floats, score: Floats) -> tuple[Disagreement, ...]:
    """The answers most like their references of those that were judged wrong, at most KEPT."""
    wrong = np.isfinite(likeness) & (score < RIGHT)
    places = np.argwhere(wrong)
    order = sorted(places.tolist(), key=lambda at: (-likeness[tuple(at)], *at))
    names = sheet.exam["qa_id"]
    return tuple(
        Disagreement(
            seed=sheet.seeds[row], qa_id=names[place], likeness=float(likeness[row, place]),
            score=float(score[row, place]),
        )
        for row, place in order[:KEPT]
    )  # fmt: skip
