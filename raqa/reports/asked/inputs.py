"""One responder's inputs side by side: audio against spectrogram against both against nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from raqa.metrics.answers import AnswerScores
from raqa.metrics.exams import ExamCounts, ExamScores
from raqa.metrics.number import Interval, Number
from raqa.metrics.questions import Counts
from raqa.reports.asked.asking import GIVEN, Asking
from raqa.reports.asked.silent import NOT_RUN, Paired, pair_runs, same_questions, silent_run
from raqa.reports.columns import Cell
from raqa.reports.headline import kind_of
from raqa.reports.run_tables import Run
from raqa.reports.text import corpus_text, decimals, interval_text, number_text, task_text

PLACES = 3
CAPTION = (
    "The same questions with each input. Against none: the error minus that of the same responder "
    "when it was given nothing, with the paired 95 % interval over subjects; below 0 the input "
    "helps. Tokens, cost and the median latency are of the prompts; questions that share one count "
    "once."
)
PAIRS_CAPTION = (
    "First minus second on the questions that both answered, with the paired 95 % interval over "
    "subjects. The better one is named where the interval leaves out 0; of errors, smaller is "
    "better."
)
MEASURES = {
    "macro_f1": "macro-F1",
    "balanced_accuracy": "balanced accuracy",
    "accuracy": "accuracy",
    "relative_mae": "relative MAE",
}


@dataclass(frozen=True)
class Place(Cell):
    """A cell that may have an interval."""

    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Heading:
    """What stands over a column.

    Attributes:
        name: of the column in a CSV; with _low and _high behind it of its interval.
    """

    text: str
    name: str
    meaning: str
    numeric: bool = True
    interval: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of texts, each with the number that it shows, where it is one."""

    title: str
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def records(self) -> Iterator[dict[str, Any]]:
        """The rows as plain values by the names of columns."""
        for row in self.rows:
            record: dict[str, Any] = {}
            for heading, cell in zip(self.headings, row, strict=True):
                record[heading.name] = cell.order if heading.numeric else cell.text or None
                if heading.interval:
                    ends = cell if isinstance(cell, Place) else Place("")
                    record |= {f"{heading.name}_low": ends.low, f"{heading.name}_high": ends.high}
            yield record


@dataclass(frozen=True)
class Inputs:
    """What one responder reached with each input.

    Attributes:
        responder: its name.
        asked: corpus and task.
        inputs: a row for each input.
        pairs: a row for each pair of inputs and measure; None: there is one input only.
    """

    responder: str
    asked: str
    inputs: Grid
    pairs: Grid | None


def inputs_of(runs: Sequence[Run]) -> tuple[Inputs, ...]:
    """Put runs that asked together by responder and questions.

    The run that was given nothing is looked for beside the runs where it is not among them; where
    there is none, its row says how to make it.
    """
    return tuple(_inputs(group) for group in _groups([run for run in runs if run.asking]))


def _groups(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Runs of one responder on the same questions, the latest of each input, in order."""
    rest = sorted(runs, key=lambda run: run.provenance.finished_at or "", reverse=True)
    while rest:
        first = rest[0]
        group = [one for one in rest if _asking(one).key == _asking(first).key
                 and same_questions(first, one)]  # fmt: skip
        rest = [one for one in rest if one not in group]
        latest = {_asking(one).given: one for one in reversed(group)}
        if "none" not in latest and (silent := silent_run(first)) is not None:
            latest["none"] = silent
        yield [latest[given] for given in GIVEN if given in latest]


def _asking(run: Run) -> Asking:
    assert run.asking is not None
    return run.asking


def _inputs(runs: Sequence[Run]) -> Inputs:
    first = runs[0]
    silent = next((run for run in runs if _asking(run).given == "none"), None)
    headline = kind_of(first).headline(first)
    name = headline.name.lower().replace("-", "_").replace(" ", "_")
    headings = (
        Heading("input", "given", "what was given of a recording", numeric=False),
        Heading("n", "n", "test questions, or recordings where a label was asked for"),
        Heading(headline.axis, name, "with its 95 % interval over subjects", interval=True),
        Heading("against none", "against_none", "error minus that without the recording; below 0 "
                "is better", interval=True),
        Heading("unreadable", "unreadable", "answers of which no label or number could be read"),
        Heading("refused", "refused", "answers that decline, a filter's refusals among them"),
        Heading("unanswered", "unanswered", "questions that nothing came back for"),
        Heading("tokens", "tokens", "of prompts and responses"),
        Heading("cost", "cost", "in the currency of responder.prices"),
        Heading("latency (s)", "latency_s", "median over prompts"),
    )  # fmt: skip
    rows, caption = [_row(run, silent) for run in runs], CAPTION
    if silent is None:
        caption += f" Without the recording: {NOT_RUN}."
        absent = (Cell("none"), Cell(""), Cell(""), Cell("not run"))
        rows.append((*absent, *(Cell("") for _ in headings[len(absent) :])))
    return Inputs(
        responder=_asking(first).name,
        asked=f"{task_text(first.provenance)} from {corpus_text(first.provenance)}",
        inputs=Grid("", caption, headings, tuple(rows)),
        pairs=_pairs(runs) if len(runs) > 1 else None,
    )


def _row(run: Run, silent: Run | None) -> tuple[Cell, ...]:
    asking, headline = _asking(run), kind_of(run).headline(run)
    counts: Counts | ExamCounts | None = None
    if isinstance(run.scores, AnswerScores):
        counts = run.scores.answers.all.counts
    elif isinstance(run.scores, ExamScores):
        counts = run.scores.all.counts
    tested = run.scores.recordings["test"] if counts is None else counts.questions
    seeds = len(run.provenance.seeds)
    lost = ("", "") if counts is None else (counts.unreadable // seeds, counts.refused // seeds)
    against = Cell("")
    if silent is not None and silent is not run:
        against = _difference(pair_runs(run, silent), run)
    return (
        Cell(asking.given),
        _count(tested),
        _with_ends(headline.value.mean, headline.interval, headline.places),
        against,
        *(_count(one) if isinstance(one, int) else Cell("") for one in lost),
        _count(asking.unanswered),
        Cell("not counted") if asking.tokens is None else _count(asking.tokens),
        Cell("no prices") if asking.cost is None else Cell(f"{asking.cost:,.4g}", asking.cost),
        _latency(asking),
    )


def _latency(asking: Asking) -> Cell:
    seconds = asking.latency_s
    return Cell("not measured") if seconds is None else Cell(f"{seconds:.2f}", seconds)


def _count(number: int) -> Cell:
    return Cell(f"{number:,}", float(number))


def _order(number: Number) -> float | None:
    return number.value if number.defined else None


def _difference(paired: Paired, run: Run) -> Cell:
    places = decimals(run.scores.difference_unit or run.provenance.unit)
    return _with_ends(paired.difference, paired.interval, places)


def _with_ends(number: Number, interval: Interval, places: int) -> Cell:
    if not number.defined:
        return Cell(f"n/a: {number.reason}")
    text = f"{number_text(number, places)} ({interval_text(interval, places)})"
    return Place(text, number.value, _order(interval.low), _order(interval.high))


def _pairs(runs: Sequence[Run]) -> Grid:
    headings = (
        Heading("first", "first", "the input", numeric=False),
        Heading("second", "second", "the input that it is compared with", numeric=False),
        Heading("measure", "measure", "of the answers", numeric=False),
        Heading("first's", "first_value", "on the questions that both answered"),
        Heading("second's", "second_value", "likewise"),
        Heading("first − second", "difference", "with the paired 95 % interval over subjects",
                interval=True),
        Heading("better", "better", "where the interval leaves out 0", numeric=False),
        Heading("left out", "left_out", "questions that one of both did not answer"),
    )  # fmt: skip
    rows = [row for one, other in combinations(runs, 2) for row in _pair_rows(one, other)]
    return Grid("Inputs against each other", PAIRS_CAPTION, headings, tuple(rows))


def _pair_rows(first: Run, second: Run) -> Iterator[tuple[Cell, ...]]:
    paired = pair_runs(first, second)
    names = (_asking(first).given, _asking(second).given)
    start, end = (Cell(names[0]), Cell(names[1])), _count(paired.left_out)
    parts = [one for one in paired.parts if one.by == "all"]
    if not parts:
        ends = paired.interval
        low = paired.difference.value < 0
        better = names[0 if low else 1] if ends.excludes_zero() else ""
        yield (*start, Cell(first.scores.compared), Cell(""), Cell(""),
               _difference(paired, first), Cell(better), end)  # fmt: skip
    for one in parts:
        better = {"first": names[0], "second": names[1]}.get(one.better or "", "")
        yield (
            *start,
            Cell(MEASURES[one.measure]),
            *(Cell(number_text(n, PLACES), _order(n)) for n in (one.first, one.second)),
            _with_ends(one.difference, one.interval, PLACES),
            Cell(better),
            end,
        )
