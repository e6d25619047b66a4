"""How an audit is shown on the console."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from raqa.corpora.audit import Audit
from raqa.corpora.check import set_aside_lines
from raqa.corpora.disagreements import STAGE
from raqa.corpora.shortcuts import ALIKE, ALPHA, NOTABLE, notable

_SHOWN = 5
_SHORTCUTS_SHOWN = 8


def print_audit(audit: Audit, console: Console) -> None:
    """Print what an audit found: usable or not and why, rates, lengths, files that are the same."""
    for line in audit_lines(audit):
        console.print(escape(line), soft_wrap=True, highlight=False)
    strong = notable(audit.shortcuts)
    for line in _shortcut_lines(audit.shortcuts, strong):
        console.print(escape(line), soft_wrap=True, highlight=False)
    if strong.height:
        console.print(_shortcut_table(strong.head(_SHORTCUTS_SHOWN)))
        more = max(0, strong.height - _SHORTCUTS_SHOWN)
        rest = [f"  ... and {more} more in the list"] if more else []
        for line in (*rest, *_shortcut_counts(strong.head(_SHORTCUTS_SHOWN))):
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
    yield from _disagreement_lines(audit.disagreements)
    yield from set_aside_lines(audit.set_aside.filter(pl.col("stage") != STAGE))


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


def _disagreement_lines(rows: pl.DataFrame) -> Iterator[str]:
    if rows.is_empty():
        return  # few corpora have two sources; "none" would promise a comparison
    yield (f"facts that two sources of the corpus state differently: {rows.height:,} "
           f"in {rows['item'].n_unique():,} recordings")  # fmt: skip
    kinds = rows.group_by("reason", maintain_order=True).agg("item", pl.len()).sort(
        "len", descending=True, maintain_order=True)  # fmt: skip
    for reason, items, count in kinds.head(_SHOWN).iter_rows():
        more = ", ..." if count > _SHOWN else ""
        yield f"  {count:>6,}  {reason}: {', '.join(items[:_SHOWN])}{more}"
    if kinds.height > _SHOWN:
        yield f"  ... and {kinds.height - _SHOWN} more kinds"


def _shortcut_lines(shortcuts: pl.DataFrame, strong: pl.DataFrame) -> Iterator[str]:
    if shortcuts.is_empty():
        return  # no label of a usable recording is known
    title, tests = "labels that follow the file format", shortcuts["p_value"].is_not_nan().sum()
    if not tests:
        reasons = shortcuts["reason"].drop_nulls().value_counts(sort=True)["reason"]
        if (reasons == ALIKE).all():
            yield f"{title}: none, all files have the same format and length"
        else:
            yield f"{title}: can not be told ({reasons[0]})"
        return
    yield (f"{title}: {strong.height} of {tests} pairs (p < {ALPHA:g} after correction for "
           f"{tests} tests, strength at least {NOTABLE:g} of 1)")  # fmt: skip
    if strong.is_empty():
        return
    yield "  A model can learn these without hearing anything: compare within one format."
    yield ("  rule: one constant for each format, on subjects left out; "
           "constant: the majority or median")  # fmt: skip


def _shortcut_table(strong: pl.DataFrame) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    for column in ("label", "goes with"):
        table.add_column(column, no_wrap=column == "label")
    for column in ("strength", "p", "rule", "constant", "subjects"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in strong.iter_rows(named=True):
        p_value = row["p_corrected"]
        table.add_row(
            row["attribute"], row["property"], f"{row['strength']:.2f}",
            "<0.001" if p_value < 0.001 else f"{p_value:.3f}", _score(row, "by_format"),
            _score(row, "by_constant"), f"{row['subjects']:,}",
        )  # fmt: skip
    return table


def _score(row: dict[str, Any], column: str) -> str:
    value = row[column]
    return f"{100 * value:.0f} %" if row["score"] == "accuracy" else f"±{value:.3g}"


def _shortcut_counts(strong: pl.DataFrame) -> Iterator[str]:
    """Say what stands behind the strongest row of each label."""
    strongest = strong.unique("attribute", keep="first", maintain_order=True)
    for name, titles, counts in strongest.select("attribute", "property", "counts").iter_rows():
        yield f"  {name} by {titles}:"
        for line in counts.split("; "):
            yield f"    {line}"
