"""`raqa qa ...` as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from raqa.questions.audit_command import audit
from raqa.questions.sample_command import sample

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from raqa.questions.build import Watch

app = typer.Typer(
    help="Questions and answers about recordings: make them, look at them.\n\n"
    "Begin with `raqa qa build demo --out questions` (needs no download), then "
    "`raqa qa show --in questions`.",
    no_args_is_help=True,
)

Out = Annotated[Path, typer.Option("--out", help="The folder to write; an old collection goes.")]
In = Annotated[Path, typer.Option("--in", help="A folder that `raqa qa build` wrote.")]


@app.callback()
def _group() -> None:
    """Keep every command's name, however many there are."""


@app.command()
def build(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CORPUS]... [SETTING]...",
            help="Corpora (without: all that are in paths.data), and settings: "
            "templates=FOLDER, wordings=N or all, balance=false, most_options=N, seed=N; also "
            "those of training, as paths.data=DIR or split=from_file split.file=CSV.",
        ),
    ] = None,
    *,
    out: Out,
    cohort: Annotated[
        bool, typer.Option("--cohort", help="Only recordings that pass the datamodule's filters.")
    ] = False,
    audio: Annotated[
        bool, typer.Option("--audio", help="Only recordings whose audio file is there.")
    ] = False,
    form: Annotated[
        Literal["parquet", "raqa-json"],
        typer.Option("--format", help="raqa-json: RA-QA's JSON records as well."),
    ] = "parquet",
) -> None:
    """Make questions and answers from corpora's label tables: one Parquet file a corpus.

    Every recording is asked about everything that is known of it, open-ended, as multiple choice
    and to be verified. Questions to be verified are kept where as many answers are yes as no, so
    that their wording does not give the answer away; what is dropped is counted and listed.

    The same corpora and settings give the same questions, ids and bytes on every machine.
    """
    from raqa.questions.build import build as build_collection
    from raqa.questions.build import parse_request
    from raqa.questions.records import write_records
    from raqa.questions.show import print_built

    request, console, errors = parse_request(words or ()), Console(), Console(stderr=True)
    with _progress(errors) as progress:
        collection, suffixes = build_collection(
            request, out, cohort=cohort, audio=audio, watch=_watch(progress)
        )
    print_built(collection, console)
    if form == "raqa-json":
        with _progress(errors) as progress:
            task = progress.add_task("JSON records", total=None)
            paths = write_records(collection, suffixes, lambda: progress.advance(task))
        console.print(f"RA-QA's JSON records: {len(paths)} files in {paths[0].parents[2]}"
                      if paths else "no JSON records", highlight=False, soft_wrap=True,
                      markup=False)  # fmt: skip


@app.command()
def show(
    qa_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A question's id, or how it begins.")
    ] = None,
    *,
    folder: In,
    attribute: Annotated[
        str | None, typer.Option(help="Without an ID: examples about this attribute.")
    ] = None,
) -> None:
    """Show one question with everything about it; without an ID, an example of each kind."""
    from raqa.questions.show import print_examples, print_question

    if qa_id is None:
        print_examples(folder, attribute, Console())
    else:
        print_question(folder, qa_id, Console())


@app.command()
def templates(
    folder: Annotated[Path, typer.Argument(help="Where to put the files.")],
) -> None:
    """Copy the question templates to a folder, to be edited and used with templates=FOLDER."""
    from raqa.questions.template_files import copy_templates

    console = Console()
    for path in copy_templates(folder):
        console.print(str(path), highlight=False, soft_wrap=True, markup=False)
    console.print(f"Edit them, then: raqa qa build CORPUS templates={folder} --out DIR",
                  highlight=False, soft_wrap=True, markup=False)  # fmt: skip


@app.command("import")
def import_published(
    published: Annotated[
        Path, typer.Argument(help="A folder with metadata.csv and questions_answers/*.json.")
    ],
    *,
    corpus: Annotated[str, typer.Option(help="The corpus it is about, coswara for example.")],
    out: Out,
) -> None:
    """Read questions in RA-QA's published form, faults and all; what is wrong is listed.

    Beside the questions split.csv is written, to be used with split=from_file.
    """
    from raqa.questions.show import print_built, print_reasons
    from raqa.questions.take_over import take_over

    console = Console()
    collection = take_over(published, corpus, out)
    print_built(collection, console)
    print_reasons(collection, console)


app.command()(sample)
app.command()(audit)


def _progress(console: Console) -> Progress:
    from rich.progress import Progress

    return Progress(console=console, transient=True, disable=not console.is_terminal)


def _watch(progress: Progress) -> Watch:
    tasks: dict[str, TaskID] = {}

    def watch(corpus: str, done: float) -> None:
        if corpus not in tasks:
            tasks[corpus] = progress.add_task(corpus, total=1.0)
        progress.advance(tasks[corpus], done)

    return watch
