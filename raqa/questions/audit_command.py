"""`raqa qa audit` as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def audit(
    path: Annotated[
        Path,
        typer.Argument(help="A folder that `raqa qa build` wrote, or RA-QA's published form."),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="Where the recordings are, e.g. paths.data=DIR; settings as in build."),
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the page; audit-NAME by default.")
    ] = None,
    corpus: Annotated[
        str | None, typer.Option(help="Whose questions a published folder holds; coswara if not.")
    ] = None,
    rows: Annotated[int, typer.Option(help="Questions on the page.", min=1)] = 2_000,
    recordings: Annotated[
        int, typer.Option(help="Recordings beside the page, to be heard and seen.", min=0)
    ] = 200,
    decode: Annotated[
        int, typer.Option(help="Recordings of each corpus to decode for formats and copies.", min=0)
    ] = 5_000,
    per_attribute: Annotated[
        int, typer.Option(help="Test questions scored for each attribute and type.", min=1)
    ] = 2_000,
) -> None:
    """Find what makes questions easier, or scores less true, than they seem; make a page.

    Counts beside the RA-QA paper's; answers that are nearly always the same; wording that gives
    the answer away; what a constant, the prior and a model that reads only the question reach;
    labels that follow the corpus or the file; subjects, recordings and audio in two splits;
    repetitions. The page works offline: browse questions, hear recordings, see spectrograms.
    """
    from rich.console import Console
    from rich.progress import Progress
    from rich.text import Text

    from raqa.questions.source import open_questions
    from raqa.reports.questions.console import print_audit
    from raqa.reports.questions.make import Wanted, make_audit

    console, errors = Console(), Console(stderr=True)
    source = open_questions(path, corpus)
    folder = out or Path(f"audit-{path.resolve().name}")
    wanted = Wanted(rows, recordings, decode, per_attribute)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task("reading", total=None)
        found, page = make_audit(
            source, folder, wanted, overrides or (),
            lambda what, done, total: progress.update(task, description=what, completed=done or 0,
                                                      total=total),
        )  # fmt: skip
    print_audit(found, console)
    console.print(Text(f"\nthe page: {page}"), soft_wrap=True)
