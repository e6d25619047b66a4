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
SETTINGS = ("workers", "fail_fast", "force", "embed_on", "pack", "shards")
LAUNCHER = "hydra/launcher="
HERE, CLUSTER = ("workers", "fail_fast"), ("embed_on", "pack", "shards")
"""Settings of a sweep on this machine, and of one on a cluster."""

FLAGS = ("-m", "--multirun", "--config-dir", "-cd")
PACK = 20
"""Runs in one job: starting Python costs about as much as one small run."""

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
        planned = make_plan(read_recipe(recipe, overrides or (), folders(config_dir)), advance)
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
    on: Annotated[
        str | None,
        typer.Option(
            help="Submit to Slurm and return: slurm, slurm_gpu, ... (conf/hydra/launcher)."
        ),
    ] = None,
    embed_on: Annotated[
        str | None, typer.Option(help="With --on: another preset for embeddings, as slurm_gpu.")
    ] = None,
    pack: Annotated[int, typer.Option(min=1, help="With --on: runs in one job.")] = PACK,
    shards: Annotated[
        int, typer.Option(min=1, help="With --on: jobs that share a corpus's extraction.")
    ] = 1,
    config_dir: ConfigFolder = None,
) -> None:
    """Run what of a recipe is not done yet; stop it at any time, the same command continues.

    A recipe is the list of runs behind one table or figure of a paper (experiments/ has them).

    A run that fails does not stop the others; failures are printed at once and again at the end.

    With --on the runs are submitted to a cluster; `raqa status` says how far they are.

    Exit status: 0 all is done (or submitted), 1 runs failed (or can not be submitted), 2 a mistake,
    3 another process is running it.
    """
    typed, given = _split(overrides or ())
    options = {
        "workers": workers if workers > 1 else None,
        "fail_fast": "true" if fail_fast else None,
        "force": "true" if force else None,
        "embed_on": embed_on,
        "pack": pack if pack != PACK else None,
        "shards": shards if shards > 1 else None,
    }
    own = {**typed, **{name: str(value) for name, value in options.items() if value is not None}}
    sys.exit(_start(recipe, given, folders(config_dir), own, on))


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
    launchers = [one.removeprefix(LAUNCHER) for one in overrides if one.startswith(LAUNCHER)]
    overrides = [one for one in overrides if not one.startswith(LAUNCHER)]
    on = launchers[-1] if launchers else None
    problems = [
        f"{LAUNCHER}{on}: a recipe runs in this process, in workers=N of its own, or on a cluster "
        f"({LAUNCHER}slurm)."
    ] * (on is not None and not on.startswith("slurm"))
    problems += [
        f"{one}: a recipe has no use for it."
        for one in overrides
        if one.startswith(("hydra/", "hydra.")) and not (on and one.startswith("hydra.launcher."))
    ]
    problems += [
        f"{one}: a recipe has no use for it. {neighbours(one, FLAGS)}"
        for one in arguments
        if one.startswith("-") and one.partition("=")[0] not in FLAGS
    ]
    if not {"-m", "--multirun"} & set(arguments):
        problems.append(f"+recipe={own[RECIPE]}: a recipe is a sweep; add -m (or --multirun).")
    try:
        _settings(own)
    except UserError as error:
        problems += error.problems
    if problems:
        raise UserError(problems)
    return _start(own[RECIPE], overrides, config_folders, own, on)


def _start(
    name: str,
    overrides: Sequence[str],
    config_folders: Sequence[Path],
    own: Mapping[str, str],
    on: str | None,
) -> int:
    """Run a recipe here, or submit it to a cluster.

    Raises:
        UserError: a setting of the one is given for the other, or has the wrong form.
    """
    settings = _settings(own)
    useless = [key for key in (CLUSTER if on is None else HERE) if key in own]
    if useless:
        why = "is for a sweep on a cluster (--on slurm)" if on is None else "is for a sweep here"
        raise UserError([f"{key}={own[key]}: {why}." for key in useless])
    if on is None:
        return _run(name, overrides, config_folders, settings)
    from raqa.sweeps.cluster_command import submit

    return submit(
        name, overrides, config_folders, on,
        embed_on=own.get("embed_on"), pack=int(own.get("pack", PACK)),
        shards=int(own.get("shards", 1)), force=settings.force,
    )  # fmt: skip


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
    for name, what in (("workers", "processes"), ("pack", "runs"), ("shards", "jobs")):
        if not (own.get(name, "1").isdecimal() and int(own.get(name, "1")) > 0):
            problems.append(f"{name}={own[name]}: expected how many {what}, 1 or more.")
    for name in ("fail_fast", "force"):
        if own.get(name, "false").lower() not in {"true", "false"}:
            problems.append(f"{name}={own[name]}: expected true or false.")
    if problems:
        raise UserError(problems)
    on = {name: own.get(name, "false").lower() == "true" for name in ("fail_fast", "force")}
    return SweepSettings(workers=int(own.get("workers", "1")), **on)


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


def folders(config_dir: Path | None) -> list[Path]:
    """The folders of the user's own configs, from --config-dir."""
    return [] if config_dir is None else [config_dir.resolve()]
