"""Models that sat an exam side by side, and each against others on the same questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from raqa.errors import UserError
from raqa.metrics.exams import By
from raqa.metrics.exams.paired import ExamDifference
from raqa.reports.compare_exams import pair_exams
from raqa.reports.recipes.cells import ReportCell, variants
from raqa.reports.recipes.published import Published
from raqa.reports.recipes.tables import unique
from raqa.reports.run_tables import Run

Place = tuple[By, str]
"""A part of an exam, as in ExamPart."""

PAPER_ONLY = "the paper has this model, the recipe no run of it"
_MODEL = ("responder", "responder.model")
_GIVEN = "head.hearing.given"
_ORDER = ("audio", "both", "spectrogram", "none")
"""What is given, what tells more first: differences are of an earlier minus a later one."""


@dataclass(frozen=True)
class Row:
    """One model, given one kind of input.

    Attributes:
        name: what tells it from the other rows.
        model: as a paper writes it: the last part of its name, in small letters.
    """

    name: str
    model: str
    given: str
    cell: ReportCell

    @property
    def run(self) -> Run | None:
        """Its finished run."""
        return self.cell.run


@dataclass(frozen=True)
class Contest:
    """Two rows on the same questions; no differences: `why_not` says why."""

    first: str
    second: str
    about: str
    differences: Mapping[Place, ExamDifference]
    why_not: str | None = None


def make_rows(cells: Sequence[ReportCell], published: Published) -> tuple[Row, ...]:
    """Name every cell; models that only the paper has come last.

    Raises:
        UserError: two cells are the same in everything that a row is called after.
    """
    models = [_model(cell) for cell in cells]
    givens = [_given(cell) for cell in cells]
    several = len(set(givens)) > 1
    names = [f"{model}, {given}" if several else model for model, given in zip(models, givens)]  # noqa: B905
    told = variants([_placed(cell, name) for cell, name in zip(cells, names, strict=True)])
    names = [f"{name}, {more}" if more else name for name, more in zip(names, told, strict=True)]
    doubled = unique(name for name in names if names.count(name) > 1)
    if doubled:
        raise UserError([f"The recipe has two cells for {name}." for name in doubled])
    rows = [Row(*one) for one in zip(names, models, givens, cells, strict=True)]
    return (*rows, *_of_paper(published, models))


def _of_paper(published: Published, models: Sequence[str]) -> Iterator[Row]:
    absent = [key for key in unique(key[:2] for key in published.exams) if key[0] not in models]
    for model, given in absent:
        several = sum(one == model for one, _ in absent) > 1
        cell = ReportCell({"head": model}, None, PAPER_ONLY)
        yield Row(f"{model}, {given}" if several else model, model, given, cell)


def _placed(cell: ReportCell, name: str) -> ReportCell:
    """The cell under its name alone, for what else tells it from others."""
    others = {key: one for key, one in cell.choices.items() if key not in {*_MODEL, _GIVEN}}
    return replace(cell, choices={**others, "head": name})


def _model(cell: ReportCell) -> str:
    """The model, or the responder without one."""
    known = _setting(cell, "responder")
    named = known.get("model") if isinstance(known, Mapping) else None
    name = named or cell.choices.get("responder.model") or cell.choices.get("responder")
    return str(name or cell.head).rstrip("/").rsplit("/", maxsplit=1)[-1].lower()


def _given(cell: ReportCell) -> str:
    return str(cell.choices.get(_GIVEN) or _setting(cell, "head", "hearing", "given") or "")


def _setting(cell: ReportCell, *path: str) -> Any:
    """A setting of the finished run, or None."""
    found: Any = {} if cell.run is None else cell.run.config
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def make_places(rows: Sequence[Row], by: Sequence[str], published: Published) -> tuple[Place, ...]:
    """Everything, then the parts that any run or the paper has."""
    found: list[Place] = [("all", "all")]
    for one in by or ("question_type",):
        known = [
            part.name for row in rows if row.run for part in row.run.exam.parts if part.by == one
        ]
        theirs = [part for _, _, of, part in published.exams if of == one]
        found += [(one, name) for name in unique([*known, *theirs])]  # type: ignore[misc]
    return tuple(found)


def contests(rows: Sequence[Row]) -> Iterator[Contest]:
    """What hearing adds for each model, then the best model of each input against the others."""
    rank = {given: place for place, given in enumerate(_ORDER)}
    ordered = sorted(rows, key=lambda row: rank.get(row.given, len(rank)))
    for first, second in combinations(ordered, 2):
        if first.model == second.model and first.given != second.given:
            yield _against(first, second, "input")
    for given in unique(row.given for row in rows):
        there = [row for row in rows if row.given == given and row.run is not None]
        there.sort(key=lambda row: -_accuracy(row))
        for other in there[1:]:
            yield _against(there[0], other, "model")


def _accuracy(row: Row) -> float:
    mean = row.run.exam.all.accuracy.mean if row.run else None
    return mean.value if mean is not None and mean.defined else -1.0


def _against(first: Row, second: Row, about: str) -> Contest:
    for row in (first, second):
        if row.run is None:
            return Contest(first.name, second.name, about, {}, f"{row.name}: {row.cell.problem}")
    assert first.run is not None
    assert second.run is not None
    try:
        pair = pair_exams(first.run, second.run)
    except UserError as error:
        return Contest(first.name, second.name, about, {}, " ".join(error.problems))
    found = {(one.by, one.name): one for one in pair.differences}
    return Contest(first.name, second.name, about, found)
