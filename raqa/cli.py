"""The `raqa` command: everything that is not training, and training from any folder."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from raqa.errors import UserError, neighbours
from raqa.main import USER_MISTAKE, print_problems
from raqa.main import main as train_main

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from raqa.corpora.base import Corpus
    from raqa.corpora.cohort import Cohort

app = typer.Typer(
    help="Which audio foundation model, head and regime works on respiratory sounds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
corpora = typer.Typer(help="Look at corpora: what is there, what is missing, what is wrong.",
                      no_args_is_help=True)  # fmt: skip
app.add_typer(corpora, name="corpora")

Overrides = Annotated[
    list[str] | None, typer.Argument(help="Settings as in training, e.g. paths.data=DIR.")
]
CorpusName = Annotated[str, typer.Argument(help="A datamodule; `raqa corpora list` names them.")]


def main() -> None:
    """Run the command; a user's mistake is a message and exit status 2, never a traceback."""
    if sys.argv[1:2] == ["train"]:  # Hydra parses this one itself
        train_main(sys.argv[2:], command="raqa train")
        return
    try:
        app()
    except UserError as error:
        print_problems(error)
        sys.exit(USER_MISTAKE)


@app.command(add_help_option=False)
def train() -> None:
    """Train and score a configuration, or a sweep with -m; the same as `python train.py`."""


@corpora.command("list")
def list_corpora() -> None:
    """List every corpus: labels, licence, how to get it."""
    from raqa.configuration.folder import group_choices
    from raqa.corpora.check import print_list

    print_list([_datamodule(name, None)[0] for name in group_choices("datamodule")], Console())


@corpora.command()
def check(name: CorpusName, overrides: Overrides = None) -> None:
    """Check a corpus's layout and labels: counts, cohort, what is set aside and why."""
    from raqa.corpora.check import check_corpus, print_check

    corpus, cohort = _datamodule(name, overrides)
    print_check(check_corpus(corpus, cohort), Console())


def _datamodule(name: str, overrides: list[str] | None) -> tuple[Corpus, Cohort]:
    from raqa.configuration.build import build_node

    config = _compose(name, overrides)
    return build_node(config, "datamodule.corpus"), build_node(config, "datamodule.cohort")


def _compose(name: str, overrides: list[str] | None) -> DictConfig:
    from raqa.configuration.folder import group_choices
    from raqa.configuration.overrides import compose_config

    choices = group_choices("datamodule")
    if name not in choices:
        raise UserError(f"There is no corpus {name!r}. {neighbours(name, choices)}")
    return compose_config([f"datamodule={name}", *(overrides or [])])


if __name__ == "__main__":
    main()
