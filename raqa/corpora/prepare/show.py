"""What `raqa prepare` prints: facts first, then what it would do, bars, and what is in place."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from raqa.corpora.base import Corpus
from raqa.corpora.downloads import Downloads
from raqa.corpora.prepare.plan import Item, Plan
from raqa.corpora.prepare.records import Record
from raqa.download.fetch import Notice


class Bars:
    """A bar a download, where somebody looks at a terminal; else a line when it is there."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def notice(self, file: str, size: int | None) -> Notice:
        """A function that moves a file's bar."""
        task = self._progress.add_task(escape(file), total=size, start=False)

        def move(have: int, of: int | None) -> None:
            self._progress.start_task(task)
            self._progress.update(task, completed=have, total=of)

        return move


def print_facts(corpus: Corpus, console: Console) -> None:
    """Say what the corpus is and under which licence."""
    _line(console, f"[bold]{escape(corpus.name)}[/bold]  {escape(corpus.title)}")
    _line(console, f"  [dim]licence:[/dim] {escape(corpus.licence)}")


def print_to_ask(corpus: Corpus, console: Console) -> None:
    """Say how to get a corpus that can not be downloaded openly."""
    _line(console, f"  [dim]how to get it:[/dim] {escape(corpus.how_to_get)}")
    if corpus.synthetic:
        return
    if corpus.place is not None:
        _line(console, f"  [dim]put it into:[/dim] {escape(str(corpus.place))}")
    _line(
        console,
        "No address is known that it can be fetched from without asking, so nothing was fetched. "
        f"When you have it: raqa corpora check {escape(corpus.name)}",
    )


def print_plan(plan: Plan, downloads: Downloads, console: Console) -> None:
    """Say what would be fetched from where, how large it is, and where it would go."""
    _line(console, f"  [dim]from:[/dim] {escape(downloads.page)}")
    _line(console, f"  [dim]into:[/dim] {escape(str(plan.place))}")
    if plan.others:
        kept = "what lies there already is kept, and nothing of it is overwritten"
        _line(console, f"  [dim]note:[/dim] {kept}")
    width = max(len(item.download.file) for item in plan.items)
    for item in plan.items:
        _line(console, f"    {escape(item.download.file):<{width}}  {_state(item)}")
    sizes = [size_text(plan.to_fetch)] if plan.to_fetch else []
    if plan.unknown:
        sizes.append(f"{plan.unknown} file{'s' * (plan.unknown > 1)} of unknown size")
    room = "at least as much again to unpack it, " if plan.to_unpack else ""
    _line(
        console,
        f"  [dim]size:[/dim] {' and '.join(sizes) or 'nothing'} to fetch, {room}"
        f"{size_text(plan.room)} free",
    )
    if downloads.by_hand:
        _line(console, f"  [dim]left to you:[/dim] {escape(downloads.by_hand)}")


def print_record(record: Record, console: Console) -> None:
    """Say that a download is in place."""
    parts = [f"[green]in place[/green]  {escape(record.file)}"]
    if record.size is not None:
        parts.append(size_text(record.size))
    if len(record.files) != 1 or record.files[0].path != record.file:
        parts.append(f"unpacked to {len(record.files):,} files")
    if record.skipped:
        parts.append(f"{record.skipped:,} files of macOS left out")
    parts.append(escape(record.verified))
    _line(console, ", ".join(parts))


def print_complete(
    plan: Plan, downloads: Downloads, console: Console, *, verified: bool = False
) -> None:
    """Say that all is there, how far that was checked, and what is left to the user."""
    records = [item.record for item in plan.items if item.record] + list(plan.parts)
    files = [file for record in records for file in record.files]
    how = "every byte read" if verified else "sizes compared; --verify reads every byte"
    total = size_text(sum(file.size for file in files))
    said = "Fetched" if downloads.by_hand else "Complete"
    _line(
        console,
        f"[green]{said}:[/green] {len(files):,} files, {total}, in {escape(str(plan.place))} "
        f"({how}).",
    )
    if downloads.by_hand:
        _line(console, f"[yellow]Left to you:[/yellow] {escape(downloads.by_hand)}")


def size_text(size: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.2f} GB"


def _state(item: Item) -> str:
    if item.complete:
        return "in place"
    if item.found:
        return "found there: it is checked and used"
    size = "size unknown" if item.download.size is None else size_text(item.download.size)
    begun = f", {size_text(item.have)} of it fetched already" if item.have else ""
    if item.missing:
        return f"{size}, again: {len(item.missing):,} of its files are missing"
    return size + begun


def _line(console: Console, text: str) -> None:
    console.print(text, highlight=False, soft_wrap=True)
