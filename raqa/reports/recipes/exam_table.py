"""The tables of exams: a row for each model, a column for each part, in per cent as papers do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raqa.metrics.exams import ExamPart
from raqa.metrics.number import Interval, Number, OverSeeds
from raqa.metrics.scores import FEW_SUBJECTS
from raqa.reports.recipes.exam_grid import Contest, Place, Row
from raqa.reports.recipes.place import flags, random, signed_text
from raqa.reports.recipes.published import Published, published_text
from raqa.reports.recipes.records import plain
from raqa.reports.recipes.tables import Heading, Notes, Plain, Shown, Table
from raqa.reports.text import interval_text, number_text, seeds_text

CAPTION = (
    "Accuracy in per cent over answers that have a score, 95 % interval over subjects; all is over "
    "answers, so that parts weigh as much as they have questions. Unreadable and refused answers "
    "score 0. n: answers with a score, of those that were to be given; the others are left out, "
    "not wrong."
)
PAPER = " Paper: the published number, and ours minus it."
DIFFERENCES = (
    "First minus second in per cent, on the questions that have a score of both, with the 95 % "
    "interval over subjects, who are drawn for both at once. Against none: what hearing or seeing "
    "the recording adds. Bold: the first is better, the interval leaves out 0. The intervals are "
    "not corrected for how many there are."
)
WORDING = (
    "How like their references answers in words are, beside how they were judged. Likeness rewards "
    "fluent errors: these are wrong answers that are at least as like their reference as half of "
    "the right ones are."
)
CHAINS = (
    "Accuracy in per cent of the turns of chains, and of later turns after a right and after a "
    "wrong first one: what an early error does to the rest."
)
_HUNDRED = 100.0
_LOST = ("unreadable", "refused")


def part_heading(place: Place) -> str:
    """What a part is called over a column."""
    return place[1].replace("_", " ")


def accuracy_table(
    rows: Sequence[Row], places: Sequence[Place], notes: Notes, published: Published
) -> Table:
    """Every model on every part."""
    headings = (
        Heading("model", "what answered", "model", numeric=False),
        *(Heading(part_heading(place), "accuracy in per cent", "_".join(dict.fromkeys(place)))
          for place in places),
    )  # fmt: skip
    body = tuple(
        (_name(row), *(_accuracy(row, place, notes, published) for place in places)) for row in rows
    )
    return Table("table", "Accuracy", CAPTION + (PAPER if published.exams else ""), headings, body)


def _name(row: Row) -> Shown:
    lines = [row.name]
    if row.run is not None:
        if row.run.scores.few_subjects:
            lines.append(f"under {FEW_SUBJECTS} subjects")
        if not row.run.scores.subject_known:
            lines.append("subjects unknown")
        lines += flags(row.run)
    return Shown(tuple(lines), values={"": row.name, "given": row.given or None})


def _accuracy(row: Row, place: Place, notes: Notes, published: Published) -> Shown:
    theirs = published.exam(row.model, row.given, *place)
    beside: dict[str, Plain] = {} if theirs is None else {"published": theirs}
    if row.run is None:
        paper = () if theirs is None else (f"paper {published_text(theirs, 1)}",)
        mark = f"missing {notes.mark(row.cell.problem or '')}"
        return Shown((mark, *paper), values={"problem": row.cell.problem, **beside})
    part = row.run.exam.part(*place)
    if part is None:
        return Shown(("",))
    ours = percent(part.accuracy.mean)
    lines = [_percent_text(part.accuracy, notes), *_interval(part, notes), _coverage(part)]
    lines += [f"{name} {count:,}" for name in _LOST if (count := getattr(part.counts, name))]
    if theirs is not None:
        gap = signed_text(Number(ours.value - theirs), 1) if ours.defined else "n/a"
        lines.append(f"paper {published_text(theirs, 1)}, {gap}")
        beside["minus_published"] = ours.value - theirs if ours.defined else None
    counts = part.counts
    values: dict[str, Plain] = {
        "": plain(ours), "low": plain(percent(part.interval.low)),
        "high": plain(percent(part.interval.high)), "scored": counts.scored,
        "expected": counts.expected, **{name: getattr(counts, name) for name in _LOST}, **beside,
    }  # fmt: skip
    order = ours.value if ours.defined else None
    return Shown(tuple(lines), order, random=random(row.run), values=values)


def percent(number: Number) -> Number:
    """A share in per cent."""
    return Number(number.value * _HUNDRED) if number.defined else number


def percent_interval(interval: Interval) -> Interval:
    """The ends of an interval in per cent."""
    return Interval(percent(interval.low), percent(interval.high))


def _percent_text(score: OverSeeds, notes: Notes) -> str:
    told = OverSeeds(score.by_seed, percent(score.mean), percent(score.sd))
    text = seeds_text(told, 1)
    return text if score.mean.reason is None else f"{text} {notes.mark(score.mean.reason)}"


def _interval(part: ExamPart, notes: Notes) -> list[str]:
    if not part.accuracy.mean.defined:
        return []
    text = interval_text(percent_interval(part.interval), 1)
    reason = part.interval.low.reason
    return [f"95 % {text}" if reason is None else f"95 % {text} {notes.mark(reason)}"]


def _coverage(part: ExamPart) -> str:
    counts = part.counts
    if counts.scored == counts.expected:
        return f"n {counts.scored:,}"
    return f"n {counts.scored:,} of {counts.expected:,}"


def differences_table(
    found: Sequence[Contest], places: Sequence[Place], notes: Notes
) -> Table | None:
    """Every contest on every part; None: there is none."""
    if not found:
        return None
    headings = (
        Heading("models", "first minus second", "first", numeric=False),
        *(Heading(part_heading(place), "difference in per cent", "_".join(dict.fromkeys(place)))
          for place in places),
    )  # fmt: skip
    body = tuple(
        (Shown((f"{one.first} − {one.second}",), values={"": one.first, "second": one.second}),
         *(_difference(one, place, notes) for place in places))
        for one in found
    )  # fmt: skip
    return Table("differences", "Differences", DIFFERENCES, headings, body)


def _difference(contest: Contest, place: Place, notes: Notes) -> Shown:
    if contest.why_not is not None:
        mark = f"missing {notes.mark(contest.why_not)}"
        return Shown((mark,), values={"problem": contest.why_not})
    one = contest.differences.get(place)
    if one is None:
        return Shown(("",))
    if not one.difference.defined:
        return Shown((f"n/a {notes.mark(one.difference.reason or '')}",), values={"": None})
    lines = [signed_text(percent(one.difference), 1)]
    ends = percent_interval(one.interval)
    lines.append(f"95 % {interval_text(ends, 1)}")
    lines.append(f"n {one.questions:,}" + (f", {one.left_out:,} left out" if one.left_out else ""))
    values: dict[str, Plain] = {
        "": plain(percent(one.difference)), "low": plain(ends.low), "high": plain(ends.high),
        "n": one.questions, "left_out": one.left_out,
        "better": {"first": contest.first, "second": contest.second}.get(one.better or ""),
    }  # fmt: skip
    return Shown(tuple(lines), one.difference.value, one.better == "first", values=values)


_WORDED: tuple[tuple[str, str, Callable[[ExamPart], Number]], ...] = (
    ("judged %", "accuracy", lambda part: percent(part.likeness.accuracy.mean)),
    ("ROUGE-L", "rouge_l", lambda part: part.likeness.rouge_l.mean),
    ("BERTScore", "bertscore", lambda part: part.likeness.bertscore.mean),
    ("wrong", "wrong", lambda part: Number(float(part.likeness.wrong))),
    ("fluent errors", "fluent", lambda part: part.likeness.fluent),
)
_PLACES = {"accuracy": 1, "wrong": 0, "fluent": 0}


def wording_table(rows: Sequence[Row], notes: Notes) -> Table | None:
    """Likeness beside judgement for every model and type in words; None: no answer is in words."""
    body = [
        (Shown.label(row.name), Shown((part_heading((part.by, part.name)),), values={
            "": part.name}), *(_number(pick(part), notes, _PLACES.get(name, 3))
                               for _, name, pick in _WORDED))
        for row in rows if row.run
        for part in row.run.exam.parts
        if part.by == "question_type" and part.likeness.compared
    ]  # fmt: skip
    headings = (
        Heading("model", "what answered", "model", numeric=False),
        Heading("questions", "of which type", "question_type", numeric=False),
        *(Heading(text, text, name) for text, name, _ in _WORDED),
    )
    return Table("wording", "Wording beside judgement", WORDING, headings, tuple(body)) if (
        body) else None  # fmt: skip


def chains_table(rows: Sequence[Row], notes: Notes) -> Table | None:
    """Every model's turns; None: there are no chains."""
    there = [row for row in rows if row.run and row.run.exam.chains]
    if not there:
        return None
    body = []
    for row in there:
        assert row.run is not None
        chains = row.run.exam.chains
        assert chains is not None
        turns = [_number(percent(one.accuracy.mean), notes, 1) for one in chains.turns]
        cost = _number(percent(chains.cost), notes, 1)
        ends = f"95 % {interval_text(percent_interval(chains.cost_interval), 1)}"
        body.append(
            (Shown.label(row.name), *turns, Shown((*cost.lines, ends), cost.order,
             values=cost.values))
        )  # fmt: skip
    assert there[0].run is not None
    assert there[0].run.exam.chains is not None
    names = [one.name for one in there[0].run.exam.chains.turns]
    headings = (
        Heading("model", "what answered", "model", numeric=False),
        *(Heading(name if name.startswith("after") else f"turn {name}", "accuracy in per cent",
                  f"turn_{name.replace(' ', '_')}") for name in names),
        Heading("difference", "after right minus after wrong", "cost"),
    )  # fmt: skip
    return Table("chains", "Chains", CHAINS, headings, tuple(body))


def _number(number: Number, notes: Notes, places: int) -> Shown:
    if number.reason is not None:
        return Shown((f"n/a {notes.mark(number.reason)}",), values={"": None})
    return Shown((number_text(number, places),), number.value, values={"": number.value})
