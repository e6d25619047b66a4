"""`raqa ask` as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from raqa.errors import UserError


def ask(
    run: Annotated[Path, typer.Argument(help="A finished run's folder.")],
    about: Annotated[
        list[str],
        typer.Argument(metavar="AUDIO... QUESTION", help="Audio files, then a question in quotes."),
    ],
    csv: Annotated[
        Path | None, typer.Option(help="Also write every possible answer there (.csv).")
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(help="Answer as about this training corpus; else the one asked most."),
    ] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="A setting such as paths.cache=DIR.")
    ] = None,
) -> None:
    """Ask a finished run a question about recordings of your own.

    For example, `raqa ask runs/RUN cough.wav "Is there a wheeze?"`. The run needs a head that
    answers questions, such as fusion or soft_prefix.
    """
    from raqa.ask import ask_files
    from raqa.configuration.overrides import compose_config
    from raqa.predict import csv_place
    from raqa.reports.listing import print_replies

    *files, question = about
    if not files or Path(question).is_file():
        raise UserError(
            "Expected audio files and then a question in quotes, such as "
            f'`raqa ask {run} cough.wav "Is there a wheeze?"`; given {", ".join(about)}.'
        )
    if csv is not None:
        csv_place(csv)
    place, console = Path(compose_config(overrides or []).paths.cache), Console()
    replies = ask_files(run, [Path(file) for file in files], question, place, corpus=corpus)
    print_replies(replies, console)
    if csv is not None:
        replies.write_csv(csv)
        console.print(f"written to {escape(str(csv))}", highlight=False, soft_wrap=True)
