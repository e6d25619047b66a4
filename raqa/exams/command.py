"""`raqa exam ...` as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

app = typer.Typer(
    help="Exams, questions that are only asked: check a file, look at it, convert it.\n\n"
    "Begin with `raqa exam demo --out exam` (needs no download), then "
    "`raqa exam show exam/demo_exam.jsonl`.",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(help="A file of questions, .jsonl or .parquet.")]
Audio = Annotated[
    Path | None, typer.Option("--audio", help="The folder that the paths of audio are below.")
]


@app.command()
def check(
    file: File,
    audio: Audio = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to write all faults (CSV).")
    ] = None,
) -> None:
    """Check every question of a file; everything that is wrong is said at once, with its lines.

    With --audio also whether every file of audio is there.
    """
    from raqa.errors import UserError
    from raqa.exams.read import look, place_name, read_exam
    from raqa.exams.show import print_counts, print_missing, write_faults

    console = Console()
    if out is not None:
        _, faults = look(file)
        write_faults(faults, place_name(file), out)
        console.print(f"{len(faults):,} faults: {escape(str(out))}", highlight=False,
                      soft_wrap=True)  # fmt: skip
    exam = read_exam(file)
    print_counts(exam, console)
    if audio is not None and not print_missing(exam, audio, console):
        raise UserError(f"{file}: files of audio are missing below {audio}; see above.")
    console.print(f"{escape(str(file))} is sound", highlight=False, soft_wrap=True)


@app.command()
def show(
    file: File,
    qa_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A question's qa_id, or how it begins.")
    ] = None,
) -> None:
    """Count a file's questions by type, corpus, difficulty and audio source; or show one."""
    from raqa.exams.read import read_exam
    from raqa.exams.show import print_counts, print_question

    exam, console = read_exam(file), Console()
    if qa_id is None:
        print_counts(exam, console)
    else:
        print_question(exam, qa_id, console)


@app.command()
def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A file of questions, or a collection's folder.")
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help=".jsonl or .parquet")],
    side: Annotated[
        Literal["train", "validation", "test", "all"],
        typer.Option(help="Of a collection: which side's questions."),
    ] = "all",
    audio: Audio = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
) -> None:
    """Turn JSON lines into Parquet or back, or a collection (`raqa qa build`) into an exam.

    Of a collection, --audio says which folder paths are to be relative to; without it, the
    nearest that holds all recordings.
    """
    from raqa.errors import UserError
    from raqa.exams.convert import exam_of_collection
    from raqa.exams.read import read_exam
    from raqa.exams.write import write_exam

    console = Console()
    if source.is_dir():
        exported = exam_of_collection(source, side, audio)
        questions, place = exported.questions, f"; its audio is below {exported.audio}"
    elif side != "all" or audio is not None:
        raise UserError(f"{source} is no collection's folder: --side and --audio have no meaning.")
    else:
        questions, place = read_exam(source).questions, ""
    write_exam(questions, target, replace=force)
    console.print(f"{escape(str(target))}: {questions.height:,} questions{escape(place)}",
                  highlight=False, soft_wrap=True)  # fmt: skip


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="The folder to write; it must be new.")],
) -> None:
    """Write a small synthetic exam with every type of question, and its audio; no download."""
    from raqa.exams.demo import write_demo
    from raqa.exams.read import read_exam
    from raqa.exams.show import print_counts

    console = Console()
    file = write_demo(out)
    print_counts(read_exam(file), console)
    for line in (
        f"written: {file}",
        "sit it: python train.py task=exam datamodule=exam head=zero_shot responder=random \\",
        f"  datamodule.corpus.file={file} datamodule.corpus.data={out} seeds=1",
    ):
        console.print(line, highlight=False, soft_wrap=True, markup=False)
