"""`raqa report` and `raqa compare` as they are typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from raqa.sweeps.recipe_file import SUFFIX

if TYPE_CHECKING:
    from raqa.reports.recipes.tables import RecipeReport

Names = Annotated[
    list[str],
    typer.Argument(
        metavar="RECIPE or FOLDER...",
        help="A recipe such as demo/table3, with settings as for `raqa sweep`; or run folders.",
    ),
]
RunFolders = Annotated[Path, typer.Argument(help="A finished run's folder.")]


def report(
    what: Names,
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the files; report, or report/RECIPE, by default."),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="markdown, csv, html; of recipes also latex, records, figures. All by default.",
        ),
    ] = None,
    include_random: Annotated[
        bool, typer.Option(help="Of folders: also show runs with random weights, marked as such.")
    ] = False,
    config_dir: Annotated[
        Path | None, typer.Option("--config-dir", help="A folder of your own configs.")
    ] = None,
) -> None:
    """Make a paper's table or figure from a recipe's runs, or a report of any finished runs.

    A recipe's cells are compared, set beside the published numbers, and written as Markdown, CSV,
    LaTeX, records, figures and one HTML page that works offline. Missing cells are shown with the
    cause.
    """
    from raqa.sweeps.report import understand

    asked, console = understand(what), Console()
    if asked.folders:
        _report_folders(asked.folders, out or Path("report"), formats, include_random, console)
        return
    from raqa.reports.recipes.write import RECIPE_FORMATS, check_formats, write_recipe_report
    from raqa.sweeps.report import recipe_report
    from raqa.sweeps.show import plan_bar

    configs = [] if config_dir is None else [config_dir.resolve()]
    for name in asked.recipes:
        alone = len(asked.recipes) == 1
        place = out if out and alone else (out or Path("report")) / _inside(name)
        check_formats(formats or ())
        with plan_bar(Console(stderr=True)) as advance:
            made = recipe_report(name, asked.overrides, configs, advance)
        _print_report(made, write_recipe_report(made, place, formats or RECIPE_FORMATS), console)


def compare(first: RunFolders, second: RunFolders) -> None:
    """Say whether one of two runs is better: paired over subjects, on the same test recordings."""
    from raqa.reports.compare_runs import compare_runs, print_comparison

    print_comparison(compare_runs(first, second), Console())


def _print_report(made: RecipeReport, files: Sequence[Path], console: Console) -> None:
    """Print what was found, what it is not, and where it was written."""
    console.print(f"[bold]{escape(made.title)}[/bold]", highlight=False)
    for text in made.watermarks:
        console.print(f"[bold red]{escape(text)}[/bold red]", highlight=False, soft_wrap=True)
    for text in made.summary:
        console.print(escape(text), highlight=False, soft_wrap=True)
    figures = [file for file in files if file.suffix in {".png", ".pdf"}]
    _print_files([file for file in files if file not in figures], console)
    if figures:
        console.print(f"{escape(str(figures[0].parent))}: {len(figures)} files", highlight=False)


def _inside(name: str) -> Path:
    """Where a recipe's files go below the folder for reports."""
    path = Path(name.removesuffix(SUFFIX))
    return Path(path.name) if path.is_absolute() or ".." in path.parts else path


def _report_folders(
    folders: Sequence[Path],
    out: Path,
    formats: Sequence[str] | None,
    include_random: bool,
    console: Console,
) -> None:
    from raqa.reports.report import FORMATS
    from raqa.reports.report import report as make_report

    made = make_report(folders, out, formats or FORMATS, include_random=include_random)
    _print_files(made.files, console)
    for reason in made.left_out:
        console.print(f"[yellow]left out:[/yellow] {escape(reason)}", highlight=False)


def _print_files(files: Sequence[Path], console: Console) -> None:
    for file in files:
        console.print(escape(str(file)), highlight=False, soft_wrap=True)
