"""All corpora at a glance: what is there, how much of it, where to get the rest."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from raqa.corpora.base import Corpus
from raqa.errors import UserError

_COLOURS = {"present": "green", "partly": "yellow", "labels": "yellow", "fault": "red"}

_BESIDE = 70
"""Columns that addresses need; where there are fewer beside the numbers, text stands below them."""

_LEGEND = (
    "partly: some audio is there; labels: none is; fault: something is there and can not be read",
    "*: recordings, since their subjects are unknown. `raqa corpora check NAME` says more",
)


@dataclass(frozen=True)
class Glance:
    """What is there of one corpus.

    Attributes:
        state: present, partly (audio of some recordings), labels (no audio at all), missing,
            fault (something is there and can not be read), or synthetic.
        audio, recordings: with audio, and in the label tables; None: they could not be read.
        subjects: in the label tables; uploads where subjects are unknown.
    """

    corpus: Corpus
    state: str
    audio: int | None = None
    recordings: int | None = None
    subjects: int | None = None


def glance(corpus: Corpus) -> Glance:
    """Read a corpus's label tables, if they are there; a synthetic corpus is not made for this."""
    if corpus.synthetic:
        return Glance(corpus, "synthetic")
    try:
        table = corpus.read().table
    except UserError:
        there = corpus.place is not None and corpus.place.exists()
        return Glance(corpus, "fault" if there else "missing")
    audio, recordings = int(table["audio"].sum()), table.height
    state = "present" if audio == recordings else "partly" if audio else "labels"
    return Glance(corpus, state, audio, recordings, table["subject_id"].n_unique())


def print_overview(glances: Iterable[Glance], console: Console) -> None:
    """Print a line for each corpus, as it is read, and what to do beside it or below."""
    header = f"{'corpus':<16}{'state':<11}{'audio / recordings':>20}{'subjects':>10}"
    beside = console.width - len(header) - 2 >= _BESIDE
    title = f"{header}  how to get it" if beside else header
    console.print(f"[bold]{title}[/bold]", soft_wrap=True, highlight=False)
    for one in glances:
        indent = len(header) + 2 if beside else 4
        remark = _wrapped(_remark(one), indent, console.width)
        start = f"{_numbers(one)}  {next(remark)}" if beside else _numbers(one)
        for line in (start, *(" " * indent + rest for rest in remark)):
            console.print(line.rstrip(), soft_wrap=True, highlight=False)
    for line in _LEGEND:
        console.print(line, highlight=False)


def _numbers(one: Glance) -> str:
    """Name, state and counts."""
    counts = "" if one.recordings is None else f"{one.audio:,} / {one.recordings:,}"
    mark = " " if one.corpus.subject_known else "*"
    subjects = "" if one.subjects is None else f"{one.subjects:,}{mark}"
    colour = _COLOURS.get(one.state, "dim")
    name = escape(f"{one.corpus.name:<16}")
    return f"{name}[{colour}]{one.state:<11}[/{colour}]{counts:>20}{subjects:>10}"


def _wrapped(text: str, indent: int, width: int) -> Iterator[str]:
    """A text in lines that fit after an indent; an address is never broken."""
    lines = textwrap.wrap(text, width - indent, break_long_words=False, break_on_hyphens=False)
    return (f"[dim]{escape(line)}[/dim]" for line in lines or [""])


def _remark(one: Glance) -> str:
    if one.state == "fault":
        return f"raqa corpora check {one.corpus.name} says what is wrong"
    return "made when it is first used" if one.state == "synthetic" else one.corpus.how_to_get
