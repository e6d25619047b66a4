"""What `raqa exam check`, `show` and `convert` print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from raqa.display import LONGEST, csv_cell, harmless
from raqa.embeddings.atomic import write_atomically
from raqa.errors import UserError, neighbours
from raqa.exams.faults import Fault
from raqa.exams.read import Exam
from raqa.tables import DIFFICULTIES

_BY = ("benchmark", "question_type", "corpus", "difficulty", "audio_source")
_NAMED = 3


def print_counts(exam: Exam, console: Console) -> None:
    """Print how many questions there are of each kind, about how many recordings and subjects."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("by")
    table.add_column("part", overflow="fold")
    for heading in ("questions", "recordings", "subjects"):
        table.add_column(heading, justify="right", no_wrap=True)
    everything = exam.questions
    _count_row(table, "", Text("all", style="bold"), everything)
    for by in _BY:
        parts = everything.partition_by(by, as_dict=True, maintain_order=True)
        if set(parts) == {(None,)}:
            continue
        heading = by.replace("_", " ")
        for (name,), rows in sorted(parts.items(), key=lambda one: _order(one[0][0])):
            label = "not said" if name is None else harmless(str(name), 60)
            _count_row(table, heading, Text(label), rows)
            heading = ""
    console.print("", table, "", highlight=False)
    for one in exam.cautions:
        console.print(Text(f"! {one}", style="yellow"), soft_wrap=True)


def _order(name: object) -> tuple[bool, int, str]:
    place = DIFFICULTIES.index(str(name)) if name in DIFFICULTIES else 0
    return (name is None, place, str(name))


def _count_row(table: Table, by: str, label: Text, rows: pl.DataFrame) -> None:
    recordings = rows.select("corpus", "recording_id").n_unique()
    known = rows.filter(pl.col("subject_id").is_not_null())
    subjects = known.select("corpus", "subject_id").n_unique() if known.height else 0
    unknown = "" if known.height == rows.height else " and unknown ones"
    table.add_row(by, label, f"{rows.height:,}", f"{recordings:,}", f"{subjects:,}{unknown}")


def print_missing(exam: Exam, folder: Path, console: Console) -> bool:
    """Say which files of audio are not in a folder; whether all are."""
    from raqa.corpora.files import present

    files = exam.questions["audio"].unique().sort()
    there = present(str(folder / name) for name in files)
    gone = [name for name, here in zip(files, there, strict=True) if not here]
    if not gone:
        console.print(f"all {len(files):,} files of audio are in {escape(str(folder))}",
                      highlight=False, soft_wrap=True)  # fmt: skip
        return True
    named = ", ".join(harmless(name, 60) for name in gone[:_NAMED])
    asked = exam.questions.filter(pl.col("audio").is_in(gone)).height
    console.print(
        Text(f"{len(gone):,} of {len(files):,} files of audio are not in {folder}: {named}"
             f"{' ...' if len(gone) > _NAMED else ''}; {asked:,} questions are about them.",
             style="yellow"), soft_wrap=True,
    )  # fmt: skip
    return False


def print_question(exam: Exam, qa_id: str, console: Console) -> None:
    """Print one question with everything about it.

    Raises:
        UserError: no question's name, or several, begin so.
    """
    names = exam.questions["qa_id"]
    found = exam.questions.filter(names.str.starts_with(qa_id))
    exact = found.filter(pl.col("qa_id") == qa_id)
    found = exact if exact.height else found
    if found.height != 1:
        told = neighbours(qa_id, names.to_list()) if names.len() <= LONGEST else ""
        many = f"{found.height:,} questions begin so" if found.height else "there is none"
        raise UserError(f"{exam.file}: {harmless(qa_id, 60)}: {many}. {harmless(told)}".rstrip())
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in _values(found):
        table.add_row(name, Text(value))
    console.print("", table, "", highlight=False)


def _values(question: pl.DataFrame) -> Iterator[tuple[str, str]]:
    for name, value in question.row(0, named=True).items():
        if isinstance(value, list):
            yield from _lettered(name, value)
        elif value is not None:
            yield name, harmless(str(value))


def _lettered(name: str, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, one in enumerate(options):
        letter = chr(ord("A") + number) if number < 26 else str(number + 1)
        yield "" if number else name, f"{letter}. {harmless(one)}"


def write_faults(faults: Sequence[Fault], place: str, file: Path) -> None:
    """Write all faults as a CSV: line (or row), field, problem."""
    table = pl.DataFrame(
        [(one.line, csv_cell(one.field), csv_cell(one.problem)) for one in faults],
        schema={place: pl.Int64, "field": pl.String, "problem": pl.String}, orient="row",
    )  # fmt: skip
    write_atomically(file, table.write_csv().encode())
