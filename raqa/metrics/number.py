"""What a result is made of: a number, or NaN with the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from pydantic import BeforeValidator


def _nan_for_null(value: object) -> object:
    return math.nan if value is None else value  # JSON has no NaN


@dataclass(frozen=True, eq=False)
class Number:
    """One number, or NaN and the reason why it is undefined (never 0 in its place)."""

    value: Annotated[float, BeforeValidator(_nan_for_null)]
    reason: str | None = None

    def __post_init__(self) -> None:
        if math.isfinite(self.value) == (self.reason is not None):
            raise ValueError(f"a number is finite or has a reason: {self.value}, {self.reason!r}")

    @classmethod
    def undefined(cls, reason: str) -> Self:
        """NaN, because of `reason`."""
        return cls(math.nan, reason)

    @property
    def defined(self) -> bool:
        """Whether there is a number."""
        return self.reason is None

    def _identity(self) -> float | str:
        return self.value if self.reason is None else self.reason

    def __eq__(self, other: object) -> bool:  # two NaN for the same reason are the same result
        return isinstance(other, Number) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


@dataclass(frozen=True)
class Interval:
    """The two ends of a 95 % interval."""

    low: Number
    high: Number

    @classmethod
    def undefined(cls, reason: str) -> Self:
        """No interval, because of `reason`."""
        return cls(Number.undefined(reason), Number.undefined(reason))

    def excludes_zero(self) -> bool:
        """Whether both ends lie on the same side of zero; False where undefined."""
        return self.low.value > 0 or self.high.value < 0


@dataclass(frozen=True)
class OverSeeds:
    """One number per seed, their mean and their standard deviation (ddof 1)."""

    by_seed: tuple[Number, ...]
    mean: Number
    sd: Number

    @classmethod
    def of(cls, numbers: Sequence[Number]) -> Self:
        """Summarise numbers of all seeds; one that is undefined leaves the mean undefined."""
        reasons = [number.reason for number in numbers if number.reason is not None]
        if reasons:
            nothing = Number.undefined(reasons[0])
            return cls(tuple(numbers), nothing, nothing)
        values = np.array([number.value for number in numbers])
        sd = (
            Number(float(values.std(ddof=1)))
            if len(values) > 1
            else Number.undefined("one seed has no standard deviation")
        )
        return cls(tuple(numbers), Number(float(values.mean())), sd)
