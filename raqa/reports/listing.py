"""Small tables in the terminal: answers about new files, embeddings that are kept or removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console
from rich.filesize import decimal
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from raqa.display import harmless
from raqa.metrics.conformal import Conformal
from raqa.reports.calibration import conformal_texts
from raqa.reports.headline import kind_of
from raqa.reports.run_tables import Run

if TYPE_CHECKING:
    from raqa.ask import Replies
    from raqa.configuration.weights import Checkpoint
    from raqa.embeddings.extract import Embeddings


def print_answers(
    run: Run,
    answers: pl.DataFrame,
    set_aside: pl.DataFrame,
    interval: Conformal | None,
    console: Console,
) -> None:
    """Print a run's predictions for files, then the files that it could not be asked about."""
    headings, rows = kind_of(run).answers(run, answers)
    table = _table(*headings)
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)
    for file, reason in set_aside.select("item", "reason").iter_rows():
        console.print(f"[yellow]no answer:[/yellow] {escape(file)}: {escape(reason)}",
                      highlight=False, soft_wrap=True)  # fmt: skip
    for text in conformal_texts(run, interval) if interval is not None else ():
        console.print(escape(text), highlight=False, soft_wrap=True)
    _print_caution(run, "A prediction of one recording", console)


def print_replies(replies: Replies, console: Console) -> None:
    """Print what was asked, each file's answer with what else it might be, and how far to trust."""
    for line in _asked(replies):
        console.print(line, highlight=False, soft_wrap=True)
    seeds = len(replies.run.provenance.seeds)
    for (file,), rows in replies.possible.group_by("file", maintain_order=True):
        console.print(f"\n[bold]{escape(str(file))}[/bold]", highlight=False, soft_wrap=True)
        for row in rows.iter_rows(named=True):
            said = escape(harmless(row["answer"] or "") or "(the run gives no answer)")
            shown = said if row["rank"] == 1 else f"[dim]or: {said}[/dim]"
            console.print(f"  {shown}  {_weight(row, seeds)}", highlight=False, soft_wrap=True)
    console.print()
    for file, reason in replies.set_aside.select("item", "reason").iter_rows():
        console.print(f"[yellow]no answer:[/yellow] {escape(file)}: {escape(reason)}",
                      highlight=False, soft_wrap=True)  # fmt: skip
    if not replies.listens:
        console.print("[yellow]This head does not listen: it answers from the question alone."
                      "[/yellow]")  # fmt: skip
    _print_caution(replies.run, "An answer about one recording, for research", console)


def _asked(replies: Replies) -> Iterator[str]:
    """How the question was understood, a line for each thing that the user should know."""
    taken = replies.taken
    if taken is None:
        yield "asked as it stands; no training question has these words"
        return
    row = taken.row.row(0, named=True)
    label = f" = {row['asked_label']}" if row["asked_label"] else ""
    way = row["question_type"].replace("_", " ")
    near = "the same words" if taken.nearness == 1 else f"nearness {taken.nearness:.2f}"
    yield f"taken as {row['attribute']}{escape(label)} ({way}), {near}: {escape(taken.question)}"
    if taken.other and taken.nearness < 1:
        yield f"[dim]next is {escape(taken.other[0])} ({taken.other[1]:.2f})[/dim]"
    corpora, others = taken.corpora, len(taken.corpora) > 1
    why = "which has most of these questions" if others else "the only one with this question"
    why = "as you chose" if taken.chosen else why
    also = f"; also in {', '.join(corpora[1:])} (--corpus)" if others else ""
    yield f"answered as a recording of {escape(corpora[0])}, {why}{escape(also)}"


def _weight(row: Mapping[str, Any], seeds: int) -> str:
    """How sure a possible answer is: its probability or spread, and how many seeds give it."""
    spread = "" if row["sd_over_seeds"] is None else f" ± {row['sd_over_seeds']:.2g} over seeds"
    if row["value"] is not None:
        return f"{row['value']:.4g} {row['unit'] or ''}{spread}".replace("  ", " ")
    own = f"the answer of {row['seeds']} of {seeds} seeds" if seeds > 1 else ""
    share = "" if row["probability"] is None else f"probability {row['probability']:.2g}{spread}"
    return ", ".join(part for part in (share, own) if part)


def _print_caution(run: Run, what: str, console: Console) -> None:
    """Print how good the run was, that it is no diagnosis, and what makes it mean nothing."""
    facts, headline = run.provenance, kind_of(run).headline(run)
    tested = f"the run's test {headline.name} was {headline.mean_text}"
    console.print(f"{what}; {tested}. Not for diagnosis.", style="dim", highlight=False)
    if not facts.weights_real or facts.synthetic:
        why = "random weights" if not facts.weights_real else "synthetic recordings"
        console.print(f"[bold red]Trained on {why}: these numbers mean nothing.[/bold red]")


def print_shelves(shelves: pl.DataFrame, folder: Path, console: Console) -> None:
    """Print what the store keeps, last used first."""
    if shelves.is_empty():
        console.print(f"nothing is kept in {escape(str(folder))}", highlight=False, soft_wrap=True)
        return
    headings = ("name", "encoder", "weights", "clip", "embeddings", "size", "last used")
    lines = [_shelf_texts(row) for row in shelves.iter_rows(named=True)]
    widths = [max(map(len, texts)) for texts in zip(headings, *lines, strict=True)]
    if sum(widths) + 2 * len(widths) <= console.width:
        table = _table(*headings)
        for texts in lines:
            table.add_row(*map(escape, texts))
        console.print(table)
    else:  # names are typed again for `prune`, so they are never broken
        for name, encoder, weights, clip, count, size, used in lines:
            facts = f"{encoder}, weights {weights}, {clip}: {count} embeddings, {size}, used {used}"
            console.print(escape(name), highlight=False, soft_wrap=True)
            console.print(Padding(escape(facts), (0, 0, 0, 4)), highlight=False)
    console.print(f"{decimal(int(shelves['bytes'].sum()))} in {escape(str(folder))}",
                  highlight=False, soft_wrap=True)  # fmt: skip


def _shelf_texts(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A shelf's name and what is known of it."""
    return (
        row["name"], row["encoder"] or "?", (row["weights"] or "?")[:12], row["clip"] or "?",
        f"{row['rows']:,}", decimal(row["bytes"]), f"{row['last_used']:%Y-%m-%d}",
    )  # fmt: skip


def print_embeddings(embeddings: Embeddings, export: Path | None, console: Console) -> None:
    """Print what an extraction did, then what it could not embed."""
    count, shape = len(embeddings.recording_ids), list(embeddings.vectors.shape[1:])
    console.print(f"{count:,} embeddings of shape {shape}: {embeddings.reused:,} from the store, "
                  f"{embeddings.computed:,} computed now", highlight=False)  # fmt: skip
    for item, reason in embeddings.set_aside.select("item", "reason").iter_rows():
        console.print(f"[yellow]set aside:[/yellow] {escape(item)}: {escape(reason)}",
                      highlight=False, soft_wrap=True)  # fmt: skip
    if export is not None:
        console.print(f"written to {escape(str(export))}", highlight=False, soft_wrap=True)


def print_weights(checkpoints: Sequence[Checkpoint], console: Console) -> None:
    """Print what published weights there are, under which terms, and where they are here."""
    for one in checkpoints:
        here = f"[green]{escape(str(one.cached))}[/green]" if one.cached else (
            f"[yellow]not here; raqa weights fetch {one.name}[/yellow]")  # fmt: skip
        for line in (
            f"[bold]{one.name}[/bold]  {escape(one.published.title)}",
            f"  {escape(one.published.licence)}",
            f"  [dim]{escape(one.published.licence_page)}[/dim]",
            f"  {here}",
        ):
            console.print(line, highlight=False, soft_wrap=True)


def print_removed(removed: pl.DataFrame, console: Console, *, dry_run: bool) -> None:
    """Print what was removed from the store, or would be."""
    for name, size, reason in removed.select("name", "bytes", "reason").iter_rows():
        console.print(f"{escape(name)}  {decimal(size)}  {escape(reason)}", highlight=False)
    total = decimal(int(removed["bytes"].sum()))
    console.print(f"{total} {'would be removed' if dry_run else 'removed'}", highlight=False)


def plain_table(first: str, *numbers: str) -> Table:
    """A table without lines whose first column is text and whose others are numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(first)
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right")
    return table
