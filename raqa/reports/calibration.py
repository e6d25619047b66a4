"""What a run knows about the errors that a new recording may bring."""

from __future__ import annotations

import polars as pl

from raqa.metrics.conformal import Conformal, conformal
from raqa.metrics.number import Interval, Number
from raqa.reports.run_tables import Run
from raqa.reports.text import count_text, decimals, interval_text, number_text, unit_text
from raqa.tables import PREDICTIONS, check_table

CALIBRATION = "calibration.parquet"
"""File of a run that held validation subjects back: PREDICTIONS columns."""


def conformal_of(run: Run, level: float) -> Conformal | None:
    """The interval of a run that predicts a number; None where it predicts classes."""
    if run.provenance.classes:
        return None
    file = run.path / CALIBRATION
    if not file.is_file():
        nothing = "this run held no validation subjects back (trainer.calibration was 0)"
        return Conformal(
            level, Number.undefined(nothing), 0, Number.undefined(nothing),
            Interval.undefined(nothing), 0,
        )  # fmt: skip
    held_back = check_table(pl.read_parquet(file), PREDICTIONS, name="calibration")
    corpora = held_back["corpus"].unique()
    test = run.predictions.filter(pl.col("corpus").is_in(corpora.to_list()))
    return conformal(held_back, test, level=level)


def conformal_texts(run: Run, interval: Conformal) -> list[str]:
    """What a reader must know of the interval, a sentence each."""
    facts = run.provenance
    level = f"{100 * interval.level:g} %"
    if interval.half_width.reason is not None:
        return [f"No {level} interval: {interval.half_width.reason}."]
    width = f"{number_text(interval.half_width, decimals(facts.unit))} {unit_text(facts.unit)}"
    texts = [
        f"{level} interval: prediction ± {width.strip()}, from "
        f"{count_text(interval.subjects, 'held-back subject')} of {facts.corpus}. "
        + _coverage(interval),
        f"It is void for recordings of any other corpus than {facts.corpus}.",
    ]
    if not facts.subject_known:
        texts.append("Subjects are not known: two may be one person, and the interval too narrow.")
    return texts


def _coverage(interval: Conformal) -> str:
    if interval.coverage.reason is not None:
        return "Its coverage could not be tried: no test subject is of that corpus."
    ends = Interval(*(Number(100 * end.value) for end in (
        interval.coverage_interval.low, interval.coverage_interval.high)))  # fmt: skip
    return (
        f"It covered {100 * interval.coverage.value:.0f} % (95 % interval "
        f"{interval_text(ends, 0)}) of {count_text(interval.test_subjects, 'test subject')}."
    )
