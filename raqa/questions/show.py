"""What `raqa qa build` and `raqa qa show` print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from raqa.errors import UserError, neighbours
from raqa.questions.collection import DROPPED_FILE, SET_ASIDE_FILE, Collection
from raqa.tables import SIDES

_PLACES = (*SIDES, "none")
_ABOUT = ("recordings", "with audio", "subjects", "attributes")
_SHOWN = 12


def print_built(collection: Collection, console: Console) -> None:
    """Print what a collection holds, what was dropped, and what to do next."""
    facts = collection.facts
    about = _table("about", *_ABOUT)
    questions = _table("questions", *_PLACES, "together")
    for corpus, one in facts["corpora"].items():
        held = (one["recordings"], one["with_audio"], one["subjects"], len(one["known"]))
        about.add_row(corpus, *(f"{count:,}" for count in held))
        counts = _counts(one["questions"]).values()
        questions.add_row(corpus, *(f"{count:,}" for count in (*counts, one["rows"])))
    console.print(about, questions)
    if any(_counts(one["questions"])["none"] for one in facts["corpora"].values()):
        console.print("none: recordings that the split puts on no side")
    _print_dropped(facts["dropped"], console)
    _print_set_aside(facts["set_aside"], console)
    for line in (
        f"written: {collection.folder}, {facts['rows']:,} questions",
        f"content {collection.content[:16]}, templates {str(facts['templates'])[:16]}",
        f"look at some: raqa qa show --in {collection.folder}",
    ):
        console.print(line, highlight=False, soft_wrap=True, markup=False)


def _table(title: str, *numbers: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE)
    table.add_column("corpus")
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _counts(questions: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {side: sum(one[side] for one in questions) for side in _PLACES}


def _print_dropped(dropped: Sequence[Mapping[str, Any]], console: Console) -> None:
    if not dropped:
        return
    sums: dict[tuple[str, str], list[int]] = {}
    for row in dropped:
        reason = str(row["reason"])
        if reason.startswith("more answers are"):
            reason = "one of yes and no is more frequent: its surplus"
        elif "only label" in reason:
            reason = "multiple choice of one label, the only one in the corpus"
        elif reason.startswith("excluded by the templates"):
            reason = "attributes that the templates exclude (recordings)"
        elif row["question_type"] is None:
            reason = "labels that could not be read back from an answer (recordings)"
        sums.setdefault((str(row["corpus"]), reason), []).append(int(row["rows"]))
    title = f"not asked ({DROPPED_FILE} has every case)"
    table = Table(title=title, title_justify="left", box=SIMPLE)
    for name in ("corpus", "why"):
        table.add_column(name)
    table.add_column("questions", justify="right")
    for (corpus, reason), rows in sums.items():
        table.add_row(corpus, escape(reason), f"{sum(rows):,}")
    console.print(table)


def _print_set_aside(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    if not rows:
        return
    total = sum(int(row["rows"]) for row in rows)
    stages = {str(row["stage"]): 0 for row in rows}
    for row in rows:
        stages[str(row["stage"])] += int(row["rows"])
    parts = ", ".join(f"{stage} {count:,}" for stage, count in stages.items())
    console.print(f"set aside: {total:,} values, files or recordings ({parts}); "
                  f"{SET_ASIDE_FILE} has every one with its reason", highlight=False)  # fmt: skip


def print_reasons(collection: Collection, console: Console) -> None:
    """Print what was set aside, one line each, the first ones."""
    path = collection.folder / SET_ASIDE_FILE
    if not path.is_file():
        return
    table = pl.read_csv(path, infer_schema=False)
    for item, reason in table.select("item", "reason").head(_SHOWN).iter_rows():
        console.print(f"  {item}: {reason}", highlight=False, soft_wrap=True, markup=False)
    if table.height > _SHOWN:
        console.print(f"  and {table.height - _SHOWN:,} more in {path}", markup=False)


def print_question(folder: Path, qa_id: str, console: Console) -> None:
    """Print one question with all its columns.

    Raises:
        UserError: no question, or more than one, has an id that begins so.
    """
    found = (
        Collection.open(folder).scan().filter(pl.col("qa_id").str.starts_with(qa_id.lower()))
        .head(_SHOWN).collect()
    )  # fmt: skip
    if found.height != 1:
        some = f": {', '.join(found['qa_id'])}" if found.height else ""
        raise UserError(
            f"{'More than one' if found.height else 'No'} question of {folder} has an id that "
            f"begins with {qa_id!r}{some}. `raqa qa show --in {folder}` shows some with their ids."
        )
    row = found.row(0, named=True)
    console.print(f"[bold]{escape(row['question'])}[/bold]", highlight=False)
    console.print(escape(row["answer"]), highlight=False)
    table = Table(show_header=False, box=None)
    for name, value in row.items():
        if value is not None and name not in {"question", "answer"}:
            shown = "; ".join(value) if isinstance(value, list) else str(value)
            table.add_row(f"[dim]{name}[/dim]", escape(shown))
    console.print(table)


def print_examples(folder: Path, attribute: str | None, console: Console) -> None:
    """Print an example of each family, kind and question type; of one attribute, of each wording.

    Raises:
        UserError: the collection has no question about the attribute.
    """
    questions = Collection.open(folder).scan()
    by = ["family", "kind", "question_type"]
    if attribute is not None:
        asked = questions.select(pl.col("attribute").unique()).collect()["attribute"].to_list()
        if attribute not in asked:
            raise UserError(
                f"{folder} has no question about {attribute!r}. {neighbours(attribute, asked)}"
            )
        questions = questions.filter(pl.col("attribute") == attribute)
        by = ["template_id"]
    rows = questions.group_by(by).agg(pl.all().sort_by("qa_id").first()).sort(by).collect()
    for row in rows.sort("family", "attribute", "question_type").iter_rows(named=True):
        console.print(f"[dim]{row['qa_id']}  {row['corpus']}  {row['template_id']}[/dim]",
                      highlight=False, soft_wrap=True)  # fmt: skip
        console.print(f"  {escape(row['question'])}", highlight=False)
        console.print(f"  [green]{escape(row['answer'])}[/green]", highlight=False)
    if not rows.height:
        console.print(f"{folder} holds no question.", markup=False, highlight=False)
