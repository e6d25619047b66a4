"""Curves over the number of training subjects: cells in order, pooled, first against last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from raqa.errors import UserError
from raqa.metrics.compare import Pair, compare
from raqa.metrics.number import Number
from raqa.reports.recipes.cells import ReportCell, variants
from raqa.reports.recipes.pooled import Pooled, pool, pooled_predictions
from raqa.reports.run_tables import Run
from raqa.reports.text import pretraining_overlap

EPOCHS, UPDATES = "equal epochs", "equal updates"


@dataclass(frozen=True)
class TrainingCurve:
    """One encoder (and head) from few to many training subjects.

    Attributes:
        name: what is trained; `trained_for` is EPOCHS or UPDATES.
        cells: by size, few to many; the random subsets of one size stand together.
    """

    corpus: str
    task: str
    name: str
    trained_for: str
    cells: Mapping[str, Sequence[ReportCell]]

    @cached_property
    def done(self) -> Mapping[str, Pooled]:
        """Sizes of which at least one subset is done, each taken together."""
        runs = {
            size: [cell.run for cell in cells if cell.run is not None]
            for size, cells in self.cells.items()
        }
        return {size: pool(finished) for size, finished in runs.items() if finished}

    @property
    def run(self) -> Run | None:
        """A run with the most training subjects that are done."""
        return list(self.done.values())[-1].runs[0] if self.done else None

    @property
    def marked_name(self) -> str:
        """The name with † where the encoder saw the corpus before."""
        return self.name + (pretraining_overlap(self.run.provenance).mark if self.run else "")

    @cached_property
    def change(self) -> Pair | Number:
        """The most subjects against the fewest, or the reason why there is no such difference."""
        if len(self.done) < 2 or self.run is None:
            return Number.undefined("fewer than two sizes are done")
        few, *_, many = self.done
        try:
            return compare(
                {size: pooled_predictions(self.done[size].runs) for size in (many, few)},
                resamples=self.run.scores.resamples,
                bootstrap_seed=self.run.scores.bootstrap_seed,
            ).pairs[0]
        except UserError as error:
            return Number.undefined(" ".join(error.problems))


def training_curves(cells: Sequence[ReportCell]) -> list[TrainingCurve]:
    """Cells as curves, in the order of the recipe."""
    heads = len({cell.head for cell in cells}) > 1
    found: dict[tuple[str, str, str, str], dict[str, list[ReportCell]]] = {}
    for cell, variant in zip(cells, variants(cells), strict=True):
        parts = [cell.encoder, *([cell.head] if heads else []), *([variant] if variant else [])]
        panel = UPDATES if cell.equal_updates else EPOCHS
        sizes = found.setdefault((cell.corpus, cell.task, " · ".join(parts), panel), {})
        sizes.setdefault(cell.size, []).append(cell)
    return [
        TrainingCurve(*key, {size: sizes[size] for size in sorted(sizes, key=amount)})
        for key, sizes in found.items()
    ]


def amount(size: str) -> float:
    """Sizes in order; "all" is the largest."""
    return float(size) if size.isdigit() else float("inf")
