"""The layout of RA-QA's tables: how well models answer questions, and what listening adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raqa.metrics.questions import AnswerDifference
from raqa.metrics.questions.paired import Measure
from raqa.reports.recipes.asked import input_tables, silent_sentences
from raqa.reports.recipes.cells import RecipeFacts, ReportCell
from raqa.reports.recipes.frame import base_report
from raqa.reports.recipes.glossary import ANSWERS
from raqa.reports.recipes.place import interval_shown, signed_text
from raqa.reports.recipes.published import Published
from raqa.reports.recipes.question_grid import (
    PRIOR,
    READS_AND_HEARS,
    Block,
    Contest,
    Place,
    make_blocks,
)
from raqa.reports.recipes.question_picture import question_pictures
from raqa.reports.recipes.question_table import (
    answers_table,
    numbers_table,
    overview_table,
    part_text,
)
from raqa.reports.recipes.records import cell_record, plain
from raqa.reports.recipes.tables import (
    Heading,
    Notes,
    Plain,
    RecipeReport,
    Shown,
    Table,
    joined,
    unique,
)
from raqa.reports.text import interval_text, number_text

PLACES = 3
_COMPARED: tuple[tuple[Measure, str], ...] = (
    ("macro_f1", "macro-F1"),
    ("accuracy", "accuracy"),
    ("relative_mae", "relative MAE"),
)
CAPTION = (
    "First minus second on the same questions, with the 95 % interval over subjects, who are drawn "
    "for both at once. Against text_only, or given=none: what listening adds to reading the "
    "question. Against question_prior: what a model adds to the most frequent training answer. "
    "Bold: the first is better, the interval leaves out 0. Of the relative MAE, below 0 is better. "
    "The intervals are not corrected for how many there are."
)


def questions_report(
    recipe: RecipeFacts, cells: Sequence[ReportCell], published: Published
) -> RecipeReport:
    """The report of layout questions."""
    blocks = make_blocks(cells, published, recipe.parts)
    notes = Notes()
    table = answers_table(blocks, notes, published)
    numbers = None if recipe.parts else numbers_table(blocks, notes)
    tables = [table, *([numbers] if numbers else []), _differences_table(blocks, notes)]
    tables += [one for block in blocks for one in input_tables(block.runs)]
    report = base_report(
        recipe,
        cells,
        summary=list(_summary(blocks)),
        tables=tables,
        pictures=question_pictures(blocks),
        pairs=(),
        notes=notes,
        records=[
            cell_record(recipe, cell, name)
            for block in blocks
            for name, cell in block.cells.items()
        ],
    )
    return replace(report, overview=overview_table(table), terms=ANSWERS)


def _differences_table(blocks: Sequence[Block], notes: Notes) -> Table:
    """Every contest, part by part."""
    headings = (
        Heading("models", "first minus second", "first", numeric=False),
        Heading("questions", "which of the questions", "questions", numeric=False),
        *(Heading(text, f"difference of {text}", name) for name, text in _COMPARED),
    )
    rows = [
        row
        for block in blocks
        for contest in block.contests
        for row in _contest_rows(contest, block, notes, named=len(blocks) > 1)
    ]
    return Table("differences", "Differences", CAPTION, headings, tuple(rows))


def _contest_rows(
    contest: Contest, block: Block, notes: Notes, *, named: bool
) -> Iterator[tuple[Shown, ...]]:
    models = Shown(
        (
            f"{contest.first} − {contest.second}",
            *([" → ".join(unique(block.key))] if named else []),
        ),
        values={"": contest.first, "second": contest.second},
    )
    if contest.why_not is not None:
        missing = Shown(
            (f"missing {notes.mark(contest.why_not)}",), values={"problem": contest.why_not}
        )
        yield (models, Shown.label("all"), *[missing] * len(_COMPARED))
        return
    for place in block.parts:
        if any(key[:2] == place for key in contest.differences):
            yield (
                models,
                Shown((part_text(place),), values={"": place[1]}),
                *(_difference(contest, place, name, notes) for name, _ in _COMPARED),
            )


def _difference(contest: Contest, place: Place, name: Measure, notes: Notes) -> Shown:
    one = contest.differences.get((*place, name))
    if one is None:
        return Shown(("",))
    if not one.difference.defined:
        mark = notes.mark(one.difference.reason or "")
        return Shown((f"n/a {mark}",), values={"": None})
    values: dict[str, Plain] = {
        "": plain(one.difference), "low": plain(one.interval.low), "high": plain(one.interval.high),
        "better": {"first": contest.first, "second": contest.second}.get(one.better or ""),
    }  # fmt: skip
    lines = (
        signed_text(one.difference, PLACES),
        f"95 % {interval_shown(one.interval, notes, PLACES)}",
    )
    return Shown(lines, one.difference.value, one.better == "first", values=values)


def _summary(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        where = f"{' → '.join(unique(block.key))}: " if len(blocks) > 1 else ""
        yield from (where + text for text in _listening(block))
        yield from (where + text for text in _beyond_prior(block))
        yield from (where + text for text in silent_sentences(block.runs))
        yield from (where + text for text in _remarks(block))


def _listening(block: Block) -> Iterator[str]:
    """What is gained by hearing the recording beside reading the question."""
    for contest in block.contests:
        if block.cells[contest.first].head not in READS_AND_HEARS or contest.second == PRIOR:
            continue
        for place in block.parts:
            for name, text in _COMPARED:
                one = contest.differences.get((*place, name))
                if one is not None and name != "accuracy" and _tells(place, block):
                    yield _gain(contest, part_text(place), text, one)


def _tells(place: Place, block: Block) -> bool:
    """Whether a part is said in words: all questions together, or each of the few shown."""
    return place[0] == "all" or ("all", "all") not in block.parts


def _gain(contest: Contest, part: str, measure: str, one: AnswerDifference) -> str:
    found = {
        "first": f"{contest.first} is better",
        "second": f"{contest.second} is better",
    }.get(one.better or "", "they can not be told apart")
    return (
        f"{contest.first} − {contest.second}, {measure} of {part} questions: "
        f"{signed_text(one.difference, PLACES)} (95 % {interval_text(one.interval, PLACES)}); "
        f"{found}."
    )


def _beyond_prior(block: Block) -> Iterator[str]:
    """Which models beat the prior, part by part."""
    contests = [
        contest for contest in block.contests if contest.second == PRIOR and contest.differences
    ]
    for place in block.parts:
        if not contests or not _tells(place, block):
            continue
        for name, text in _COMPARED:
            held = {one.first: one.differences.get((*place, name)) for one in contests}
            known = {model: one for model, one in held.items() if one is not None}
            better = [model for model, one in known.items() if one.better == "first"]
            if known and name != "accuracy":
                said = f"{joined(better)}" if better else "no model"
                yield (
                    f"Better than the question prior in {text} of {part_text(place)} questions "
                    f"(its own: {number_text(next(iter(known.values())).second, PLACES)}): {said}."
                )


def _remarks(block: Block) -> Iterator[str]:
    """What must be known of the answers; what does not hold for all names those it holds for."""
    held: dict[str, list[str]] = {}
    for name, run in block.runs.items():
        for remark in run.scores.remarks:
            held.setdefault(remark, []).append(name)
    for remark, names in held.items():
        yield remark if len(names) == len(block.runs) else f"{joined(names)}: {remark}"
