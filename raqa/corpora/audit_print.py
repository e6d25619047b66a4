"""How an audit is shown on the console."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
from rich.console import Console
from rich.markup import escape

from raqa.corpora.audit import Audit
from raqa.corpora.check import set_aside_lines

_SHOWN = 5


def print_audit(audit: Audit, console: Console) -> None:
    """Print what an audit found: usable or not and why, rates, lengths, files that are the same."""
    for line in audit_lines(audit):
        console.print(escape(line), soft_wrap=True, highlight=False)


def audit_lines(audit: Audit) -> Iterator[str]:
    """Say what an audit found, line by line."""
    table = audit.table
    yield (f"{audit.corpus}: {audit.usable:,} of {table.height:,} recordings can be used; "
           f"{audit.absent:,} more have no file")  # fmt: skip
    used = table.filter(pl.col("usable"))
    if used.height:
        rates = used["rate"].value_counts(sort=True).rows()
        yield "rates: " + ", ".join(f"{rate:,} Hz × {count:,}" for rate, count in rates)
        shortest, median, longest, total = used.select(
            low=pl.col("seconds").min(), median=pl.col("seconds").median(),
            high=pl.col("seconds").max(), total=pl.col("seconds").sum(),
        ).row(0)  # fmt: skip
        yield (f"length: {shortest:.2f} to {longest:.2f} s, median {median:.2f} s, "
               f"{total / 3600:.2f} h in all")  # fmt: skip
    yield from _counted("mended", used["notes"].drop_nulls())
    yield from _twin_lines(audit.twins)
    yield from set_aside_lines(audit.set_aside)


def _counted(title: str, texts: pl.Series) -> Iterator[str]:
    if texts.is_empty():
        return
    yield f"{title} to be read: {len(texts):,}"
    for text, count in texts.value_counts(sort=True).head(_SHOWN).rows():
        yield f"  {count:>6,}  {text}"


def _twin_lines(twins: pl.DataFrame) -> Iterator[str]:
    if twins.is_empty():
        yield "files with the same bytes: none"
        return
    groups = list(twins.group_by("content", maintain_order=True))
    differ = [rows for _, rows in groups if rows["conflicts"][0]]
    yield (f"files with the same bytes: {twins['path'].n_unique():,} in {len(groups):,} groups; "
           f"in {len(differ):,} of these the labels differ")  # fmt: skip
    for rows in differ[:_SHOWN]:
        yield f"  {' = '.join(rows['recording_id'])}: {rows['conflicts'][0]}"
    if len(differ) > _SHOWN:
        yield f"  ... and {len(differ) - _SHOWN} more"
