"""How numbers, names and verdicts are written, the same in console, tables and pages."""

from __future__ import annotations

import polars as pl

from raqa.configuration.unused import NO_ENCODER
from raqa.encoders.pretraining import Overlap, overlap
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.scores import FEW_SUBJECTS, Scores
from raqa.metrics.transfer import TransferScores
from raqa.reports.provenance import Provenance

_DECIMALS = {"probability": 3, "nat": 3, "points": 3}
_UNITS = {"kg/m2": "kg/m²", "probability": ""}  # a probability has none
_TASKS = {
    "bmi": "BMI",
    "covid_status": "COVID-19 status",
    "tb_probability": "TB probability",
    "xray_abnormality": "X-ray abnormality",
}
_MINUS = "−"


def decimals(unit: str | None) -> int:
    """How many decimals a number of this unit is shown with."""
    return _DECIMALS.get(unit or "", 2)


def unit_text(unit: str | None) -> str:
    """The unit as it is printed; empty where there is none."""
    return _UNITS.get(unit or "", unit or "")


def task_text(provenance: Provenance) -> str:
    """The task with its unit or classes, for example "age (year)" or "sex (female or male)"."""
    name = _TASKS.get(provenance.task, provenance.task.replace("_", " "))
    *others, last = provenance.classes or (unit_text(provenance.unit),)
    inside = f"{', '.join(others)} or {last}" if others else last
    return f"{name} ({inside})" if inside else name


def number_text(number: Number, places: int = 2) -> str:
    """The number, or n/a."""
    if not number.defined:
        return "n/a"
    text = f"{number.value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", _MINUS)


def interval_text(interval: Interval, places: int = 2) -> str:
    """The ends of an interval, or n/a."""
    if not interval.low.defined:
        return "n/a"
    return f"{number_text(interval.low, places)} to {number_text(interval.high, places)}"


def seeds_text(over_seeds: OverSeeds, places: int = 2) -> str:
    """Mean ± SD over seeds; only the mean where there is one seed."""
    mean = number_text(over_seeds.mean, places)
    return f"{mean} ± {number_text(over_seeds.sd, places)}" if over_seeds.sd.defined else mean


def seed_count_text(seeds: tuple[int, ...]) -> str:
    """For example "5 seeds"."""
    return count_text(len(seeds), "seed")


def count_text(count: int, noun: str) -> str:
    """For example "1 subject" or "2,561 subjects"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def corpus_text(provenance: Provenance) -> str:
    """The corpus's name, or where from and to a model was transferred; synthetic ones marked."""
    name = provenance.corpus
    if provenance.transfer:
        name = f"{name} → {provenance.tested_on}"
    return f"{name} (synthetic)" if provenance.synthetic else name


def regime_text(provenance: Provenance) -> str:
    """The regime with what tells its variants apart, for example "low_n, size 50"."""
    settings = [
        name.replace("_", " ") if value is True else f"{name.replace('_', ' ')} {value}"
        for name, value in provenance.regime_settings.items()
        if value is not False
    ]
    return ", ".join([provenance.regime, *settings])


def encoder_text(provenance: Provenance) -> str:
    """The encoder's name, marked † where it saw the corpus before and where it is untrained."""
    mark = pretraining_overlap(provenance).mark
    random = "" if provenance.weights_real else " (random weights)"
    return f"{provenance.encoder}{mark}{random}"


def model_text(provenance: Provenance) -> str:
    """Encoder and head; the head alone where it is given no embeddings."""
    if provenance.encoder == NO_ENCODER:
        return provenance.head
    return f"{encoder_text(provenance)} → {provenance.head}"


def pretraining_overlap(provenance: Provenance) -> Overlap:
    """Whether the run's encoder was pre-trained on the corpus that it is tested on.

    Random weights saw nothing, and neither did an encoder that there is not.
    """
    tested = provenance.tested_on or provenance.corpus
    if provenance.encoder == NO_ENCODER:
        return Overlap(provenance.encoder, tested, "none found", "", "there is no encoder")
    if not provenance.weights_real:
        return Overlap(provenance.encoder, tested, "none found", "", "untrained")
    return overlap(provenance.encoder, tested)


def verdict_text(scores: Scores, unit: str | None) -> str:
    """Whether the model is above the baseline, in one sentence.

    Args:
        unit: the label's.
    """
    return difference_verdict(
        scores.difference,
        scores.difference_interval,
        scores.baseline,
        compared=scores.compared,
        unit=scores.difference_unit or unit,
    )


def difference_verdict(
    difference: Number, interval: Interval, baseline: str, *, compared: str, unit: str | None
) -> str:
    """Whether a model is above something else, in one sentence.

    "Above" and "below" are said only where the paired interval excludes zero.

    Args:
        difference: of errors; below 0 the model is better.
        compared: what kind of error.
        unit: of the difference.
    """
    places = decimals(unit)
    if not interval.low.defined:
        return f"Can not be told from the {baseline}: {interval.low.reason}."
    if interval.low.value == interval.high.value == 0:
        return f"Says the {baseline}."
    sign = -1 if difference.value < 0 else 1
    low, high = sorted((sign * interval.low.value, sign * interval.high.value))
    by = number_text(Number(sign * difference.value), places)
    ends = interval_text(Interval(Number(low), Number(high)), places)
    amount = f"{by} {unit_text(unit)}".rstrip()
    if interval.excludes_zero():
        found = "Above" if interval.high.value < 0 else "Worse than"
        measure = f", by {compared}" if unit == "points" else ""  # not what the tables show first
        return f"{found} the {baseline} by {amount} (95 % interval {ends}){measure}."
    direction = "smaller" if difference.value < 0 else "larger"
    return (
        f"Can not be told from the {baseline}: the {compared} is "
        f"{amount} {direction}, 95 % interval {ends}."
    )


def gap_text(transfer: TransferScores, unit: str | None) -> str:
    """What training on another corpus costs, in one sentence; decided by the paired interval."""
    places = decimals(unit)
    gap, ends = transfer.gap.mean, transfer.gap_interval
    if not gap.defined:
        return f"Gap to a model of the tested corpus itself: n/a, {gap.reason}."
    amount = f"{number_text(Number(abs(gap.value)), places)} {unit_text(unit)}".rstrip()
    sign = -1 if gap.value < 0 else 1
    if not ends.low.defined:
        return f"Gap to a model of the tested corpus itself: {amount}; {ends.low.reason}."
    low, high = sorted((sign * ends.low.value, sign * ends.high.value))
    interval = interval_text(Interval(Number(low), Number(high)), places)
    direction = "Better" if sign < 0 else "Worse"
    if ends.excludes_zero():
        return (
            f"{direction} than the tested corpus's own model by {amount} "
            f"(95 % interval {interval})."
        )
    return (
        "Can not be told from the tested corpus's own model: the error is "
        f"{amount} {'smaller' if sign < 0 else 'larger'}, 95 % interval {interval}."
    )


def warning_texts(scores: Scores, provenance: Provenance) -> list[str]:
    """What a reader must know before believing the numbers, a sentence each."""
    warnings = []
    if not provenance.weights_real:
        warnings.append("Random weights: the encoder was never trained. This is not a result.")
    seen = pretraining_overlap(provenance)
    if seen.status in {"yes", "possibly"}:
        warnings.append(f"{seen.mark} Pre-training overlap: {seen.sentence}")
    if provenance.subjects_on_two_sides:
        count = count_text(provenance.subjects_on_two_sides, "subject")
        warnings.append(
            f"Leaking: {count} on more than one side of the official split, which was kept as it "
            "is. The error is too small."
        )
    if scores.few_subjects:
        count = count_text(scores.subjects["test"], "test subject")
        warnings.append(
            f"Too few: {count}, under {FEW_SUBJECTS}; the intervals are too narrow to be relied on."
        )
    if not scores.subject_known:
        warnings.append(scores.unknown_subjects)
    if scores.collapsed_seeds and provenance.head not in CONSTANT_HEADS:
        seeds = ", ".join(map(str, scores.collapsed_seeds))
        noun = "seed" if len(scores.collapsed_seeds) == 1 else "seeds"
        warnings.append(
            f"Collapsed: predictions of {noun} {seeds} hardly spread; the model says nearly the "
            "same for everyone."
        )
    return [*warnings, *scores.remarks]


def group_set_aside(rows: pl.DataFrame) -> list[tuple[str, list[str]]]:
    """Group set-aside rows by reason, most frequent first, each with its items in order."""
    groups = rows.group_by("reason", maintain_order=True).agg("item")
    groups = groups.sort(pl.col("item").list.len(), descending=True, maintain_order=True)
    return [(reason or "", [item or "" for item in items]) for reason, items in groups.iter_rows()]


CONSTANT_HEADS = frozenset({"median", "prior", "majority", "question_prior"})
"""Heads that say the same by design, which is no reason for a warning."""
