"""How runs are shown that predict classes: AUROC and cross-entropy, beside the training prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from raqa.metrics.classification import ClassificationScores
from raqa.metrics.groups import GroupError
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.reports.columns import (
    TESTED,
    Column,
    difference_column,
    interval_column,
    number_column,
    seeds_column,
)
from raqa.reports.glossary import CLASSES
from raqa.reports.headline import Headline, Kind, own_lines
from raqa.reports.run_tables import Run
from raqa.reports.text import interval_text, number_text
from raqa.reports.values import ends, mean_and_sd, value
from raqa.tables import SIDES

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

PLACES = 3
_MEASURES = ("auroc", "auprc", "macro_f1", "balanced_accuracy", "cross_entropy",
             "calibration_error")  # fmt: skip


class ClassReport(Kind):
    """Classification."""

    columns: ClassVar[tuple[Column, ...]] = (
        seeds_column(
            "AUROC", "of the last of two classes, or each against the rest: mean ± SD over seeds",
            lambda run: run.classification.auroc, PLACES,
        ),
        interval_column(
            "95 % interval", "of the AUROC, over subjects",
            lambda run: run.classification.auroc_interval, PLACES,
        ),
        difference_column(
            "against prior",
            "cross-entropy minus the training prior's, with 95 % interval; below 0 is better",
        ),
        seeds_column(
            "cross-entropy", "surprise at the truth, nat",
            lambda run: run.classification.cross_entropy, PLACES,
        ),
        number_column(
            "prior", "cross-entropy of saying the classes' frequencies in training",
            lambda run: run.classification.prior_cross_entropy, "nat",
        ),
        seeds_column(
            "AUPRC", "area under precision and recall",
            lambda run: run.classification.auprc, PLACES,
        ),
        seeds_column(
            "macro-F1", "mean F1 of the classes", lambda run: run.classification.macro_f1, PLACES
        ),
        seeds_column(
            "balanced accuracy", "mean recall of the classes",
            lambda run: run.classification.balanced_accuracy, PLACES,
        ),
        seeds_column(
            "calibration error", "distance between sure and right",
            lambda run: run.classification.calibration_error, PLACES,
        ),
        TESTED,
    )  # fmt: skip
    glossary: ClassVar[tuple[tuple[str, str], ...]] = CLASSES
    best: ClassVar[str] = "The highest AUROC"
    better: ClassVar[str] = "higher"
    picture: ClassVar[tuple[str, str]] = (
        "Predicted against true",
        "Each row is a true class; how its test recordings were classified, averaged over seeds, "
        "and their share of the row.",
    )

    def headline(self, run: Run) -> Headline:
        """The AUROC, beside the 0.5 of whoever says the same for everyone."""
        scores = run.classification
        mean = scores.auroc.mean
        return Headline(
            "AUROC",
            scores.auroc,
            scores.auroc_interval,
            Number(0.5) if mean.defined else mean,
            places=PLACES,
            descending=True,
            named=True,
        )

    def results(self, run: Run, style: str) -> Table:
        """Every measure beside the training prior's, then how many of each class there are."""
        from rich.text import Text

        from raqa.reports.listing import plain_table

        scores = run.classification
        table = plain_table("test", "mean", "SD over seeds")
        table.add_column("95 % interval")
        table.add_column("training prior", justify="right")
        for name, summary, interval, prior in _lines(scores):
            mark = style if interval is not None else ""
            table.add_row(
                Text(name, style="bold" if interval is not None else ""),
                Text(number_text(summary.mean, PLACES), style=mark),
                Text(number_text(summary.sd, PLACES), style=mark),
                Text(interval_text(interval, PLACES) if interval else "", style=mark),
                number_text(prior, PLACES) if prior else "",
            )
        for line in own_lines(run, PLACES, "cross-entropy"):
            table.add_row(*line)
        if reason := scores.auroc.mean.reason or scores.auroc_interval.low.reason:
            table.add_row(Text(f"n/a: {reason}", style="dim"))
        table.add_row("")
        table.add_row(*(Text(word, style="bold") for word in ("recordings", *SIDES)))
        for number, name in enumerate(scores.classes):
            table.add_row(name, *(f"{scores.class_counts[side][number]:,}" for side in SIDES))
        return table

    def row(self, run: Run) -> dict[str, Any]:
        """Every measure and the prior's."""
        scores, own = run.classification, run.transfer
        return {
            "classes": list(scores.classes),
            **{key: one for name in _MEASURES
               for key, one in mean_and_sd(name, getattr(scores, name)).items()},
            **ends("auroc", scores.auroc_interval),
            **ends("cross_entropy", scores.cross_entropy_interval),
            "cross_entropy_prior": value(scores.prior_cross_entropy),
            "against_prior": scores.against_baseline,
            **({} if own is None else {
                "own_cross_entropy_mean": value(own.own_error.mean),
                "own_cross_entropy_prior": value(own.own_baseline),
            }),
        }  # fmt: skip

    def summary(self, run: Run) -> dict[str, float]:
        """Every measure, the AUROC of every seed, and the prior's cross-entropy."""
        scores, own = run.classification, run.transfer
        per_seed = zip(scores.seeds, scores.auroc.by_seed, strict=True)
        numbers = {f"{name}_mean": getattr(scores, name).mean.value for name in _MEASURES}
        return {
            **numbers,
            "auroc_sd": scores.auroc.sd.value,
            "auroc_low": scores.auroc_interval.low.value,
            "auroc_high": scores.auroc_interval.high.value,
            "baseline_prior_cross_entropy": scores.prior_cross_entropy.value,
            "difference_to_prior": scores.difference.value,
            **{f"auroc_seed_{seed}": one.value for seed, one in per_seed},
            **(
                {}
                if own is None
                else {
                    "own_cross_entropy_mean": own.own_error.mean.value,
                    "own_baseline_prior_cross_entropy": own.own_baseline.value,
                }
            ),
        }

    def figure(self, run: Run) -> Figure:
        """The confusion of the classes."""
        from raqa.reports.plots import confusion

        return confusion(run)

    def facts(self, run: Run) -> tuple[tuple[str, str], ...]:
        """How many recordings of every class there are on each side."""
        scores = run.classification
        return tuple(
            (name, ", ".join(f"{scores.class_counts[side][number]:,} {side}" for side in SIDES))
            for number, name in enumerate(scores.classes)
        )

    def groups(self, run: Run) -> tuple[GroupError, ...]:  # noqa: ARG002
        """None: an AUROC within small groups is mostly undefined."""
        return ()

    def answers(self, run: Run, answers: pl.DataFrame) -> tuple[Sequence[str], list[list[str]]]:
        """The most probable class, its probability and that one's SD over seeds."""
        rows = [
            [file, name, f"{probability:.3f}", "" if sd is None else f"{sd:.3f}"]
            for file, name, probability, sd in answers.rows()
        ]
        return ("file", run.provenance.task, "probability", "SD over seeds"), rows


def _lines(
    scores: ClassificationScores,
) -> list[tuple[str, OverSeeds, Interval | None, Number | None]]:
    """Name, value, interval and the training prior's value, where there is one."""
    whose = f" ({scores.positive})" if scores.positive else " (macro)"
    half = Number(0.5) if scores.auroc.mean.defined else scores.auroc.mean
    return [
        (f"AUROC{whose}", scores.auroc, scores.auroc_interval, half),
        ("cross-entropy (nat)", scores.cross_entropy, scores.cross_entropy_interval,
         scores.prior_cross_entropy),
        (f"AUPRC{whose}", scores.auprc, None, scores.prior_auprc),
        ("macro-F1", scores.macro_f1, None, scores.prior_macro_f1),
        ("balanced accuracy", scores.balanced_accuracy, None, scores.prior_balanced_accuracy),
        ("calibration error", scores.calibration_error, None, None),
        ("spread", scores.spread, None, None),
    ]  # fmt: skip
