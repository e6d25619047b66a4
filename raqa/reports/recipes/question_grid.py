"""Cells that answer questions side by side, and each against others on the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from raqa.errors import UserError
from raqa.metrics.questions import AnswerDifference, PartScores, compare_answers
from raqa.metrics.questions.slices import NUMBERS, By
from raqa.reports.compare_answers import pair_answers
from raqa.reports.recipes.asked import HEARING, silent_partners
from raqa.reports.recipes.cells import ReportCell, variants
from raqa.reports.recipes.published import Published
from raqa.reports.recipes.tables import unique
from raqa.reports.run_tables import Run
from raqa.tables import QUESTION_TYPES

PRIOR = "question_prior"
TEXT_ONLY = "text_only"
READS_AND_HEARS = ("fusion", "soft_prefix")
"""Heads of which the question is what they gain by listening."""

_TELLING = ("responder", "responder.model", HEARING)
"""Settings whose values say by themselves what they are, in the order in which they are told."""

Place = tuple[By, str]
"""A part of the questions, as in PartScores."""


@dataclass(frozen=True)
class Contest:
    """Two columns on the same questions; no differences: `why_not` says why."""

    first: str
    second: str
    differences: Mapping[tuple[By, str, str], AnswerDifference]
    why_not: str | None = None


@dataclass(frozen=True)
class Block:
    """Models that were asked the same questions.

    Attributes:
        key: the corpus trained on, and the one tested on.
        cells: by column, those of heads that only the paper has last.
        parts: of the questions, in the order in which they are shown.
        contests: fusion and its like against text_only, responders against themselves without the
            recording, then every model against the prior.
    """

    key: tuple[str, str]
    cells: Mapping[str, ReportCell]
    parts: tuple[Place, ...]
    contests: tuple[Contest, ...]

    @property
    def runs(self) -> dict[str, Run]:
        """The finished ones by column."""
        return {name: cell.run for name, cell in self.cells.items() if cell.run is not None}

    def beats_prior(self, column: str, place: Place, measure: str | None) -> bool:
        """Whether a model is better than the question prior: the paired interval leaves out 0."""
        for contest in self.contests:
            if (contest.first, contest.second) == (column, PRIOR):
                found = contest.differences.get((*place, measure or ""))
                return found is not None and found.better == "first"
        return False


def part_of(run: Run, place: Place) -> PartScores | None:
    """A run's scores of a part; None: it was not asked such questions."""
    try:
        return run.answering.answers.part(*place)
    except KeyError:
        return None


def make_blocks(
    cells: Sequence[ReportCell], published: Published, parts: Sequence[str]
) -> tuple[Block, ...]:
    """Lay cells out in columns by head, and compare them.

    Args:
        parts: CORPUS/ATTRIBUTE that are shown; none: everything, by question type.

    Raises:
        UserError: two cells would stand at the same place.
    """
    cells = _completed(cells)
    names = _names(cells)
    blocks: dict[tuple[str, str], dict[str, ReportCell]] = {}
    problems = []
    for cell, name in zip(cells, names, strict=True):
        columns = blocks.setdefault((cell.corpus, cell.target), {})
        if name in columns:
            problems.append(f"The recipe has two cells for {cell.corpus}, {name}.")
        columns[name] = cell
    if problems:
        raise UserError(unique(problems))
    theirs = unique(head for _, _, head in published.answers)
    return tuple(_block(key, found, theirs, parts, published) for key, found in blocks.items())


def _completed(cells: Sequence[ReportCell]) -> list[ReportCell]:
    """Cells with the choices that no cell makes, which finished runs know and others do not."""
    known: dict[str, str] = {}
    for key, fact in (("datamodule", "corpus"), ("encoder", "encoder"), ("head", "head")):
        told = [getattr(cell, fact) for cell in cells if cell.run and key not in cell.choices]
        known |= {key: told[0]} if told else {}
    return [replace(cell, choices={**known, **cell.choices}) for cell in cells]


def _names(cells: Sequence[ReportCell]) -> list[str]:
    encoders = len({cell.encoder for cell in cells}) > 1
    return [
        _name(cell.head, cell.encoder if encoders else "", variant)
        for cell, variant in zip(cells, variants(cells), strict=True)
    ]


def _name(head: str, encoder: str, variant: str) -> str:
    """For example `zero_shot random audio`: values that say by themselves what they are stand so.

    Args:
        variant: what else tells the cell apart, `head.hearing.given=audio, responder=random`.
    """
    told = dict(one.partition("=")[::2] for one in variant.split(", ") if one)
    words = [head, *(told.pop(key) for key in _TELLING if key in told)]
    rest = (f"{key}={value}" for key, value in told.items())
    return ", ".join(part for part in (" ".join(words), encoder, *rest) if part)


def _block(
    key: tuple[str, str],
    cells: Mapping[str, ReportCell],
    theirs: Sequence[str],
    parts: Sequence[str],
    published: Published,
) -> Block:
    heads = {cell.head for cell in cells.values()}
    absent = {
        head: ReportCell({"head": head}, None, f"the recipe has no run of {head}; the paper has")
        for head in theirs
        if head not in heads
    }
    runs = {name: cell.run for name, cell in cells.items() if cell.run is not None}
    found = _cases(runs, parts, published) if parts else _types(runs, published)
    return Block(key, {**cells, **absent}, found, tuple(_contests(cells)))


def _types(runs: Mapping[str, Run], published: Published) -> tuple[Place, ...]:
    """Everything, then each question type that was asked or published; of one type, only that."""
    known = {place for run in runs.values() for place in _places(run)}
    known |= {("question_type", part) for part, _, _ in published.answers}
    types: list[Place] = [
        ("question_type", name)
        for name in (*QUESTION_TYPES, NUMBERS)
        if ("question_type", name) in known
    ]
    return (("all", "all"), *types) if len(types) > 1 else tuple(types)


def _cases(
    runs: Mapping[str, Run], parts: Sequence[str], published: Published
) -> tuple[Place, ...]:
    """Every question type of each corpus and attribute."""
    known = {name for run in runs.values() for by, name in _places(run) if by == "group"}
    known |= {part for part, _, _ in published.answers}
    found: list[Place] = []
    for part in parts:
        start = " / ".join(part.split("/", 1))
        names = [f"{start} / {question_type}" for question_type in QUESTION_TYPES]
        there = [name for name in names if name in known]
        found += [("group", name) for name in there or [start]]
    return tuple(found)


def _places(run: Run) -> list[Place]:
    return [(part.by, part.name) for part in run.answering.answers.parts]


def _contests(cells: Mapping[str, ReportCell]) -> list[Contest]:
    """What the model gains by listening, then what it gains over the prior."""
    deaf = [name for name, cell in cells.items() if cell.head == TEXT_ONLY]
    found = [
        _against(name, cells[name], other, cells[other])
        for name in cells
        if cells[name].head in READS_AND_HEARS
        for other in [one for one in deaf if cells[one].encoder == cells[name].encoder] or deaf
    ]
    chosen = {name: cell.choices for name, cell in cells.items()}
    found += [
        _against(name, cells[name], other, cells[other]) for name, other in silent_partners(chosen)
    ]
    return found + [
        _against_prior(name, cell) for name, cell in cells.items() if cell.head != PRIOR
    ]


def _against(first: str, one: ReportCell, second: str, other: ReportCell) -> Contest:
    for name, cell in ((first, one), (second, other)):
        if cell.run is None:
            return Contest(first, second, {}, f"{name}: {cell.problem}")
    assert one.run is not None
    assert other.run is not None
    try:
        pair = pair_answers(one.run, other.run)
    except UserError as error:
        return Contest(first, second, {}, " ".join(error.problems))
    return Contest(first, second, _by_place(pair.differences))


def _against_prior(name: str, cell: ReportCell) -> Contest:
    """Against the prior of the run's own training questions, which every run keeps."""
    run = cell.run
    if run is None or run.answered is None:
        return Contest(name, PRIOR, {}, f"{name}: {cell.problem}")
    if run.answered.prior is None:
        return Contest(name, PRIOR, {}, f"{name}: {run.answering.prior_headline.reason}")
    train, test = (
        run.answered.questions.filter(pl.col("split") == side) for side in ("train", "test")
    )
    found = compare_answers(
        train, test, run.predictions, run.answered.prior,
        resamples=run.scores.resamples, bootstrap_seed=run.scores.bootstrap_seed,
    )  # fmt: skip
    return Contest(name, PRIOR, _by_place(found))


def _by_place(
    found: Sequence[AnswerDifference],
) -> dict[tuple[By, str, str], AnswerDifference]:
    return {(one.by, one.name, one.measure): one for one in found}
