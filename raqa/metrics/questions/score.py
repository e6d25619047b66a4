"""Scores of one model's answers, made from questions and answers and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.metrics.bertscore import BertScorer
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.questions.judge import GROUP, OUTCOMES, judge
from raqa.metrics.questions.layout import Layout
from raqa.metrics.questions.measures import Measured, interval, measure
from raqa.metrics.questions.resampled import (
    TEXT_MEASURES,
    Resampled,
    resample_pooled,
    resample_texts,
)
from raqa.metrics.questions.scores import (
    Counts,
    LabelScores,
    NumberScores,
    PartScores,
    QuestionScores,
    TextScores,
)
from raqa.metrics.questions.slices import Part, parts_of
from raqa.metrics.questions.texts import Compared, compare_texts
from raqa.questions.reading.truth import in_order

RESAMPLES = 2_000
"""Enough for percentiles of 95 %; every group of every corpus is drawn at once."""

_ONE_CLASS = "the truth has one class"
_NO_TRAINING = "training has no number of this attribute"


def score_questions(
    train: pl.DataFrame,
    test: pl.DataFrame,
    answers: pl.DataFrame,
    *,
    scorer: BertScorer | None = None,
    rendered: bool = False,
    seeds: Sequence[int] = (),
    resamples: int = RESAMPLES,
    bootstrap_seed: int = 0,
) -> QuestionScores:
    """Score answers to test questions.

    Args:
        train, test: QUESTIONS columns of the two sides; of training the labels, the median and
            the range of numbers are used.
        answers: ANSWERS columns.
        scorer: computes BERTScore; None: that is left out.
        rendered: whether responses are made from labels by the templates.
        seeds: seeds that were to answer; none: those that did.

    Raises:
        ValueError: answers and questions do not belong together, or there are none.
    """
    if not test.height or not answers.height:
        raise ValueError(f"{answers.height} answers to {test.height} test questions")
    judged = judge(train, test, answers, seeds=seeds)
    layout = Layout.of(judged)
    parts, members = parts_of(layout.groups)
    measured = measure(
        layout, layout.sums(judged), members, resamples=resamples, seed=bootstrap_seed
    )
    compared = compare_texts(judged, scorer)
    table = _Table(
        layout,
        judged,
        compared,
        measured,
        resample_pooled(layout, judged, members, resamples=resamples, seed=bootstrap_seed),
        resample_texts(layout, compared, members, resamples=resamples, seed=bootstrap_seed),
        _absent(train, layout),
    )
    return QuestionScores(
        seeds=tuple(judged["seed"].unique().sort().to_list()),
        parts=tuple(
            table.part(place, part, row > 0)
            for place, (part, row) in enumerate(zip(parts, members, strict=True))
        ),
        text_model=scorer.words if scorer else None,
        rendered=rendered,
        resamples=resamples,
        bootstrap_seed=bootstrap_seed,
    )


@dataclass(frozen=True, eq=False)
class _Table:
    """Everything that scores of a part are taken from; JUDGED rows are sorted by seed and qa_id."""

    layout: Layout
    judged: pl.DataFrame
    compared: Compared
    measured: Measured
    pooled: Resampled
    texts: Mapping[str, Resampled]
    absent: Sequence[Sequence[str]]

    def part(self, place: int, part: Part, groups: NDArray[np.bool_]) -> PartScores:
        layout = self.layout
        questions = groups[layout.group]
        seeds = len(self.judged) // len(questions)
        rows = np.tile(questions, seeds)
        numeric = groups & layout.numeric
        labelled = groups & ~layout.numeric
        return PartScores(
            by=part.by,
            name=part.name,
            counts=self._counts(questions, rows, groups),
            labels=self._labels(place, labelled) if labelled.any() else None,
            numbers=self._numbers(place, numeric) if numeric.any() else None,
            text=self._text(place, rows.reshape(seeds, -1)),
        )

    def _counts(
        self, questions: NDArray[np.bool_], rows: NDArray[np.bool_], groups: NDArray[np.bool_]
    ) -> Counts:
        outcome = self.judged["outcome"].to_numpy()[rows]
        of_outcome = {name: int((outcome == name).sum()) for name in OUTCOMES}
        return Counts(
            questions=int(questions.sum()),
            subjects=len(np.unique(self.layout.subject[questions])),
            groups=int(groups.sum()),
            expected=len(outcome),
            scored=len(outcome) - of_outcome["unscored"],
            **of_outcome,
        )

    def _labels(self, place: int, groups: NDArray[np.bool_]) -> LabelScores:
        classes = np.bincount(self.layout.cells["group"].to_numpy(), minlength=len(groups))
        names = [" / ".join(row) for row in self.layout.groups.select(GROUP).iter_rows()]
        inside = [int(place) for place in np.flatnonzero(groups)]
        return LabelScores(
            asked=int(groups[self.layout.group].sum()),
            macro_f1=self._over_seeds("macro_f1", place, _ONE_CLASS),
            macro_f1_interval=interval(self.measured.drawn["macro_f1"][:, place]),
            pooled_f1=_over(self.pooled.by_seed[:, place], _ONE_CLASS),
            pooled_f1_interval=interval(self.pooled.drawn[:, place]),
            balanced_accuracy=self._over_seeds("balanced_accuracy", place, _ONE_CLASS),
            balanced_accuracy_interval=interval(self.measured.drawn["balanced_accuracy"][:, place]),
            accuracy=self._over_seeds("accuracy", place, "no answer came back"),
            accuracy_interval=interval(self.measured.drawn["accuracy"][:, place]),
            accuracy_readable=self._over_seeds(
                "accuracy_readable", place, "no answer could be read"
            ),
            one_class=tuple(names[one] for one in inside if classes[one] < 2),
            absent=tuple(f"{names[one]}: {label}" for one in inside for label in self.absent[one]),
        )

    def _numbers(self, place: int, groups: NDArray[np.bool_]) -> NumberScores:
        units = self.layout.groups.filter(pl.Series(groups))["unit"].unique().to_list()
        attributes = self.layout.groups.filter(pl.Series(groups))["attribute"].n_unique()
        one = attributes == 1
        several = f"{attributes} attributes are not pooled"
        drawn = self.measured.drawn
        nothing = np.full(1, np.nan, np.float32)
        median = self.measured.by_seed["median_mae"][:, place]

        def error(name: str, reason: str) -> OverSeeds:
            if not one:
                return _over(np.full(len(median), np.nan), several)
            return self._over_seeds(name, place, reason)

        return NumberScores(
            unit=units[0] if one else None,
            mae=error("mae", _NO_TRAINING),
            mae_interval=interval(drawn["mae"][:, place] if one else nothing),
            mae_readable=error("mae_readable", "no answer could be read"),
            median_mae=_number(median.mean(), _NO_TRAINING) if one else Number.undefined(several),
            relative_mae=self._over_seeds(
                "relative_mae", place, f"{_NO_TRAINING}, or its median is always right"
            ),
            relative_mae_interval=interval(drawn["relative_mae"][:, place]),
        )

    def _text(self, place: int, rows: NDArray[np.bool_]) -> TextScores:
        """Means over the answers that have a text."""
        said = rows & self.compared.said.reshape(rows.shape)

        def count(name: str) -> int:
            return int(np.nansum(self.compared.values[name].reshape(rows.shape)[said]))

        found: dict[str, Any] = {}
        for name in TEXT_MEASURES:
            reason = self.compared.reasons.get(name, "no answer has a text")
            found[name] = _over(self.texts[name].by_seed[:, place], reason)
            drawn = self.texts[name].drawn
            known = name not in self.compared.reasons
            found[f"{name}_interval"] = (
                interval(drawn[:, place]) if known else Interval.undefined(reason)
            )
        return TextScores(
            **found, said=int(said.sum()), empty=count("empty"), truncated=count("truncated")
        )

    def _over_seeds(self, name: str, place: int, reason: str) -> OverSeeds:
        return _over(self.measured.by_seed[name][:, place], reason)


def _absent(train: pl.DataFrame, layout: Layout) -> list[list[str]]:
    """Of every group the labels that training has of it and the test truth lacks."""
    known = train.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    trained = known.drop_nulls("label").select(*GROUP, truth=in_order("label")).unique()
    groups = layout.groups.select(GROUP).with_row_index("group")
    lacking = groups.join(trained, on=GROUP).join(layout.cells, on=["group", "truth"], how="anti")
    named = lacking.sort("group", "truth").rows_by_key("group", named=True)
    return [[row["truth"] for row in named.get(place, [])] for place in range(groups.height)]


def _over(values: Iterable[float], reason: str) -> OverSeeds:
    return OverSeeds.of([_number(float(value), reason) for value in values])


def _number(value: float, reason: str) -> Number:
    return Number(float(value)) if np.isfinite(value) else Number.undefined(reason)
