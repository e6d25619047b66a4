"""`raqa qa sample` as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from raqa.questions.subset import Sampled

LIMITS_SHOWN = 20
"""Rows of the table of limits on the console; limits.csv has all."""


def sample(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that `raqa qa build` wrote.")
    ],
    *,
    out: Annotated[Path, typer.Option("--out", help="The folder to write; an old one goes.")],
    train: Annotated[int, typer.Option(help="Training questions wanted.")] = 100_000,
    validation: Annotated[int, typer.Option(help="Validation questions wanted.")] = 15_000,
    test: Annotated[int, typer.Option(help="Test questions wanted.")] = 15_000,
    per_subject: Annotated[
        int, typer.Option(help="Most questions of one subject, for each attribute and type.")
    ] = 5,
    least: Annotated[
        int, typer.Option(help="Labels that fewer training subjects have are left out.")
    ] = 5,
    seed: Annotated[int, typer.Option(help="Another one draws other subjects.")] = 0,
) -> None:
    """Choose a label-balanced subset, and beside it a test set at natural prevalence.

    For each corpus, attribute and question type every label is asked about equally often, and
    every wording of a yes/no question is answered with yes as often as with no. limits.csv says
    what kept each attribute from having more questions. The same collection and settings give the
    same subset, whatever the order of its rows.
    """
    from rich.console import Console

    from raqa.questions.balance import Balance
    from raqa.questions.subset import sample as sample_collection

    console, errors = Console(), Console(stderr=True)
    settings = Balance(train, validation, test, per_subject, least, seed)
    with errors.status("reading") as status:
        sampled = sample_collection(folder, out, settings, status.update)
    print_sampled(sampled, settings, console)


def print_sampled(sampled: Sampled, settings: object, console: Console) -> None:
    """Print how many questions there are and what limited them."""
    import polars as pl
    from rich.table import Table
    from rich.text import Text

    from raqa.questions.subset import LIMITS_FILE
    from raqa.tables import SIDES

    limits, wanted = sampled.limits, vars(settings)
    taken = {side: int(limits.filter(pl.col("split") == side)["taken"].sum()) for side in SIDES}
    counts = ", ".join(f"{side} {taken[side]:,} of {wanted[side]:,} wanted" for side in SIDES)
    console.print(Text(f"balanced: {counts}"))
    console.print(Text(f"test at natural prevalence: {sampled.natural.facts['rows']:,}"))
    why = limits.group_by("limit").agg(pl.len(), pl.col("taken").sum()).sort("len", "limit")
    told = "; ".join(f"{limit} {count:,}" for limit, count, _ in why.reverse().rows())
    console.print(Text(f"what limited the {limits.height:,} kinds (split, corpus, attribute, "
                       f"question type): {told}"))  # fmt: skip
    training = limits.filter(pl.col("split") == "train").sort("taken", "attribute", "corpus")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("corpus", "attribute", "question type"):
        table.add_column(name, overflow="fold")
    table.add_column("there", justify="right", no_wrap=True)
    table.add_column("taken", justify="right", no_wrap=True)
    table.add_column("limit", overflow="fold")
    for row in training.head(LIMITS_SHOWN).iter_rows(named=True):
        rarest = f": {row['rarest']}" if row["limit"] in {"rarest label", "few subjects"} and row[
            "rarest"] else ""  # fmt: skip
        table.add_row(Text(row["corpus"]), Text(row["attribute"]),
                      Text(row["question_type"].replace("_", " ")), f"{row['questions']:,}",
                      f"{row['taken']:,}", Text(f"{row['limit']}{rarest}"))  # fmt: skip
    if training.height:
        console.print(Text("\nleast of training:"))
        console.print(table)
    console.print(Text(f"all limits: {sampled.balanced.folder / LIMITS_FILE}"), soft_wrap=True)
