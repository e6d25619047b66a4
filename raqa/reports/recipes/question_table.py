"""Table 2's form: a row for each question type and measure, a column for each model."""

from __future__ import annotations

from collections.abc import Sequence

from raqa.metrics.number import Number
from raqa.metrics.questions import Counts, PartScores
from raqa.metrics.scores import FEW_SUBJECTS
from raqa.reports.recipes.cells import ReportCell
from raqa.reports.recipes.place import flags, interval_shown, number_shown, random, signed_text
from raqa.reports.recipes.published import Published, published_text
from raqa.reports.recipes.question_grid import Block, Place, part_of
from raqa.reports.recipes.question_measures import MAE, Measure, measures_of
from raqa.reports.recipes.records import plain
from raqa.reports.recipes.tables import Heading, Notes, Plain, Shown, Table, unique
from raqa.reports.run_tables import Run
from raqa.reports.text import decimals, pretraining_overlap, seeds_text, unit_text

CAPTION = (
    "Mean ± SD over seeds; 95 % interval over subjects. Macro-F1 is computed for each corpus, "
    "attribute and question type and then averaged; pooled, over the labels of all of them at "
    "once. Unreadable and refused answers are wrong. Bold: better than the question prior, which "
    "never listens (the paired interval leaves out 0)."
)
PAPER = (
    " Paper: the published number, and ours minus it. How the paper pooled labels is not stated, "
    "so its macro-F1 stands beside both; its MAE is one over attributes of several units, ours is "
    "given for each attribute."
)
NUMBERS_CAPTION = (
    "Mean absolute error of every attribute in its unit, ± SD over seeds, 95 % interval over "
    "subjects. An answer without a number counts as the number farthest from the truth within the "
    "training range. Bold: better than the question prior. Median: of always saying the training "
    "median."
)
_OUTCOMES = ("unreadable", "refused", "unscored")


def answers_table(blocks: Sequence[Block], notes: Notes, published: Published) -> Table:
    """Every part with every measure and its counts of answers."""
    columns = unique(name for block in blocks for name in block.cells)
    headings = (
        *_where(blocks),
        Heading("questions", "which; test questions (subjects)", "questions", numeric=False),
        Heading("measure", "what is said of the answers", "measure", numeric=False),
        *(Heading(_spaced(name), "what this model reached", name) for name in columns),
    )
    rows = [
        (*_corpora(block, blocks), *row)
        for block in blocks
        for place in block.parts
        for row in _part_rows(block, place, columns, notes, published)
    ]
    caption = CAPTION + (PAPER if published.answers else "")
    return Table("table", "Answers", caption, headings, tuple(rows))


def numbers_table(blocks: Sequence[Block], notes: Notes) -> Table | None:
    """The error of every numeric attribute; None: no question is about a number."""
    columns = unique(name for block in blocks for name in block.runs)
    headings = (
        *_where(blocks),
        Heading("attribute", "corpus, attribute and unit", "attribute", numeric=False),
        Heading("test n", "test questions (subjects)", "n_test"),
        *(Heading(_spaced(name), "MAE of this model", name) for name in columns),
        Heading("median", "MAE of the training median", "median"),
    )
    rows = [
        (*_corpora(block, blocks), *_number_row(block, place, columns, notes))
        for block in blocks
        for place in _numeric(block)
    ]
    return Table("numbers", "Numbers", NUMBERS_CAPTION, headings, tuple(rows)) if rows else None


def overview_table(table: Table) -> Table:
    """Of an answers table the first measure of every part, means alone: it fits a terminal.

    A model is a row where one set of runs is shown, since there are more models than parts.
    """
    measure = next(
        place for place, heading in enumerate(table.headings) if heading.name == "measure"
    )
    seen, rows = set[tuple[str, ...]](), []
    for row in table.rows:
        key = tuple(shown.lines[0] for shown in row[:measure])
        if key not in seen:
            seen.add(key)
            rows.append(tuple(Shown((_alone(shown.lines[0]),), best=shown.best) for shown in row))
    whole = Table("overview", table.title, "", table.headings, tuple(rows))
    return _turned(whole) if measure == 1 else whole


def _turned(table: Table) -> Table:
    """Models in rows, parts with their measure in columns."""
    parts, measures, *models = zip(*table.rows, strict=True)
    headings = (
        Heading("model", "what answers", "model", numeric=False),
        *(
            Heading(f"{part.lines[0]} {measure.lines[0]}", "", part.lines[0])
            for part, measure in zip(parts, measures, strict=True)
        ),
    )
    rows = tuple(
        (Shown.label(heading.text), *column)
        for heading, column in zip(table.headings[2:], models, strict=True)
    )
    return Table(table.name, table.title, "", headings, rows)


def _alone(line: str) -> str:
    """A number without its SD, a gap without the mark of a note."""
    return line.partition(" ± ")[0].partition(" [")[0]


def part_text(place: Place) -> str:
    """How a part is called: `single verify`, or `icbhi, diagnosis, single verify`."""
    return place[1].replace(" / ", ", ").replace("_", " ")


def _spaced(name: str) -> str:
    """A column's name that can be broken into lines."""
    return name.replace("_", " ")


def _where(blocks: Sequence[Block]) -> tuple[Heading, ...]:
    """Columns that tell blocks apart, where there are several."""
    if len(blocks) < 2:
        return ()
    return (
        Heading("trained on", "whose recordings are learnt from", "trained_on", numeric=False),
        Heading("tested on", "whose recordings are asked about", "tested_on", numeric=False),
    )


def _corpora(block: Block, blocks: Sequence[Block]) -> tuple[Shown, ...]:
    return tuple(map(Shown.label, block.key)) if len(blocks) > 1 else ()


def _part_rows(
    block: Block, place: Place, columns: Sequence[str], notes: Notes, published: Published
) -> list[tuple[Shown, ...]]:
    there = [part for run in block.runs.values() if (part := part_of(run, place)) is not None]
    metrics = {metric for part, metric, _ in published.answers if part == place[1]}
    asked, alone = _asked(there, notes)
    sizes = {f"n_{end}" if end else "n": value for end, value in asked.values.items()}
    told = (part_text(place), f"n {asked.lines[0]}", *asked.lines[1:])
    name = Shown(told, values={"": place[1], **sizes})
    rows = [
        (
            name,
            Shown((measure.text,), values={"": measure.name}),
            *(
                _score(block, column, place, measure, notes, published, alone=alone)
                for column in columns
            ),
        )
        for measure in measures_of(there, metrics)
    ]
    counted = Shown(("answers",), values={"": "answers"})
    counts = tuple(_counts(block.cells.get(column), place, notes) for column in columns)
    return [*rows, (name, counted, *counts)]


def _asked(there: Sequence[PartScores], notes: Notes) -> tuple[Shown, bool]:
    """How many questions all were asked; whether each has to say its own."""
    sizes = {(part.counts.questions, part.counts.subjects) for part in there}
    if len(sizes) == 1:
        ((questions, subjects),) = sizes
        caveats = [f"under {FEW_SUBJECTS} subjects"] if subjects < FEW_SUBJECTS else []
        values: dict[str, Plain] = {"": questions, "subjects": subjects}
        values["caveats"] = "; ".join(caveats) or None
        lines = (f"{questions:,} ({subjects:,})", *caveats)
        return Shown(lines, questions, values=values), False
    why = "the models were asked different questions" if sizes else "no model is done"
    return Shown((f"n/a {notes.mark(why)}",), values={"": None}), bool(sizes)


def _score(  # noqa: PLR0917
    block: Block,
    column: str,
    place: Place,
    measure: Measure,
    notes: Notes,
    published: Published,
    *,
    alone: bool,
) -> Shown:
    cell = block.cells.get(column)
    if cell is None:
        return Shown(("",))
    theirs = published.answers.get((place[1], measure.published, cell.head))
    if cell.run is None:
        return _missing(cell, notes, theirs)
    part = part_of(cell.run, place)
    score = None if part is None else measure.of(part)
    if part is None or score is None:
        return number_shown(Number.undefined("it was not asked such questions"), notes, 0)
    places, mean = measure.places(part), score.mean
    better = mean.defined and block.beats_prior(column, place, measure.compared)
    if mean.defined:
        shown = seeds_text(score, places) + pretraining_overlap(cell.run.provenance).mark
    else:
        shown = f"n/a {notes.mark(f'{measure.text}: {mean.reason}')}"
    lines, values = [shown], dict[str, Plain]({"": plain(mean), "sd": plain(score.sd)})
    ends = measure.interval(part) if mean.defined else None
    if ends is not None:
        lines.append(f"95 % {interval_shown(ends, notes, places)}")
        values |= {"low": plain(ends.low), "high": plain(ends.high)}
    if alone:
        lines.append(f"n {part.counts.questions:,} ({part.counts.subjects:,})")
    values["better_than_prior"] = better
    if theirs is not None:
        lines.append(_beside(mean, theirs, places))
        values |= {
            "published": theirs,
            "minus_published": mean.value - theirs if mean.defined else None,
        }
    return Shown(
        (*lines, *_caveats(cell.run, values)), mean.value if mean.defined else None, better,
        random(cell.run), values,
    )  # fmt: skip


def _missing(cell: ReportCell, notes: Notes, theirs: float | None) -> Shown:
    paper = () if theirs is None else (f"paper {published_text(theirs)}",)
    values: dict[str, Plain] = {"problem": cell.problem}
    if theirs is not None:
        values["published"] = theirs
    return Shown((f"missing {notes.mark(cell.problem or '')}", *paper), values=values)


def _beside(ours: Number, theirs: float, places: int) -> str:
    paper = f"paper {published_text(theirs)}"
    if not ours.defined:
        return paper
    return f"{paper}, {signed_text(Number(ours.value - theirs), places)}"


def _caveats(run: Run, values: dict[str, Plain]) -> list[str]:
    """Caveats of a run, which are noted in `values` too."""
    found = flags(run)
    status = pretraining_overlap(run.provenance).status
    said = found if status == "none found" else [*found, f"pre-training overlap: {status}"]
    values["flags"] = "; ".join(said) or None
    return found


def _counts(cell: ReportCell | None, place: Place, notes: Notes) -> Shown:
    """How many answers were expected and scored, and what of them could not be read."""
    if cell is None:
        return Shown(("",))
    if cell.run is None:
        return _missing(cell, notes, None)
    part = part_of(cell.run, place)
    if part is None:
        return number_shown(Number.undefined("it was not asked such questions"), notes, 0)
    counts: Counts = part.counts
    lines = [f"{counts.scored:,}", f"scored of {counts.expected:,}"]
    lines += [f"{getattr(counts, name):,} {name}" for name in _OUTCOMES[:2]]
    values: dict[str, Plain] = {"expected": counts.expected, "scored": counts.scored}
    values |= {name: getattr(counts, name) for name in _OUTCOMES}
    return Shown(tuple(lines), float(counts.scored), values=values)


def _numeric(block: Block) -> list[Place]:
    """Groups whose answers are numbers, of any run."""
    return unique(
        (part.by, part.name)
        for run in block.runs.values()
        for part in run.answering.answers.parts
        if part.by == "group" and part.numbers is not None
    )


def _number_row(
    block: Block, place: Place, columns: Sequence[str], notes: Notes
) -> tuple[Shown, ...]:
    there = [part for run in block.runs.values() if (part := part_of(run, place)) is not None]
    asked, alone = _asked(there, notes)
    numbers = next(part.numbers for part in there if part.numbers is not None)
    unit = unit_text(numbers.unit)
    corpus, attribute, _ = place[1].split(" / ")
    name = f"{corpus}, {attribute.replace('_', ' ')}" + (f" ({unit})" if unit else "")
    values: dict[str, Plain] = {"corpus": corpus, "": attribute, "unit": numbers.unit}
    errors = (
        _score(block, column, place, MAE, notes, Published(), alone=alone) for column in columns
    )
    return (
        Shown((name,), values=values),
        asked,
        *errors,
        number_shown(numbers.median_mae, notes, decimals(numbers.unit)),
    )
