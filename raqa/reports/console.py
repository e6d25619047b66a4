"""One run in the terminal: what was done, on whom, and what came out."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from raqa.metrics.transfer import TransferScores
from raqa.reports.run_folder import ASIDE, Run
from raqa.reports.text import (
    corpus_text,
    count_text,
    decimals,
    encoder_text,
    gap_text,
    group_set_aside,
    interval_text,
    number_text,
    regime_text,
    seed_count_text,
    task_text,
    unit_text,
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
    title = Text.assemble(
        (task_text(facts), "bold"),
        " from ",
        (corpus_text(facts), "bold"),
        ": ",
        (encoder_text(facts), "bold" if facts.weights_real else "bold red"),
        f" → {facts.head}, {regime_text(facts)}, {seed_count_text(facts.seeds)}",
    )
    return Group("", title, Text(str(run.path), style="dim", overflow="fold"))


def _cohort(run: Run) -> RenderableType:
    table = _table("cohort", "recordings", "subjects")
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
    places, scores = decimals(run.provenance.unit), run.scores
    unit = unit_text(run.provenance.unit)
    table = _table(f"test MAE{f' ({unit})' if unit else ''}", "mean")
    table.add_column("SD over seeds")
    table.add_column("95 % interval over subjects")
    mark = f"bold {_MARK[scores.against_median]}"
    table.add_row(
        Text("model", style="bold"),
        Text(number_text(scores.mae.mean, places), style=mark),
        Text(number_text(scores.mae.sd, places), style=mark),
        Text(interval_text(scores.mae_interval, places), style=mark),
    )
    if run.transfer is not None:
        _add_own(table, run.provenance.tested_on or "", run.transfer, places)
    baselines = {
        "training median": scores.median_mae,
        "training mean": scores.mean_mae,
        "MAD of all labels": scores.mad,
    }
    for name, number in baselines.items():
        table.add_row(name, number_text(number, places))
    table.add_row("")
    for name, summary, note in (
        ("R²", scores.r2, scores.r2.mean.reason or ""),
        ("Spearman", scores.spearman, scores.spearman.mean.reason or ""),
        ("spread", scores.spread, "SD of predictions / SD of labels"),
    ):
        table.add_row(
            name, number_text(summary.mean), number_text(summary.sd), Text(note, style="dim")
        )
    tested = (
        f"on {count_text(scores.recordings['test'], 'test recording')} "
        f"of {count_text(scores.subjects['test'], 'subject')}"
    )
    return Padding(Group(table, tested), (1, 0, 0, 0))


def _add_own(table: Table, corpus: str, transfer: TransferScores, places: int) -> None:
    """The tested corpus's own model and median, and the gap between it and the transferred one."""
    for name, summary, interval in (
        (f"{corpus}'s own model", transfer.own_mae, transfer.own_mae_interval),
        ("gap", transfer.gap, transfer.gap_interval),
    ):
        numbers = (number_text(summary.mean, places), number_text(summary.sd, places))
        table.add_row(name, *numbers, interval_text(interval, places))
    table.add_row(f"{corpus}'s training median", number_text(transfer.own_median_mae, places))


def _verdict(run: Run) -> RenderableType:
    sentence = Text(
        verdict_text(run.scores, run.provenance.unit),
        style=f"bold {_MARK[run.scores.against_median]}",
    )
    warnings = [
        Text(f"! {warning}", style="yellow")
        for warning in warning_texts(run.scores, run.provenance)
    ]
    gap = [] if run.transfer is None else [gap_text(run.transfer, run.provenance.unit)]
    return Padding(Group(sentence, *gap, *warnings), (1, 0, 1, 0))


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(first)
    for name in numbers:
        table.add_column(name, justify="right")
    return table
