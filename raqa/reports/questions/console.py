"""An audit of questions in the terminal: readable at 80 columns."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raqa.reports.questions.audit import QuestionAudit
from raqa.reports.questions.sections import Section

ROWS_SHOWN = 12
"""Rows of a section before the rest is counted; the page has more."""


def print_audit(audit: QuestionAudit, console: Console) -> None:
    """Print every section: what was found, then the worst rows."""
    console.print(Text(f"\n{audit.title}", style="bold"))
    for section in audit.sections:
        _print_section(section, console)
    for note in audit.notes:
        console.print(Text(f"note: {note}", style="yellow"))


def _print_section(section: Section, console: Console) -> None:
    mark, style = ("!", "bold yellow") if section.fault else ("·", "bold green")
    console.print()
    console.print(Text.assemble((f"{mark} ", style), (section.title, "bold"), ": ",
                                section.verdict))  # fmt: skip
    shown = [place for place, column in enumerate(section.columns) if not column.page_only]
    if section.rows:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for place in shown:
            numeric = section.columns[place].numeric
            table.add_column(
                Text(section.columns[place].heading),
                justify="right" if numeric else "left",
                overflow="fold",
                vertical="top",
                no_wrap=numeric,
            )
        for row in section.rows[:ROWS_SHOWN]:
            table.add_row(*(Text(row[place]) for place in shown))
        console.print(table)
    if (more := len(section.rows) - ROWS_SHOWN) > 0:
        console.print(Text(f"... and {more:,} more", style="dim"))
    if section.note:
        console.print(Text(section.note, style="dim"))
