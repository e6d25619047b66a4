"""How runs are shown that predict a number: errors in its unit, beside the training median's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from raqa.metrics.groups import GroupError, errors_by_group
from raqa.metrics.number import Interval, Number
from raqa.reports.columns import (
    TESTED,
    Column,
    difference_column,
    interval_column,
    number_column,
    seeds_column,
)
from raqa.reports.glossary import NUMBERS
from raqa.reports.headline import Headline, Kind, own_lines
from raqa.reports.run_tables import Run
from raqa.reports.text import decimals, interval_text, number_text, unit_text
from raqa.reports.values import ends, mean_and_sd, value

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


class NumberReport(Kind):
    """Regression."""

    columns: ClassVar[tuple[Column, ...]] = (
        seeds_column(
            "MAE", "mean absolute error: mean ± SD over seeds", lambda run: run.regression.mae
        ),
        interval_column(
            "95 % interval", "of the MAE, over subjects", lambda run: run.regression.mae_interval
        ),
        difference_column(
            "against median",
            "MAE minus the training median's, with 95 % interval; below 0 is better",
        ),
        number_column(
            "median", "MAE of saying the training median", lambda run: run.regression.median_mae
        ),
        number_column(
            "mean", "MAE of saying the training mean", lambda run: run.regression.mean_mae
        ),
        number_column(
            "MAD", "mean absolute deviation of all labels", lambda run: run.regression.mad
        ),
        seeds_column(
            "R²", "share of the labels' variance explained", lambda run: run.regression.r2, 2
        ),
        seeds_column("Spearman", "rank correlation", lambda run: run.regression.spearman, 2),
        seeds_column(
            "spread", "SD of predictions over SD of labels", lambda run: run.regression.spread, 2
        ),
        TESTED,
    )
    glossary: ClassVar[tuple[tuple[str, str], ...]] = NUMBERS
    best: ClassVar[str] = "The smallest error"
    better: ClassVar[str] = "smaller"
    picture: ClassVar[tuple[str, str]] = (
        "Predicted against true",
        "One dot per test recording, averaged over seeds. On the dashed line a prediction is "
        "exact; the flat line always says the training median.",
    )

    def headline(self, run: Run) -> Headline:
        """The MAE, beside that of the training median."""
        scores, unit = run.regression, run.provenance.unit
        return Headline(
            "MAE",
            scores.mae,
            scores.mae_interval,
            scores.median_mae,
            unit=unit_text(unit),
            places=decimals(unit),
        )

    def results(self, run: Run, style: str) -> Table:
        """Model and baselines, then what has no unit."""
        from rich.text import Text

        from raqa.reports.listing import plain_table

        scores, places = run.regression, decimals(run.provenance.unit)
        table = plain_table(f"test {self.headline(run).axis}", "mean")
        table.add_column("SD over seeds")
        table.add_column("95 % interval over subjects")
        table.add_row(
            Text("model", style="bold"),
            Text(number_text(scores.mae.mean, places), style=style),
            Text(number_text(scores.mae.sd, places), style=style),
            Text(interval_text(scores.mae_interval, places), style=style),
        )
        for line in own_lines(run, places):
            table.add_row(*line)
        for name, number in (
            ("training median", scores.median_mae),
            ("training mean", scores.mean_mae),
            ("MAD of all labels", scores.mad),
        ):
            table.add_row(name, number_text(number, places))
        table.add_row("")
        for name, summary, note in (
            ("R²", scores.r2, scores.r2.mean.reason or ""),
            ("Spearman", scores.spearman, scores.spearman.mean.reason or ""),
            ("spread", scores.spread, "SD of predictions / SD of labels"),
        ):
            table.add_row(
                name, number_text(summary.mean), number_text(summary.sd), Text(note, style="dim")
            )
        return table

    def row(self, run: Run) -> dict[str, Any]:
        """MAE and what stands beside it."""
        scores, own = run.regression, run.transfer
        return {
            **mean_and_sd("mae", scores.mae),
            **ends("mae", scores.mae_interval),
            "mae_median_baseline": value(scores.median_mae),
            "mae_mean_baseline": value(scores.mean_mae),
            "mad": value(scores.mad),
            "against_median": scores.against_baseline,
            **mean_and_sd("r2", scores.r2),
            **mean_and_sd("spearman", scores.spearman),
            **(
                {}
                if own is None
                else {
                    "own_mae_mean": value(own.own_error.mean),
                    "own_mae_median_baseline": value(own.own_baseline),
                }
            ),
        }

    def summary(self, run: Run) -> dict[str, float]:
        """MAE with its interval, of every seed too, and its baselines."""
        scores, own = run.regression, run.transfer
        per_seed = zip(scores.seeds, scores.mae.by_seed, strict=True)
        return {
            "mae_mean": scores.mae.mean.value,
            "mae_sd": scores.mae.sd.value,
            "mae_low": scores.mae_interval.low.value,
            "mae_high": scores.mae_interval.high.value,
            "baseline_median_mae": scores.median_mae.value,
            "baseline_mean_mae": scores.mean_mae.value,
            "mad": scores.mad.value,
            "difference_to_median": scores.difference.value,
            "r2": scores.r2.mean.value,
            "spearman": scores.spearman.mean.value,
            "spread": scores.spread.mean.value,
            **{f"mae_seed_{seed}": one.value for seed, one in per_seed},
            **(
                {}
                if own is None
                else {
                    "own_mae_mean": own.own_error.mean.value,
                    "own_baseline_median_mae": own.own_baseline.value,
                }
            ),
        }

    def figure(self, run: Run) -> Figure:
        """Predictions against labels."""
        from raqa.reports.plots import predicted_against_true

        return predicted_against_true(run)

    def facts(self, run: Run) -> tuple[tuple[str, str], ...]:  # noqa: ARG002
        """Nothing else."""
        return ()

    def groups(self, run: Run) -> tuple[GroupError, ...]:
        """Errors by age group and sex."""
        return errors_by_group(
            run.predictions,
            run.fold,
            run.provenance.task,
            resamples=run.scores.resamples,
            bootstrap_seed=run.scores.bootstrap_seed,
        )

    def answers(self, run: Run, answers: pl.DataFrame) -> tuple[Sequence[str], list[list[str]]]:
        """The number that was predicted and its SD over seeds."""
        unit = f" ({run.provenance.unit})" if run.provenance.unit else ""
        rows = [
            [file, f"{prediction:.2f}", "" if sd is None else f"{sd:.2f}"]
            for file, prediction, sd in answers.select("file", "prediction", "sd_over_seeds").rows()
        ]
        headings = ["file", f"{run.provenance.task}{unit}", "SD over seeds"]
        if answers["level"].count():
            headings.append(f"{100 * answers['level'][0]:g} % interval")
            for row, low, high in zip(rows, answers["low"], answers["high"], strict=True):
                row.append(interval_text(Interval(Number(low), Number(high))))
        return headings, rows
