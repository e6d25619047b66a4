"""`--help`: every group with a line, every choice with a line, and how to use them."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from raqa.configuration.folder import group_choices, group_texts, recipe_names

_INTRODUCTION = """[bold]Train a head on an encoder's embeddings of a corpus, and score it.[/bold]

  {command}                              the synthetic demo
  {command} datamodule=coswara           choose from the groups below
  {command} seeds=3 trainer.patience=5   change single settings
  {command} -m head=linear,mlp_small     every combination (Hydra multirun)
  {command} -m +recipe=demo/table3       all runs of a table
"""
_CLOSING = """
[bold cyan]recipes[/bold cyan]  [dim]the runs of a paper's tables and figures, with -m +recipe=NAME
\\[workers=N] \\[fail_fast=true]; `raqa plan NAME` says what is missing[/dim]
{recipes}

* the default. All settings, resolved: {command} --cfg job

Results stand in runs/, one folder a run. The same command again shows the
finished result; force=true trains again.
"""


def print_help(command: str, console: Console) -> None:
    """Print the help of the training command.

    Args:
        command: how the user called it, for example ``python train.py``.
    """
    console.print(_INTRODUCTION.format(command=command), highlight=False)
    for group, text in group_texts().items():
        if group.startswith("hydra/"):
            continue
        console.print(f"[bold cyan]{group}[/bold cyan]  [dim]{escape(text)}[/dim]", highlight=False)
        console.print(choices_table(group, group_choices(group)), highlight=False)
    recipes = "\n".join(f"    {name}" for name in recipe_names())
    console.print(_CLOSING.format(command=command, recipes=recipes), highlight=False)


def choices_table(group: str, choices: Mapping[str, str]) -> Table:
    """Every choice of a group with its line; a star stands before the default."""
    table, default = Table.grid(padding=(0, 2)), _defaults().get(group)
    table.add_column(no_wrap=True)
    table.add_column()
    for choice, line in choices.items():
        table.add_row(f"  {'*' if choice == default else ' '} {choice}", escape(line))
    return table


def _defaults() -> dict[str, str]:
    from omegaconf import OmegaConf

    from raqa.configuration.folder import ROOT_CONFIG, config_folder

    root = OmegaConf.load(config_folder() / f"{ROOT_CONFIG}.yaml")
    listed = OmegaConf.to_container(root)
    found: dict[str, str] = {}
    for entry in listed["defaults"] if isinstance(listed, dict) else []:
        if isinstance(entry, dict):
            found.update(entry)
    return found
