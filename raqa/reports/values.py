"""Numbers as plain values for tables; undefined ones are null, never 0."""

from __future__ import annotations

from raqa.metrics.number import Interval, Number, OverSeeds


def value(number: Number) -> float | None:
    """The number, or None."""
    return number.value if number.defined else None


def mean_and_sd(name: str, summary: OverSeeds) -> dict[str, float | None]:
    """`<name>_mean` and `<name>_sd`."""
    return {f"{name}_mean": value(summary.mean), f"{name}_sd": value(summary.sd)}


def ends(name: str, interval: Interval) -> dict[str, float | None]:
    """`<name>_low` and `<name>_high`."""
    return {f"{name}_low": value(interval.low), f"{name}_high": value(interval.high)}
