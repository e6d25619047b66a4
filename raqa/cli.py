"""The `raqa` command: everything that is not training, and training from any folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from raqa.ask_command import ask
from raqa.errors import UserError, neighbours, storage_problem
from raqa.evaluate_command import evaluate_main
from raqa.exams.command import app as exams
from raqa.main import STOPPED, USER_MISTAKE, print_problems
from raqa.main import main as train_main
from raqa.predict_command import predict
from raqa.questions.command import app as questions
from raqa.reports.judges.command import app as judge
from raqa.reports.wandb_command import app as wandb
from raqa.sweeps import cluster_command as cluster
from raqa.sweeps import command as sweeps
from raqa.sweeps import report_command as reports

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from raqa.corpora.base import Corpus
    from raqa.corpora.cohort import Cohort

app = typer.Typer(
    help="Which audio foundation model, head and regime works on respiratory sounds.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",  # paragraphs are wrapped as wide as the terminal is
    pretty_exceptions_enable=False,
)
corpora = typer.Typer(
    help="Look at corpora: what is there, what is missing, what is wrong.", no_args_is_help=True
)
cache = typer.Typer(help="Look at the embeddings that are kept, remove some.", no_args_is_help=True)
app.add_typer(corpora, name="corpora")
weights = typer.Typer(
    help="Published weights: list, fetch ahead of time, check a file.", no_args_is_help=True
)
app.add_typer(cache, name="cache")
app.add_typer(weights, name="weights")
app.add_typer(wandb, name="wandb")
app.add_typer(questions, name="qa")
app.add_typer(judge, name="judge")
app.add_typer(exams, name="exam")

Overrides = Annotated[
    list[str] | None, typer.Argument(help="Settings as in training, e.g. paths.data=DIR.")
]
CorpusName = Annotated[str, typer.Argument(help="A datamodule; `raqa corpora list` names them.")]
OptionalName = Annotated[str | None, typer.Argument(help="A datamodule; without it, all of them.")]
Shelves = Annotated[list[str] | None, typer.Argument(help="Names that `raqa cache ls` shows.")]


def main() -> None:
    """Run the command; a user's mistake is a message and exit status 2, never a traceback."""
    if sys.argv[1:2] == ["train"]:  # Hydra parses this one itself
        train_main(sys.argv[2:], command="raqa train")
        return
    if sys.argv[1:2] == ["evaluate"]:
        evaluate_main(sys.argv[2:])
        return
    try:
        app()
    except UserError as error:
        print_problems(error)
        sys.exit(USER_MISTAKE)
    except Exception as error:
        if (problem := storage_problem(error)) is None:
            raise
        print_problems(UserError(problem))
        sys.exit(USER_MISTAKE)


@app.command(add_help_option=False)
def train() -> None:
    """Train and score a configuration, or a sweep with -m; the same as `python train.py`."""


@app.command(add_help_option=False)
def evaluate() -> None:
    """Ask a model that others trained, and score its answers; `raqa evaluate --help`."""


app.command()(sweeps.plan)
app.command()(sweeps.sweep)
app.command()(cluster.status)
app.command()(cluster.collect)
app.command(cls=reports.ReportCommand)(reports.report)
app.command()(reports.compare)
app.command()(predict)
app.command()(ask)


@app.command()
def embed(
    overrides: Overrides = None,
    export: Annotated[
        Path | None, typer.Option(help="Also write ids and vectors there (.parquet).")
    ] = None,
) -> None:
    """Only extract embeddings, for example `raqa embed datamodule=demo encoder=mel_stats`."""
    from raqa.configuration.overrides import compose_config
    from raqa.embed import embed as embed_cohort
    from raqa.reports.listing import print_embeddings

    config, console = compose_config(overrides or []), Console()
    embeddings = embed_cohort(config, console, export)
    print_embeddings(embeddings, export, console)


@corpora.command("list")
def list_corpora() -> None:
    """List every corpus: labels, licence, how to get it."""
    from raqa.configuration.folder import group_choices
    from raqa.corpora.check import print_list

    print_list([_datamodule(name, None)[0] for name in group_choices("datamodule")], Console())


@corpora.command()
def check(name: OptionalName = None, overrides: Overrides = None) -> None:
    """Check a corpus's layout and labels, or say of all corpora what is there."""
    from raqa.configuration.folder import group_choices
    from raqa.corpora.check import check_corpus, print_check
    from raqa.corpora.overview import glance, print_overview

    if name is not None and "=" not in name:
        corpus, cohort = _datamodule(name, overrides)
        print_check(check_corpus(corpus, cohort), Console())
        return
    settings = [*([name] if name else []), *(overrides or [])]
    every = (_datamodule(choice, settings)[0] for choice in group_choices("datamodule"))
    print_overview((glance(corpus) for corpus in every), Console())


@corpora.command()
def audit(
    name: CorpusName,
    overrides: Overrides = None,
    out: Annotated[Path | None, typer.Option(help="Where to write the list (CSV).")] = None,
) -> None:
    """Decode every file: what fails, what is byte-identical, which labels follow the format."""
    from rich.progress import Progress

    from raqa.corpora.audit import audit_corpus
    from raqa.corpora.audit_print import print_audit

    corpus, _ = _datamodule(name, overrides)
    console, recordings = Console(), corpus.read()
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("decoding", total=int(recordings.table["audio"].sum()))
        found = audit_corpus(
            recordings, os.cpu_count() or 1, lambda count: progress.advance(task, count)
        )
    path = out or Path(f"{corpus.name}-audit.csv")
    written = found.write(path)
    print_audit(found, console)
    lists = ", ".join(str(place) for place in written)
    console.print(f"the whole lists: {escape(lists)}", highlight=False, soft_wrap=True)


@app.command()
def prepare(
    name: Annotated[str, typer.Argument(help="A corpus that `raqa corpora list` shows.")],
    overrides: Overrides = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before fetching.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be fetched; write nothing.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read again every byte of what was fetched before.")
    ] = False,
) -> None:
    """Download a corpus into its folder, or say whom to ask for it.

    Shows licence, size and folder first, and asks before it fetches anything.

    It may be interrupted at any moment: the same command goes on from there.

    Files of your own that are in the folder are never overwritten.

    For example, `raqa prepare coughvid paths.data=/data` fills /data/coughvid.
    """
    from raqa.corpora.prepare.run import Wishes, prepare_corpus

    corpus, _ = _datamodule(name, overrides)
    wishes = Wishes(lambda: yes or _agreed(), dry_run, verify)
    try:
        prepare_corpus(corpus, wishes, Console())
    except KeyboardInterrupt:
        Console().print("Stopped. The same command goes on from there.")
        raise typer.Exit(STOPPED) from None


@cache.command("ls")
def list_cache(overrides: Overrides = None) -> None:
    """List what is kept: encoder, clip, number of embeddings, size, last use."""
    from raqa.embeddings.inventory import list_shelves
    from raqa.reports.listing import print_shelves

    place = _store(overrides)
    print_shelves(list_shelves(place), place, Console())


@cache.command("prune")
def prune_cache(
    names: Shelves = None,
    unused_days: Annotated[
        float | None, typer.Option(help="Also what no run has used for so many days.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of it.")] = False,
    dry_run: Annotated[bool, typer.Option(help="Say what would go; remove nothing.")] = False,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="A setting such as paths.cache=DIR.")
    ] = None,
) -> None:
    """Remove embeddings by name or age, and always what killed runs left half written."""
    from raqa.embeddings.inventory import prune
    from raqa.reports.listing import print_removed

    place = _store(overrides)
    removed = prune(place, names or (), unused_days, everything=everything, dry_run=dry_run)
    print_removed(removed, Console(), dry_run=dry_run)


@weights.command("list")
def list_published() -> None:
    """List encoders and responders with published weights: licence, and whether they are here."""
    from raqa.configuration.weights import list_weights
    from raqa.reports.listing import print_weights

    print_weights(list_weights(), Console())


@weights.command()
def fetch(
    name: Annotated[str, typer.Argument(help="What `raqa weights list` shows.")],
) -> None:
    """Fetch published weights into the cache, where jobs find them offline."""
    from raqa.configuration.weights import fetch_weights

    Console().print(escape(str(fetch_weights(name))), highlight=False, soft_wrap=True)


@weights.command("check")
def check_file(path: Annotated[Path, typer.Argument(help="A checkpoint.")]) -> None:
    """Say what a checkpoint is of, loading it strictly and executing nothing of it."""
    from raqa.configuration.weights import check_weights

    taker = check_weights(path)
    Console().print(f"{escape(str(path))} fits {taker}", highlight=False, soft_wrap=True)


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise UserError("Nothing was fetched: nobody is there to ask. Add --yes to go on.")
    return typer.confirm("Fetch it?", default=True)


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


def _store(overrides: list[str] | None) -> Path:
    from raqa.configuration.overrides import compose_config

    return Path(compose_config(overrides or []).paths.cache) / "embeddings"


if __name__ == "__main__":
    main()
