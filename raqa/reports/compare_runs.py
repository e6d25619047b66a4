"""`raqa compare A B`: two runs on the same test recordings, paired over subjects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from raqa.errors import UserError, neighbours
from raqa.metrics.compare import Pair
from raqa.metrics.compare import compare as compare_models
from raqa.metrics.number import Interval, Number
from raqa.reports.asked.silent import silent_text
from raqa.reports.compare_answers import pair_answers, print_answer_pair
from raqa.reports.compare_exams import pair_exams, print_exam_pair
from raqa.reports.headline import kind_of
from raqa.reports.provenance import Provenance
from raqa.reports.run_folder import read_run
from raqa.reports.run_tables import Run
from raqa.reports.text import (
    corpus_text,
    count_text,
    decimals,
    interval_text,
    model_text,
    number_text,
    regime_text,
    seed_count_text,
    seeds_text,
    task_text,
    unit_text,
    warning_texts,
)


@dataclass(frozen=True)
class RunPair:
    """Two runs, A and B, and their difference A minus B."""

    first: Run
    second: Run
    pair: Pair
    recordings: int
    subjects: int
    resamples: int


def compare(first: Path, second: Path, console: Console, *, resamples: int = 10_000) -> None:
    """Compare two finished runs and print what came out, whatever kind of task they had.

    Raises:
        UserError: as `compare_runs` says.
    """
    runs = _read(first, second)
    kinds = {run.provenance.kind for run in runs}
    if kinds <= {"questions", "exam"} and (problems := list(_mismatches(*runs))):
        raise UserError(problems)
    if not kinds <= {"questions", "exam"}:
        print_comparison(compare_runs(first, second, resamples=resamples), console)
    elif "exam" in kinds:
        print_exam_pair(pair_exams(*runs), console)
    else:
        print_answer_pair(pair_answers(*runs), console)
    for letter, run in zip("AB", runs, strict=True):
        if (silent := silent_text(run, runs)) is not None:
            console.print(f"{letter}: {silent}", highlight=False, markup=False, soft_wrap=True)


def compare_runs(first: Path, second: Path, *, resamples: int = 10_000) -> RunPair:
    """Compare two finished runs of one task on the same test recordings.

    Raises:
        UserError: a folder is no finished sound run (both are looked at), they are the same run,
            predict different things, or were tested on different recordings.
    """
    runs = _read(first, second)
    a, b = runs
    problems = list(_mismatches(a, b))
    if problems:
        raise UserError(problems)
    compared = compare_models({"A": a.predictions, "B": b.predictions}, resamples=resamples)
    (pair,) = compared.pairs
    return RunPair(a, b, pair, compared.recordings, compared.subjects, resamples)


def print_comparison(both: RunPair, console: Console) -> None:
    """Print both errors, the difference with interval and test, and the verdict."""
    facts = both.first.provenance
    n = f"{count_text(both.recordings, 'recording')} of {count_text(both.subjects, 'subject')}"
    title = Text.assemble((task_text(facts), "bold"), f" on the same {n}\n")
    kind = kind_of(both.first)
    shown = kind.headline(both.first)
    unit = f" ({shown.unit})" if shown.unit else ""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("", "run", f"test {shown.name}{unit}", "95 % interval"):
        table.add_column(name, overflow="fold")
    for letter, run in (("A", both.first), ("B", both.second)):
        one = kind.headline(run)
        table.add_row(
            letter,
            _described(run),
            seeds_text(one.value, one.places),
            interval_text(one.interval, one.places),
        )
    console.print(Group("", title, table, ""), highlight=False)
    console.print(difference_text(both), highlight=False, soft_wrap=True)
    console.print(verdict_text(both), style="bold", highlight=False, soft_wrap=True)
    for letter, run in (("A", both.first), ("B", both.second)):
        for warning in warning_texts(run.scores, run.provenance):
            console.print(Text(f"{letter}: {warning}", style="yellow"), soft_wrap=True)


def difference_text(both: RunPair) -> str:
    """The difference with its interval and p-value, or why there is no test."""
    pair, places = both.pair, decimals(both.first.provenance.unit)
    scores = both.first.scores
    what = f" ({scores.compared})" if scores.difference_unit else ""  # not that of the table
    value = f"A − B{what}: {_amount(pair.difference, both)}"
    if not pair.p.defined:
        return f"{value}; no interval and no test: {pair.p.reason}."
    return (
        f"{value}, 95 % interval {interval_text(pair.interval, places)}, "
        f"p = {number_text(pair.p, 4)} (paired bootstrap over subjects, "
        f"{both.resamples:,} resamples)."
    )


def verdict_text(both: RunPair) -> str:
    """Which one is better, or that they can not be told apart."""
    pair = both.pair
    if pair.better is None:
        return "They can not be told apart."
    other = "B" if pair.better == "A" else "A"
    size = _amount(Number(abs(pair.difference.value)), both)
    low, high = sorted(abs(end.value) for end in (pair.interval.low, pair.interval.high))
    ends = interval_text(Interval(Number(low), Number(high)), decimals(both.first.provenance.unit))
    return f"{pair.better} is better than {other} by {size} (95 % interval {ends})."


def _amount(number: Number, both: RunPair) -> str:
    unit = both.first.scores.difference_unit or both.first.provenance.unit
    return f"{number_text(number, decimals(unit))} {unit_text(unit)}".rstrip()


def _described(run: Run) -> str:
    facts = run.provenance
    return (
        f"{model_text(facts)}, {corpus_text(facts)}, {regime_text(facts)}, "
        f"{seed_count_text(facts.seeds)}"
    )


def _read(*paths: Path) -> list[Run]:
    """Read the runs, or say what is wrong with all of them."""
    runs, problems = [], []
    for path in paths:
        if not path.is_dir():
            problems.append(f"There is no run folder {path}. {_siblings(path)}")
            continue
        try:
            runs.append(read_run(path))
        except UserError as error:
            problems += [one for one in error.problems if one not in problems]
    if problems:
        raise UserError(problems)
    return runs


def _siblings(path: Path) -> str:
    """Runs that lie where this one was looked for."""
    names = [one.parent.name for one in path.parent.glob("*/metrics.json")]
    return neighbours(path.name, names) if names else f"{path.parent} holds no finished run."


def _mismatches(first: Run, second: Run) -> Iterator[str]:
    a, b = first.provenance, second.provenance
    if a.run == b.run:
        yield f"Both are the run {a.run}. Name two different ones."
        return
    if a.task != b.task:
        yield (
            f"They predict different things: {a.run} predicts {task_text(a)}, {b.run} "
            f"{task_text(b)}. Compare runs of one task."
        )
        return
    if (a.kind, a.classes) != (b.kind, b.classes):
        yield (
            f"They tell {task_text(a)} apart differently: {a.run} into {_told(a)}, {b.run} into "
            f"{_told(b)}."
        )
        return
    where = [one.tested_on or one.corpus for one in (a, b)]
    if where[0] != where[1]:
        yield (
            f"They were tested on different corpora: {a.run} on {where[0]}, {b.run} on "
            f"{where[1]}. Errors can be paired only on the same test recordings."
        )


def _told(facts: Provenance) -> str:
    return ", ".join(facts.classes) if facts.classes else "numbers"
