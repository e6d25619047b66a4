"""`raqa evaluate`: the training command for models that others trained, with less to type."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from raqa.configuration.folder import (
    experiments_folder,
    group_choices,
    group_texts,
    recipe_names,
)
from raqa.configuration.help import choices_table
from raqa.errors import UserError
from raqa.main import USER_MISTAKE, print_problems
from raqa.main import main as train_main
from raqa.sweeps.command import names_recipe

COMMAND = "raqa evaluate"
HEAD = "zero_shot"
GIVEN = {"task": "qa", "head": HEAD, "seeds": "1"}
"""What is set where the user does not; answers do not depend on seeds."""

_IRRELEVANT = ("task", "encoder", "clip", "embed", "head", "regime", "trainer", "debug")
"""Groups that nothing is chosen from here."""

_TITLE = "Ask a model that others trained about recordings, and score its answers."
_INTRODUCTION = f"""
  {COMMAND} responder=openai responder.model=MODEL responder.base_url=URL \\
      datamodule=questions datamodule.corpus.folder=QUESTIONS
  {COMMAND} -m responder=random head.hearing.given=audio,none

The first asks a server about a collection of `raqa qa build`, the second runs
a sweep. The same as `raqa train {" ".join(f"{k}={v}" for k, v in GIVEN.items())} ...`:
any setting of training may follow. What was answered is kept: the same
command again asks nothing, and goes on where one was stopped.
"""
_SETTINGS = (
    ("head.hearing.given=...", "audio, spectrogram, both, or none: the baseline of every report"),
    ("task=exam", "sit an exam, such as CaReCoS, with datamodule=exam or demo_exam"),
    ("responder.pace.concurrency=N", "prompts under way at a time"),
    ("responder.prices={...}", "{million_in: 2.5, million_out: 10}: what tokens cost"),
    ("head.folder=DIR", "where responses are kept; in paths.cache unless set"),
    ("force=true", "score a finished run again; asks only what is not kept"),
)


def evaluate_main(arguments: Sequence[str]) -> None:
    """Run `raqa evaluate` and exit with its status.

    Args:
        arguments: what follows the command: settings as in training, -m for a sweep.
    """
    if "--help" in arguments or "-h" in arguments:
        print_help(Console())
        return
    try:
        completed = complete(arguments)
    except UserError as error:
        print_problems(error)
        sys.exit(USER_MISTAKE)
    train_main(completed, command=COMMAND)


def complete(arguments: Sequence[str]) -> list[str]:
    """The arguments with what is set where the user does not; those of a recipe as they are.

    Raises:
        UserError: another head is chosen.
    """
    if names_recipe(arguments):
        return list(arguments)
    given = dict(one.partition("=")[::2] for one in arguments if "=" in one)
    if given.get("head", HEAD) != HEAD:
        raise UserError(
            f"head={given['head']}: {COMMAND} asks models that others trained (head={HEAD}). "
            "Heads are trained by `raqa train`."
        )
    added = [f"{key}={value}" for key, value in GIVEN.items() if key not in given]
    settings = (n for n, one in enumerate(arguments) if "=" in one and not one.startswith("-"))
    place = next(settings, len(arguments))  # Hydra wants settings side by side
    return [*arguments[:place], *added, *arguments[place:]]


def print_help(console: Console) -> None:
    """Print what can be chosen."""
    console.print(f"[bold]{_TITLE}[/bold]", highlight=False)
    console.print(_INTRODUCTION, highlight=False, markup=False)
    texts = group_texts()
    first = ["responder", "datamodule"]
    groups = first + [one for one in texts if one not in (*first, *_IRRELEVANT)]
    for group in groups:
        if not group.startswith("hydra/"):
            text = escape(texts[group])
            console.print(f"[bold cyan]{group}[/bold cyan]  [dim]{text}[/dim]", highlight=False)
            console.print(choices_table(group, group_choices(group)), highlight=False)
    console.print("[bold cyan]settings[/bold cyan]", highlight=False)
    table = Table.grid(padding=(0, 2))
    for setting, text in _SETTINGS:
        table.add_row(f"    {setting}", text)
    console.print(table, highlight=False)
    asking = ", ".join(_asking_recipes())
    console.print(f"[bold cyan]recipes[/bold cyan]  [dim]with -m +recipe=NAME[/dim]\n    {asking}")


def _asking_recipes() -> Iterator[str]:
    """The shipped recipes with runs of this head."""
    for name in recipe_names():
        text = (experiments_folder() / f"{name}.yaml").read_text(encoding="utf-8")
        if f"head: {HEAD}" in text:
            yield name
