"""Scores of an exam from its questions, answers and verdicts, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.bertscore import BertScorer
from raqa.metrics.exams.chains import score_chains
from raqa.metrics.exams.likeness import Compared, compare_wording, disagreements, fluent_errors
from raqa.metrics.exams.means import Floats, Means, number, subject_means
from raqa.metrics.exams.scores import By, ExamCounts, ExamPart, ExamScores, Likeness
from raqa.metrics.exams.sheet import Sheet, sheet
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.scores import recording_counts, subject_counts
from raqa.tables import CRITERIA, VERDICT_OUTCOMES

RESAMPLES = 2_000
"""Enough for percentiles of 95 %; every part is drawn at once."""

NO_SCORE = "no answer has a score"
NO_GRADE = "no answer was given 1 to 3"
NO_TEXT = "no answer is in words"
NO_CHANCE = "not every question is a choice, so that there is no chance level"
NO_CHOICE = "no choice has a score"
_MEASURES = ("score", "answered", "worded", "grade", *CRITERIA, "rouge_l", "bertscore")


def score_exam(
    exam: pl.DataFrame,
    answers: pl.DataFrame,
    verdicts: pl.DataFrame,
    fold: pl.DataFrame,
    *,
    scorer: BertScorer | None = None,
    seeds: Sequence[int] = (),
    resamples: int = RESAMPLES,
    bootstrap_seed: int = 0,
) -> ExamScores:
    """Score an exam.

    Args:
        exam, answers, verdicts: EXAM, ANSWERS and VERDICTS columns; one verdict an answer.
        fold: FOLD columns of the recordings that were asked about.
        scorer: computes BERTScore; None: that is left out.
        seeds: that were to answer; none: those that did.

    Raises:
        ValueError: the tables do not belong together, or there are none.
    """
    page = sheet(exam, answers, verdicts, seeds=seeds)
    compared = compare_wording(page, scorer)
    drawn = min(resamples, RESAMPLES)
    table = _Table.of(page, compared, resamples=drawn, seed=bootstrap_seed)
    difference, interval = table.against_chance()
    odd = pl.col("options").list.len() != 10
    ten = page.exam.filter(pl.col("benchmark") == "medmosaic", pl.col("form") == "choice")
    return ExamScores(
        parts=tuple(table.part(place, *part) for place, part in enumerate(table.parts)),
        chains=score_chains(page, resamples=drawn, seed=bootstrap_seed),
        disagreements=disagreements(page, compared.likeness, page.column("score")),
        text_model=scorer.words if scorer else None,
        judges=_judges(page),
        odd_choices=ten.filter(odd).height,
        seeds=page.seeds,
        difference=difference,
        difference_interval=interval,
        recordings=recording_counts(fold),
        subjects=subject_counts(fold),
        subject_known=bool(fold["subject_known"].all()),
        spread=OverSeeds.of([Number.undefined("verdicts have no spread")] * len(page.seeds)),
        collapsed_seeds=(),
        resamples=drawn,
        bootstrap_seed=bootstrap_seed,
    )


def chance_levels(exam: pl.DataFrame) -> Floats:
    """How often guessing among what a question offers is right, `[questions]`; NaN: it does not."""
    offered = pl.col("options").list.len()
    chance = pl.when(offered > 0).then(1 / offered).when(
        pl.col("question_type") == "single_verify").then(0.5)  # fmt: skip
    return exam.select(chance.cast(pl.Float64)).to_series().fill_null(np.nan).to_numpy()


def _judges(page: Sheet) -> tuple[str, ...]:
    """Every judge with its version and the hashes of its rubrics."""
    by = ["judge", "version"]
    known = (
        page.rows.drop_nulls("judge")
        .group_by(by)
        .agg(pl.col("rubric").drop_nulls().unique().sort())
    )
    return tuple(
        f"{judge} {version}" + (f" (rubrics {', '.join(rubrics)})" if rubrics else "")
        for judge, version, rubrics in known.sort(by).iter_rows()
    )


@dataclass(frozen=True, eq=False)
class _Table:
    """Means of every measure and part, from which parts are made."""

    page: Sheet
    compared: Compared
    parts: list[tuple[By, str, NDArray[np.bool_]]]
    chance: Floats
    means: Means

    @classmethod
    def of(cls, page: Sheet, compared: Compared, *, resamples: int, seed: int) -> _Table:
        score = page.column("score")
        lost = page.where(pl.col("outcome").is_in(["refused", "unreadable"]))
        values = {
            "score": score,
            "answered": np.where(lost, np.nan, score),
            "worded": np.where(np.isfinite(compared.rouge_l), score, np.nan),
            "grade": page.column("grade"),
            **{name: page.column(name) for name in CRITERIA},
            "rouge_l": compared.rouge_l,
            "bertscore": compared.bertscore,
        }
        parts, chance = list(page.parts()), chance_levels(page.exam)
        columns = [
            np.where(inside, values[name], np.nan) for _, _, inside in parts for name in _MEASURES
        ]
        columns.append(chance - score)
        means = subject_means(columns, page.subjects, resamples=resamples, seed=seed)
        return cls(page, compared, parts, chance, means)

    def against_chance(self) -> tuple[Number, Interval]:
        """Chance minus accuracy over choices, with its interval."""
        last = len(self.parts) * len(_MEASURES)
        return self.means.over_seeds(last, NO_CHOICE).mean, self.means.interval(last, NO_CHOICE)

    def part(self, place: int, by: By, name: str, inside: NDArray[np.bool_]) -> ExamPart:
        first = place * len(_MEASURES)
        at = {measure: first + offset for offset, measure in enumerate(_MEASURES)}
        return ExamPart(
            by=by,
            name=name,
            counts=self._counts(inside),
            accuracy=self.means.over_seeds(at["score"], NO_SCORE),
            interval=self.means.interval(at["score"], NO_SCORE),
            answered=self.means.over_seeds(at["answered"], NO_SCORE),
            chance=number(float(self.chance[inside].mean()), NO_CHANCE),
            grade=self.means.over_seeds(at["grade"], NO_GRADE),
            criteria={one: self.means.over_seeds(at[one], NO_GRADE) for one in CRITERIA},
            likeness=self._likeness(at, inside),
        )

    def _likeness(self, at: dict[str, int], inside: NDArray[np.bool_]) -> Likeness:
        compared, wrong, fluent = fluent_errors(
            self.compared.likeness, self.page.column("score"), inside
        )
        meaning = self.compared.reasons.get("bertscore", NO_TEXT)
        return Likeness(
            accuracy=self.means.over_seeds(at["worded"], NO_SCORE),
            rouge_l=self.means.over_seeds(at["rouge_l"], NO_TEXT),
            bertscore=self.means.over_seeds(at["bertscore"], meaning if compared else NO_TEXT),
            compared=compared,
            wrong=wrong,
            fluent=fluent,
        )

    def _counts(self, inside: NDArray[np.bool_]) -> ExamCounts:
        page = self.page
        rows = page.rows.filter(pl.Series(np.tile(inside, len(page.seeds))))
        exam = page.exam.filter(pl.Series(inside))
        found = dict(rows.group_by("outcome").len().iter_rows())
        reasons = (
            rows.filter(pl.col("outcome") == "unscored")
            .group_by(pl.col("reason").fill_null("no reason is known"))
            .len()
            .sort("len", "reason", descending=[True, False])
        )
        return ExamCounts(
            questions=exam.height,
            recordings=exam.select("corpus", "recording_id").n_unique(),
            subjects=len(np.unique(page.subjects[inside])),
            expected=rows.height,
            scored=rows.height - found.get("unscored", 0),
            reasons=tuple(reasons.rows()),
            **{name: found.get(name, 0) for name in VERDICT_OUTCOMES},
        )
