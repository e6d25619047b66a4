"""Times of coughs in a recording, and what follows from them: count, duration, interval."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean


@dataclass(frozen=True)
class Coughs:
    """The annotated coughs of one recording, in the order of their starts.

    Attributes:
        starts, ends: seconds from the recording's beginning.
    """

    starts: tuple[float, ...]
    ends: tuple[float, ...]

    @property
    def times(self) -> tuple[tuple[float, float], ...]:
        """Start and end of each cough."""
        return tuple(zip(self.starts, self.ends, strict=True))

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.starts)

    @property
    def duration(self) -> float | None:
        """Mean duration in seconds; None: there is no cough."""
        return fmean(end - start for start, end in self.times) if self.count else None

    @property
    def interval(self) -> float | None:
        """Mean time from a start to the next in seconds; None: there are fewer than two coughs."""
        return (self.starts[-1] - self.starts[0]) / (self.count - 1) if self.count > 1 else None


def read_coughs(path: Path) -> tuple[Coughs | None, str | None]:
    """Read `{"start_times": [...], "end_times": [...]}`, in seconds and in any order.

    Returns:
        the coughs, or None and what is wrong with the file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
        starts, ends = (
            [float(time) for time in found[name]] for name in ("start_times", "end_times")
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        return None, f"{path.name} has no readable start_times and end_times ({error!r})"
    if len(starts) != len(ends):
        return None, f"{path.name} has {len(starts)} start_times and {len(ends)} end_times"
    times = sorted(zip(starts, ends, strict=True))
    if not all(math.isfinite(end) and 0 <= start < end for start, end in times):
        return None, f"{path.name} has a cough that ends before it starts, or starts before 0"
    return Coughs(tuple(start for start, _ in times), tuple(end for _, end in times)), None
