"""The training command, as `python train.py` and as `raqa train`.

Hydra composes and sweeps; heavy libraries are imported after the command line was found good.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig
from rich.console import Console

from raqa.configuration.folder import ROOT_CONFIG, config_folder
from raqa.configuration.help import print_help
from raqa.configuration.overrides import check_overrides
from raqa.errors import UserError, storage_problem
from raqa.sweeps.command import names_recipe, sweep_recipe

USER_MISTAKE = 2  # exit status, as other command-line tools use it


def main(arguments: Sequence[str] | None = None, command: str = "python train.py") -> None:
    """Run the training command and exit with its status.

    Args:
        arguments: what follows the command; by default the process's own.
        command: how the user called it, for help and messages.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if "--help" in arguments or "-h" in arguments:
        print_help(command, Console())
        return
    try:
        if names_recipe(arguments):
            sys.exit(sweep_recipe(arguments, _extra_folders(arguments)))
        sweep = "-m" in arguments or "--multirun" in arguments
        check_overrides(_overrides(arguments), _extra_folders(arguments), sweep=sweep)
    except UserError as error:
        print_problems(error)
        sys.exit(USER_MISTAKE)
    failures: list[UserError] = []
    _hydra_run(arguments, command, failures)
    if failures:
        sys.exit(USER_MISTAKE)


def print_problems(error: UserError) -> None:
    """Print a user's mistakes to standard error, one line each, without a traceback."""
    console = Console(stderr=True)
    for problem in error.problems:
        console.print(f"[bold red]error:[/bold red] {_plain(problem)}", highlight=False)


def _hydra_run(arguments: Sequence[str], command: str, failures: list[UserError]) -> None:
    """Let Hydra compose and run once, or once for every combination of a sweep.

    A combination that can not run is printed at once and does not stop the others.
    """

    def task(config: DictConfig) -> None:
        from raqa.run import run

        try:
            run(config, HydraConfig.get().runtime.choices, Console())
        except UserError as error:
            failures.append(error)
        except Exception as error:
            if (problem := storage_problem(error)) is None:
                raise
            failures.append(UserError(problem))
        else:
            return
        print_problems(failures[-1])

    launch = hydra.main(
        version_base="1.3", config_path=str(config_folder()), config_name=ROOT_CONFIG
    )(task)
    given = sys.argv
    sys.argv = [command.rsplit(maxsplit=1)[-1], *arguments]
    try:
        launch()
    finally:
        sys.argv = given


def _overrides(arguments: Sequence[str]) -> list[str]:
    """The arguments that are overrides: KEY=VALUE or ~KEY, not flags."""
    return [
        argument
        for argument in arguments
        if not argument.startswith("-") and ("=" in argument or argument.startswith("~"))
    ]


def _extra_folders(arguments: Sequence[str]) -> list[Path]:
    """Folders of the user's own configs, given with Hydra's --config-dir."""
    found: list[Path] = []
    for position, argument in enumerate(arguments):
        name, given, value = argument.partition("=")
        if name in {"--config-dir", "-cd"}:
            following = arguments[position + 1 : position + 2]
            found += [Path(value)] if given else [Path(one) for one in following]
    return [folder.resolve() for folder in found]


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
