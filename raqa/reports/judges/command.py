"""`raqa judge ...` as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

app = typer.Typer(
    help="How far judges of an exam's answers agree: with rules, each other, clinicians.\n\n"
    "Begin with `raqa judge compare runs/RUN rules`.",
    no_args_is_help=True,
)

Run = Annotated[Path, typer.Argument(help="The folder of a finished run of task=exam.")]


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A run's folder.")],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="B", help="A run with the same answers and another judge, or: rules."
        ),
    ],
    cases: Annotated[
        Path | None,
        typer.Option(help="Where to write the answers that they judge differently (CSV)."),
    ] = None,
) -> None:
    """Say how far two judges of the same answers agree: share and Cohen's kappa, by kind.

    The second may be `rules`: the same run's answers as rules read them, where they can.

    Intervals are over subjects. Kappa of 1 to 3 has quadratic weights.
    """
    from raqa.reports.judges.compared import compare_judges
    from raqa.reports.judges.read import read_judged
    from raqa.reports.judges.show import print_compared, write_cases

    console = Console()
    judged = read_judged(first)
    rules = str(second) == "rules" and not second.is_dir()
    found = compare_judges(judged, judged.by_rules if rules else read_judged(second))
    print_compared(found, console)
    if cases is not None:
        write_cases(found.cases, cases)
        console.print(f"{found.cases.height:,} answers that they judge differently: {cases}",
                      highlight=False, markup=False, soft_wrap=True)  # fmt: skip


@app.command()
def sheet(
    run: Run,
    out: Annotated[Path, typer.Option(help="The file to write (CSV); must not be there yet.")],
    per_stratum: Annotated[
        int, typer.Option(min=1, help="Answers of each question type, verdict and corpus.")
    ] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Another one draws other answers.")] = 0,
) -> None:
    """Draw answers for clinicians to mark: a CSV file without verdicts or names of models.

    They fill in `correct` with 0 or 1, or the four criteria with 1 to 3, and leave what is "-".
    """
    from raqa.reports.judges.read import read_judged
    from raqa.reports.judges.sheet import draw, sampled, write_sheet

    judged = read_judged(run)
    drawn = draw(judged, per_stratum, seed)
    write_sheet(drawn, out)
    console = Console()
    console.print(f"{drawn.height:,} of {sampled(judged).height:,} answers: {out}",
                  highlight=False, markup=False, soft_wrap=True)  # fmt: skip
    console.print(f"When it is marked: raqa judge agreement {run} {out}", highlight=False,
                  markup=False, soft_wrap=True)  # fmt: skip


@app.command()
def agreement(
    run: Run,
    marked: Annotated[Path, typer.Argument(metavar="SHEET", help="The marked file.")],
) -> None:
    """Read a marked sheet: how far the judge agrees with the clinicians, with intervals.

    Everything that is wrong with it is said at once. Empty cells are counted and left out.
    """
    from raqa.reports.judges.read import read_judged
    from raqa.reports.judges.returned import read_returned
    from raqa.reports.judges.show import print_returned

    print_returned(read_returned(read_judged(run), marked), Console())
