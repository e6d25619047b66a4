"""`raqa predict` as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from raqa.errors import UserError


def predict(
    run: Annotated[Path, typer.Argument(help="A finished run's folder.")],
    files: Annotated[list[Path], typer.Argument(help="Audio files.")],
    csv: Annotated[
        Path | None, typer.Option(help="Also write a row for every file there (.csv).")
    ] = None,
    level: Annotated[
        float,
        typer.Option(help="Share of new subjects that the interval of a number is to cover."),
    ] = 0.9,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="A setting such as paths.cache=DIR.")
    ] = None,
) -> None:
    """Ask a finished run about new recordings.

    Numbers have an interval where the run was trained with trainer.calibration above 0.
    """
    from raqa.configuration.overrides import compose_config
    from raqa.predict import predict_files
    from raqa.reports.listing import print_answers

    if csv is not None and not csv.absolute().parent.is_dir():
        raise UserError(f"--csv {csv}: there is no folder {csv.absolute().parent}.")
    place, console = Path(compose_config(overrides or []).paths.cache), Console()
    found = predict_files(run, files, place, level=level)
    print_answers(found.run, found.answers, found.set_aside, found.interval, console)
    if csv is not None:
        found.write_csv(csv)
        console.print(f"written to {escape(str(csv))}", highlight=False, soft_wrap=True)
