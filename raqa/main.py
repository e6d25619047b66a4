"""The training command, as `python train.py` and as `raqa train`.

Hydra composes and sweeps; heavy libraries are imported after the command line was found good.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig
from rich.console import Console

from raqa.configuration.folder import ROOT_CONFIG, config_folder
from raqa.configuration.help import print_help
from raqa.configuration.overrides import check_overrides, compose_config
from raqa.errors import UserError, storage_problem
from raqa.folders import make_folder
from raqa.mistakes import Mistakes
from raqa.stop_request import StopRequest
from raqa.sweeps.command import names_recipe, sweep_recipe
from raqa.training.interrupt import StoppedError

USER_MISTAKE = 2  # exit status, as other command-line tools use it
REQUEUE = getattr(signal, "SIGUSR2", 0)  # Windows lacks it
STOPPED = 3  # exit status: a signal asked it to stop, and the same command goes on


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
        _check_launcher(arguments, sweep=sweep)
        runs = _make_runs_folder(arguments)
    except UserError as error:
        print_problems(error)
        sys.exit(USER_MISTAKE)
    try:
        failed = _hydra_run(arguments, command, runs)
    except StoppedError as stopped:
        Console().print(f"Stopped {stopped}. The same command goes on from there.")
        sys.exit(STOPPED)
    if failed:
        sys.exit(USER_MISTAKE)


def print_problems(error: UserError) -> None:
    """Print a user's mistakes to standard error, one line each, without a traceback."""
    console = Console(stderr=True)
    for problem in error.problems:
        console.print(f"[bold red]error:[/bold red] {_plain(problem)}", highlight=False)


def _check_launcher(arguments: Sequence[str], *, sweep: bool) -> None:
    """Refuse a launcher for a single run, which Hydra would run in this process.

    Raises:
        UserError: saying so.
    """
    chosen = [one for one in _overrides(arguments) if one.startswith("hydra/launcher=")]
    if chosen and not sweep:
        raise UserError(
            f"{chosen[-1]}: launchers start the runs of a sweep. Without -m this one would run "
            "here, on a cluster's login node; add -m (or --multirun)."
        )


def _make_runs_folder(arguments: Sequence[str]) -> Path:
    """The folder of all runs, made before Hydra makes it, whose refusals are tracebacks.

    Raises:
        UserError: it can not be made.
    """
    places = [one for one in _overrides(arguments) if one.startswith("paths")]
    runs = Path(compose_config(places, _extra_folders(arguments)).paths.runs)
    try:
        make_folder(runs)
    except OSError as error:
        raise (_mistake(error) or error) from error
    return runs


def _hydra_run(arguments: Sequence[str], command: str, runs: Path) -> bool:
    """Let Hydra compose and run once, or once for every combination of a sweep.

    A combination that can not run is printed at once and does not stop the others. Those that a
    launcher ran elsewhere are printed when all have ended.

    Args:
        runs: the folder of all runs.

    Returns:
        whether any could not run.

    Raises:
        StoppedError: a signal asked for it.
    """
    mistakes, here, printed = Mistakes(), os.getpid(), list[UserError]()

    def task(config: DictConfig) -> None:
        from raqa.run import run

        try:
            with StopRequest() as stop:
                run(config, HydraConfig.get().runtime.choices, Console(), stop=stop)
        except StoppedError:
            if stop.received == REQUEUE and "SUBMITIT_EXECUTOR" in os.environ:
                signal.raise_signal(REQUEUE)  # to its owner again, who requeues the job
            raise
        except Exception as error:
            if (mistake := _mistake(error)) is None:
                raise
            print_problems(mistake)
            if os.getpid() == here:
                printed.append(mistake)
            else:
                mistakes.add(Path(config.paths.runs), mistake)

    launch = hydra.main(
        version_base="1.3", config_path=str(config_folder()), config_name=ROOT_CONFIG
    )(task)
    given = sys.argv
    sys.argv = [command.rsplit(maxsplit=1)[-1], *arguments]
    try:
        launch()
    finally:
        sys.argv = given
    elsewhere = mistakes.take(runs)
    for error in elsewhere:
        print_problems(error)
    return bool(printed or elsewhere)


def _mistake(error: Exception) -> UserError | None:
    """What the user can mend: a mistake, or a disk that is full or not theirs; else None."""
    if isinstance(error, UserError):
        return error
    problem = storage_problem(error)
    return None if problem is None else UserError(problem)


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
