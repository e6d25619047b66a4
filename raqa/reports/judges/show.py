"""Agreement of judges, printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from raqa.display import csv_cell
from raqa.folders import make_folder
from raqa.metrics.agreement import Agreement
from raqa.metrics.scores import FEW_SUBJECTS
from raqa.reports.judges.compared import Compared, Part
from raqa.reports.judges.returned import Returned
from raqa.reports.text import count_text, interval_text, number_text


def print_compared(found: Compared, console: Console) -> None:
    """Print who judged, how far they agree on each kind of answer, and what was left out."""
    for letter, one in (("A", found.first), ("B", found.second)):
        _say(f"{letter}: {one.judges}, in {one.name}", console)
    console.print("", _table("judged by both", found.parts), "", highlight=False)
    told = ", ".join(f"{count:,} {name}" for name, count in found.counts.items())
    _say(f"Answers: {told}.", console)
    _warn(found.parts, console)


def print_returned(found: Returned, console: Console) -> None:
    """Print how far the judge agrees with the clinicians on each kind of answer."""
    _say(f"A: {found.judged.judges}, in {found.judged.name}", console)
    _say("B: clinicians", console)
    console.print("", _table("marked", found.on_sheet), highlight=False)
    console.print("", _table("as in the run", found.in_run), "", highlight=False)
    _say("As in the run: each marked answer stands for those of its type, verdict and corpus.",
         console)  # fmt: skip
    if found.unseen:
        _say(f"{found.unseen:,} answers of the run are like none that was marked.", console)
    _say(
        f"{count_text(found.rows, 'answer')} on the sheet, {found.unmarked:,} not marked at all; "
        f"{count_text(found.empty, 'empty cell')} in the others.", console,
    )  # fmt: skip
    _warn(found.on_sheet, console)


def write_cases(cases: pl.DataFrame, path: Path) -> None:
    """Write answers that two judges judge differently; nothing in it is run by a spreadsheet."""
    texts = pl.col(pl.String).map_elements(
        lambda text: csv_cell(text, 5_000), return_dtype=pl.String
    )
    make_folder(path.parent)
    cases.with_columns(texts).write_csv(path, include_bom=True)


def _table(what: str, parts: Sequence[Part]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(what, no_wrap=True)
    for heading in ("n", "A", "B", "agree", "95 % interval", "κ", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for part in parts:
        found = part.found
        table.add_row(
            part.name, f"{found.answers:,}", f"{part.first:.2f}", f"{part.second:.2f}",
            number_text(found.agreed), interval_text(found.agreed_interval),
            number_text(found.kappa), interval_text(found.kappa_interval),
        )  # fmt: skip
    return table


def _warn(parts: Sequence[Part], console: Console) -> None:
    for sentence in _cautions([part.found for part in parts]):
        console.print(Text(sentence, style="yellow"), soft_wrap=True)


def _cautions(found: Sequence[Agreement]) -> Iterator[str]:
    reasons = dict.fromkeys(one.kappa.reason for one in found if one.kappa.reason)
    if reasons:
        yield f"κ is not defined where {'; or '.join(reasons)}."
    fewest = min(one.subjects for one in found)
    if fewest < FEW_SUBJECTS:
        yield (
            f"Too few: {count_text(fewest, 'subject')}, under {FEW_SUBJECTS}; the intervals are "
            "too narrow to be relied on."
        )


def _say(text: str, console: Console) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)
