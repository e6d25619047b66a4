"""`raqa report` and `raqa compare` as they are typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperCommand

from raqa.sweeps.recipe_file import SUFFIX

if TYPE_CHECKING:
    from raqa.reports.recipes.tables import RecipeReport
    from raqa.sweeps.report import Asked
    from raqa.sweeps.report_wandb import ReportInWandb

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
    wandb: Annotated[
        str | None,
        typer.Option(
            "--wandb",
            metavar="[=online|offline]",
            help="Of recipes: also as a run in Weights & Biases; logger.project=NAME says where.",
        ),
    ] = None,
) -> None:
    """Make a paper's table or figure from a recipe's runs, or a report of any finished runs.

    A recipe's cells are compared, set beside the published numbers, and written as Markdown, CSV,
    LaTeX, records, figures and one HTML page that works offline. Missing cells are shown with the
    cause.
    """
    from raqa.sweeps.report import understand

    asked, console, configs = understand(what), Console(), [config_dir] if config_dir else []
    show = None if wandb is None else _in_wandb(wandb, asked, configs)
    if asked.folders:
        _report_folders(asked.folders, out or Path("report"), formats, include_random, console)
    else:
        _report_recipes(
            asked, out=out, formats=formats, configs=configs, show=show, console=console
        )


class ReportCommand(TyperCommand):
    """`raqa report`, where `--wandb` may stand alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read `--wandb` as `--wandb=online`."""
        return super().parse_args(
            ctx, ["--wandb=online" if one == "--wandb" else one for one in args]
        )


def compare(first: RunFolders, second: RunFolders) -> None:
    """Say whether one of two runs is better: paired over subjects, on the same test recordings."""
    from raqa.reports.compare_runs import compare as compare_and_print

    compare_and_print(first, second, Console())


def _in_wandb(mode: str, asked: Asked, configs: Sequence[Path]) -> ReportInWandb:
    from raqa.sweeps.report_wandb import ReportInWandb

    return ReportInWandb(mode, asked, configs)


def _report_recipes(
    asked: Asked,
    *,
    out: Path | None,
    formats: Sequence[str] | None,
    configs: Sequence[Path],
    show: ReportInWandb | None,
    console: Console,
) -> None:
    from raqa.reports.recipes.write import RECIPE_FORMATS, check_formats, write_recipe_report
    from raqa.sweeps.report import recipe_report
    from raqa.sweeps.show import plan_bar

    check_formats(formats or ())
    overrides = asked.overrides if show is None else show.cell_overrides
    for name in asked.recipes:
        alone = len(asked.recipes) == 1
        place = out if out and alone else (out or Path("report")) / _inside(name)
        with plan_bar(Console(stderr=True)) as advance:
            made = recipe_report(name, overrides, [one.resolve() for one in configs], advance)
        _print_report(made, write_recipe_report(made, place, formats or RECIPE_FORMATS), console)
        if show is not None:
            console.print(escape(show.add(made)), highlight=False, soft_wrap=True)


def _print_report(made: RecipeReport, files: Sequence[Path], console: Console) -> None:
    """Print what was found, what it is not, and where it was written."""
    console.print(f"[bold]{escape(made.title)}[/bold]", highlight=False)
    for text in made.watermarks:
        console.print(f"[bold red]{escape(text)}[/bold red]", highlight=False, soft_wrap=True)
    for text in made.summary:
        console.print(escape(text), highlight=False, soft_wrap=True)
    if made.overview is not None:
        from raqa.sweeps.show import overview

        console.print("", overview(made.overview, console.width), "")
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
