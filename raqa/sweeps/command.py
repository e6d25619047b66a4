"""`raqa plan`, `raqa sweep` and `python train.py -m +recipe=...` as they are typed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from raqa.errors import UserError, neighbours

if TYPE_CHECKING:
    from raqa.sweeps.sweep import SweepSettings

RECIPE = "recipe"
SETTINGS = ("workers", "fail_fast", "force")
FLAGS = ("-m", "--multirun", "--config-dir", "-cd")
INTERRUPTED = 130  # exit status, as shells have it

RecipeName = Annotated[
    str,
    typer.Argument(
        metavar="RECIPE", help="For example cough_regression/table3, or the path of a YAML file."
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SETTING",
        help="encoder=hear picks cells where they differ; trainer.patience=5 holds for all.",
    ),
]
ConfigFolder = Annotated[
    Path | None, typer.Option("--config-dir", help="A folder of your own configs.")
]


def plan(recipe: RecipeName, overrides: Overrides = None, config_dir: ConfigFolder = None) -> None:
    """List a recipe's runs: done, missing, running, failed; and what has to be fetched first.

    A recipe is the list of runs behind one table or figure of a paper (experiments/ has them).
    Nothing is trained, embedded or fetched. Mistakes in any run are found here, all at once.
    """
    from raqa.sweeps.plan import plan as make_plan
    from raqa.sweeps.recipe_file import read_recipe
    from raqa.sweeps.show import plan_bar, print_plan

    console = Console()
    with plan_bar(Console(stderr=True)) as advance:
        planned = make_plan(read_recipe(recipe, overrides or (), _folders(config_dir)), advance)
    print_plan(planned, console)


def sweep(
    recipe: RecipeName,
    overrides: Overrides = None,
    *,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the runs.")] = 1,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Begin no run after one has failed.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Also run again what is done.")] = False,
    config_dir: ConfigFolder = None,
) -> None:
    """Run what of a recipe is not done yet; stop it at any time, the same command continues.

    A recipe is the list of runs behind one table or figure of a paper (experiments/ has them).

    A run that fails does not stop the others; failures are printed at once and again at the end.

    Exit status: 0 all is done, 1 runs failed, 2 a mistake, 3 another process is running it.
    """
    typed, given = _split(overrides or ())
    flags = {"fail_fast": fail_fast, "force": force}
    on = {name: "true" for name, is_on in flags.items() if is_on}
    settings = _settings({"workers": str(workers), **typed, **on})
    sys.exit(_run(recipe, given, _folders(config_dir), settings))


def names_recipe(arguments: Sequence[str]) -> bool:
    """Whether arguments of the training command ask for a recipe."""
    return any(argument.lstrip("+").startswith(f"{RECIPE}=") for argument in arguments)


def sweep_recipe(arguments: Sequence[str], config_folders: Sequence[Path]) -> int:
    """Run a recipe as `python train.py -m +recipe=NAME [workers=N] [fail_fast=true] ...`.

    Returns:
        the exit status.

    Raises:
        UserError: -m is missing, or something is not for recipes.
    """
    own, overrides = _split([one for one in arguments if _is_override(one)])
    problems = [
        f"{one}: a recipe runs in this process or in workers=N of its own, not by Hydra's launcher."
        for one in overrides
        if one.startswith(("hydra/", "hydra."))
    ]
    problems += [
        f"{one}: a recipe has no use for it. {neighbours(one, FLAGS)}"
        for one in arguments
        if one.startswith("-") and one.partition("=")[0] not in FLAGS
    ]
    if not {"-m", "--multirun"} & set(arguments):
        problems.append(f"+recipe={own[RECIPE]}: a recipe is a sweep; add -m (or --multirun).")
    try:
        settings = _settings(own)
    except UserError as error:
        problems += error.problems
    if problems:
        raise UserError(problems)
    return _run(own[RECIPE], overrides, config_folders, settings)


def _is_override(argument: str) -> bool:
    return not argument.startswith("-") and ("=" in argument or argument.startswith("~"))


def _split(given: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """What is the sweep's own (recipe, workers, fail_fast, force), and what its runs are given."""
    own, overrides = dict[str, str](), list[str]()
    for argument in given:
        key, _, value = argument.partition("=")
        if key.lstrip("+") in {RECIPE, *SETTINGS}:
            own[key.lstrip("+")] = value
        else:
            overrides.append(argument)
    return own, overrides


def _settings(own: Mapping[str, str]) -> SweepSettings:
    """Read workers, fail_fast and force as they are typed as overrides."""
    from raqa.sweeps.sweep import SweepSettings

    problems = []
    workers = own.get("workers", "1")
    if not (workers.isdecimal() and int(workers) > 0):
        problems.append(f"workers={workers}: expected how many processes, 1 or more.")
    for name in ("fail_fast", "force"):
        if own.get(name, "false").lower() not in {"true", "false"}:
            problems.append(f"{name}={own[name]}: expected true or false.")
    if problems:
        raise UserError(problems)
    on = {name: own.get(name, "false").lower() == "true" for name in ("fail_fast", "force")}
    return SweepSettings(workers=int(workers), **on)


def _run(
    name: str, overrides: Sequence[str], config_folders: Sequence[Path], settings: SweepSettings
) -> int:
    from raqa.sweeps.recipe_file import read_recipe
    from raqa.sweeps.sweep import sweep as run_sweep

    console = Console()
    try:
        return run_sweep(read_recipe(name, overrides, config_folders), settings, console)
    except KeyboardInterrupt:
        console.print("\nInterrupted. The same command continues where it stopped.")
        return INTERRUPTED


def _folders(config_dir: Path | None) -> list[Path]:
    return [] if config_dir is None else [config_dir.resolve()]
