"""What is said of a part of the questions: scores with their intervals, and how many answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from raqa.metrics.number import Interval, OverSeeds
from raqa.metrics.questions import PartScores
from raqa.metrics.questions.paired import Measure as Compared
from raqa.reports.text import decimals

Section = Literal["labels", "numbers", "text"]


@dataclass(frozen=True)
class Measure:
    """One score of a part.

    Attributes:
        name: in the scores, and in the CSV.
        section: of the scores that has it.
        published: what the paper's metric that stands beside it is called.
        compared: the difference that says whether it is better than the prior's; none: it is
            not compared.
        in_unit: whether it is in the attribute's unit.
    """

    name: str
    text: str
    section: Section
    published: str = ""
    compared: Compared | None = None
    in_unit: bool = False

    def of(self, part: PartScores) -> OverSeeds | None:
        """The score; None where the part has no such answers."""
        scores = getattr(part, self.section)
        return None if scores is None else getattr(scores, self.name)

    def interval(self, part: PartScores) -> Interval | None:
        """Its 95 % interval over subjects; None where it has none."""
        return getattr(getattr(part, self.section), f"{self.name}_interval", None)

    def places(self, part: PartScores) -> int:
        """Decimals that it is shown with."""
        if self.in_unit and part.numbers is not None:
            return decimals(part.numbers.unit)
        return 3


LABELS = (
    Measure("macro_f1", "macro-F1", "labels", "macro_f1", "macro_f1"),
    Measure("pooled_f1", "macro-F1, pooled", "labels", "macro_f1"),
    Measure("accuracy", "accuracy", "labels", compared="accuracy"),
)
NUMBERS = (
    Measure("relative_mae", "relative MAE", "numbers", compared="relative_mae"),
    Measure("mae", "MAE", "numbers", "mae", "relative_mae", in_unit=True),
)
TEXTS = (Measure("bertscore", "BERTScore", "text", "bertscore"),)
MAE = NUMBERS[1]


def measures_of(parts: Sequence[PartScores], published: Collection[str]) -> tuple[Measure, ...]:
    """What is shown of a part: of labels where there are any, since numbers have their own part.

    Args:
        parts: of all models that are done.
        published: metrics that the paper has of it, which decide while no model is done.
    """
    if parts:
        labels = any(part.labels is not None for part in parts)
    else:
        labels = MAE.published not in published
    return (*(LABELS if labels else NUMBERS), *TEXTS)
