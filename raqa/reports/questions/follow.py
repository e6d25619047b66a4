"""Labels that follow the corpus or the file, put into sections."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from raqa.corpora.shortcuts import ALPHA, NOTABLE, notable
from raqa.reports.questions.sections import Column, Section, times

_COLUMNS = (
    Column("attribute"),
    Column("property"),
    Column("strength", True, "0 none to 1 complete: Cramér's V, of numbers a rank correlation"),
    Column("with it", True, "score of one constant for each value of the property"),
    Column("constant", True, "score of the best constant for everybody"),
    Column("score"),
    Column("subjects", True, page_only=True),
    Column("labels", page_only=True),
)
_NOTE = (
    f"Shown: strength of {NOTABLE} or more and p < {ALPHA} after correction. with it: what one "
    "constant for each value of the property scores on subjects left out."
)


def corpus_section(shortcuts: pl.DataFrame) -> Section:
    """Say which labels can be told from the corpus."""
    if shortcuts.is_empty():
        return Section("Labels that follow the corpus",
                       "no attribute is asked about in two corpora")  # fmt: skip
    strong = notable(shortcuts)
    verdict = f"{strong.height:,} of {times(shortcuts.height, 'shared attribute')}"
    return Section("Labels that follow the corpus", verdict, bool(strong.height), _COLUMNS,
                   _rows(strong), _NOTE if strong.height else "")  # fmt: skip


def format_section(shortcuts: Mapping[str, pl.DataFrame]) -> Section:
    """Say which labels can be told from rate, channels, coding or duration, by corpus."""
    title = "Labels that follow the file"
    if not shortcuts:
        return Section(title, "not known: no recordings at hand")
    rows = [(corpus, *row) for corpus, table in shortcuts.items() for row in _rows(notable(table))]
    tested = sum(int(table["p_value"].is_not_nan().sum()) for table in shortcuts.values())
    verdict = f"{len(rows):,} of {times(tested, 'pair')} of label and property of the file"
    if not tested:
        verdict = "nothing to compare: all files are alike, or too few subjects have labels"
    return Section(title, verdict, bool(rows), (Column("corpus"), *_COLUMNS), rows,
                   _NOTE if rows else "")  # fmt: skip


def _rows(strong: pl.DataFrame) -> list[tuple[str, ...]]:
    return [
        (row["attribute"], row["property"], f"{row['strength']:.2f}", f"{row['by_format']:.2f}",
         f"{row['by_constant']:.2f}", row["score"] or "", f"{row['subjects']:,}",
         row["counts"] or "")
        for row in strong.iter_rows(named=True)
    ]  # fmt: skip
