"""One run in the terminal: what was done, on whom, and what came out."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from raqa.configuration.unused import NO_ENCODER
from raqa.reports.asked.silent import silent_text
from raqa.reports.headline import kind_of
from raqa.reports.listing import plain_table
from raqa.reports.run_tables import ASIDE, Run
from raqa.reports.text import (
    corpus_text,
    count_text,
    encoder_text,
    gap_text,
    group_set_aside,
    regime_text,
    seed_count_text,
    task_text,
    verdict_text,
    warning_texts,
)
from raqa.tables import SIDES

NAMES_SHOWN = 3
"""Items named per reason before the rest is counted; set_aside.csv has them all."""
REASONS_SHOWN = 12
"""Reasons listed before the rest is counted."""
_MARK = {"above": "green", "below": "red", "undecided": "yellow"}


def print_run(run: Run, console: Console | None = None) -> None:
    """Print a finished run: header, cohort, what was set aside, results, verdict and warnings."""
    console = console or Console(highlight=False)
    for part in (_header, _cohort, _set_aside, _results, _verdict):
        console.print(part(run), highlight=False)


def _header(run: Run) -> RenderableType:
    facts = run.provenance
    encoder: list[str | tuple[str, str]] = []
    if facts.encoder != NO_ENCODER:
        style = "bold" if facts.weights_real else "bold red"
        encoder = [(encoder_text(facts), style), " → "]
    title = Text.assemble(
        (task_text(facts), "bold"),
        " from ",
        (corpus_text(facts), "bold"),
        ": ",
        *encoder,
        f"{facts.head}, {regime_text(facts)}, {seed_count_text(facts.seeds)}",
    )
    return Group("", title, Text(str(run.path), style="dim", overflow="fold"))


def _cohort(run: Run) -> RenderableType:
    table = plain_table("cohort", "recordings", "subjects")
    for step in run.steps:
        table.add_row(step.name, f"{step.recordings:,}", f"{step.subjects:,}")
    scores = run.scores
    for side in SIDES:
        table.add_row(
            Text(f"  of these {side}" if side == SIDES[0] else f"           {side}"),
            f"{scores.recordings[side]:,}",
            f"{scores.subjects[side]:,}",
        )
    return Padding(table, (1, 0, 0, 0))


def _set_aside(run: Run) -> RenderableType:
    if not run.set_aside.height:
        return "\nnothing was set aside"
    groups = group_set_aside(run.set_aside)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    for reason, items in groups[:REASONS_SHOWN]:
        more = f" and {len(items) - NAMES_SHOWN:,} more" if len(items) > NAMES_SHOWN else ""
        names = Text(", ".join(items[:NAMES_SHOWN]) + more, style="dim")
        table.add_row(f"{len(items):,}", Text.assemble(reason, ": ", names))
    rest = groups[REASONS_SHOWN:]
    if rest:
        count = sum(len(items) for _, items in rest)
        table.add_row(f"{count:,}", f"for {len(rest):,} further reasons, see {ASIDE}")
    return Padding(Group(Text("set aside", style="bold"), table), (1, 0, 0, 0))


def _results(run: Run) -> RenderableType:
    scores = run.scores
    table = kind_of(run).results(run, f"bold {_MARK[scores.against_baseline]}")
    tested = (
        f"on {count_text(scores.recordings['test'], 'test recording')} "
        f"of {count_text(scores.subjects['test'], 'subject')}"
    )
    return Padding(Group(table, tested), (1, 0, 0, 0))


def _verdict(run: Run) -> RenderableType:
    sentence = Text(
        verdict_text(run.scores, run.provenance.unit),
        style=f"bold {_MARK[run.scores.against_baseline]}",
    )
    warnings = [
        Text(f"! {warning}", style="yellow")
        for warning in warning_texts(run.scores, run.provenance)
    ]
    gap = (
        []
        if run.transfer is None
        else [gap_text(run.transfer, run.scores.difference_unit or run.provenance.unit)]
    )
    silent = silent_text(run)
    beside = [] if silent is None else [Text(silent)]
    return Padding(Group(sentence, *beside, *gap, *warnings), (1, 0, 1, 0))
