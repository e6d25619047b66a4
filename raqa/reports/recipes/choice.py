"""Which encoder stands for a direction of transfer: chosen honestly, and as the paper chose."""

from __future__ import annotations

from dataclasses import dataclass

from raqa.metrics.number import Number
from raqa.reports.recipes.cells import eligible, errors_of, validation_error, why_not_eligible
from raqa.reports.recipes.grid import Row
from raqa.reports.run_tables import Run


@dataclass(frozen=True)
class Chosen:
    """The run that stands for a row, or the reason why none does."""

    run: Run | None
    reason: str | None = None


def by_validation(row: Row) -> Chosen:
    """The smallest error on the training corpus's validation side; nothing of the target is seen.

    Random weights and encoders that saw the target in pre-training can not be chosen.
    """
    can = [run for run in row.runs.values() if eligible(run)]
    errors = [(validation_error(run), run) for run in can]
    defined = [
        (error.value, place, run) for place, (error, run) in enumerate(errors) if error.defined
    ]
    if defined:
        return Chosen(min(defined)[2])
    if not can:
        return Chosen(None, why_not_eligible(row.runs.values()))
    return Chosen(None, errors[0][0].reason)


def by_test(row: Row) -> Chosen:
    """The smallest error on the very recordings that it is then reported on, as the paper chose.

    The result is too good by the choice. Encoders that saw the target are not left out, as the
    paper leaves out only some.
    """
    real = [run for run in row.runs.values() if run.provenance.weights_real]
    if not real:
        return Chosen(None, why_not_eligible(row.runs.values()))
    return Chosen(min(real, key=lambda run: errors_of(run).mae.mean.value))


def gap(run: Run) -> Number:
    """Error minus that of the target's own model, same encoder, head, seeds and recordings."""
    if run.transfer is None:
        return Number.undefined("the run has no model of the tested corpus itself to compare with")
    return run.transfer.gap.mean
