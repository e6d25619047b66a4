"""What is there of a corpus and what its labels look like, without opening any audio."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import polars as pl
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Corpus, Recordings, Step
from raqa.corpora.cohort import Cohort

_EXAMPLES = 3
_LABELS_SHOWN = 8


@dataclass(frozen=True)
class AttributeCheck:
    """One attribute over the recordings of the cohort.

    Attributes:
        given: recordings that have it. missing: recordings that do not.
        low, high, mean: in the canonical unit; null for an attribute that is not numeric.
        sd: with n - 1 degrees of freedom.
        mad: mean absolute deviation around the mean, the cough-regression benchmark's constant.
        labels: recordings by label, for an attribute that is not numeric.
    """

    name: str
    given: int
    missing: int
    unit: str = ""
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    sd: float | None = None
    mad: float | None = None
    labels: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class CorpusCheck:
    """What `raqa corpora check NAME` prints.

    Attributes:
        cohort: the recordings of the cohort by their labels, and its steps.
        present: how many of them have audio.
        present_in_all, all_recordings: the same for the whole corpus.
        attributes: over the cohort, with audio or without.
    """

    corpus: Corpus
    cohort: Recordings
    present: int
    present_in_all: int
    all_recordings: int
    attributes: tuple[AttributeCheck, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """How many recordings and subjects each step of the cohort left."""
        return self.cohort.steps


def check_corpus(corpus: Corpus, cohort: Cohort) -> CorpusCheck:
    """Read a corpus's labels and apply a cohort.

    Raises:
        UserError: the corpus is not there or contradicts itself, or the cohort does not fit it.
    """
    recordings = corpus.read()
    kept = cohort.apply(recordings)
    names = [name for name in kept.table.columns if name in ATTRIBUTES]
    return CorpusCheck(
        corpus=corpus,
        cohort=kept,
        present=int(kept.table["audio"].sum()),
        present_in_all=int(recordings.table["audio"].sum()),
        all_recordings=recordings.table.height,
        attributes=tuple(check_attribute(kept.table[name]) for name in names),
    )


def check_attribute(values: pl.Series) -> AttributeCheck:
    """Describe one attribute's values."""
    given = values.drop_nulls()
    known = ATTRIBUTES[values.name]
    missing = values.null_count()
    if known.kind != "numeric":
        counts = given.explode().value_counts(sort=True).rows()
        return AttributeCheck(values.name, len(given), missing, labels=tuple(counts))
    mean = _float(given.mean())
    return AttributeCheck(
        name=values.name,
        given=len(given),
        missing=missing,
        unit=known.unit or "",
        low=_float(given.min()),
        high=_float(given.max()),
        mean=mean,
        sd=_float(given.std()),
        mad=None if mean is None else _float((given - mean).abs().mean()),
    )


def print_check(check: CorpusCheck, console: Console) -> None:
    """Print a check: facts, cohort, labels, audio, and what was set aside."""
    corpus = check.corpus
    console.print(f"[bold]{escape(corpus.name)}[/bold]  {escape(corpus.title)}", soft_wrap=True)
    subjects = "known" if corpus.subject_known else "unknown: leakage between splits is possible"
    facts = (
        ("licence", corpus.licence),
        ("how to get it", corpus.how_to_get),
        ("read from", str(corpus.place)),
        ("subjects", subjects),
    )
    for name, text in facts:
        console.print(f"  [dim]{name}:[/dim] {escape(text)}", soft_wrap=True)
    for note in corpus.notes():
        console.print(f"  [yellow]{escape(note)}[/yellow]", soft_wrap=True)
    console.print(_steps(check.steps, corpus.subject_known))
    numeric = [one for one in check.attributes if ATTRIBUTES[one.name].kind == "numeric"]
    if numeric:
        console.print(_numbers(numeric))
    for line in _words([one for one in check.attributes if one not in numeric]):
        console.print(escape(line), highlight=False)
    for line in _empty_cells(check):
        console.print(escape(line), highlight=False, soft_wrap=True)
    total = check.cohort.table.height
    colour = "green" if check.present == total else "yellow" if check.present else "red"
    whole = f"{check.present_in_all:,} of {check.all_recordings:,} in the label tables"
    console.print(
        f"[{colour}]audio present: {check.present:,} of {total:,} recordings of the cohort"
        f"[/{colour}] ({whole})",
        highlight=False,
    )
    if check.present < total:
        console.print(f"  to get the rest: {escape(corpus.how_to_get)}", soft_wrap=True)
    for line in set_aside_lines(check.cohort.set_aside):
        console.print(escape(line), soft_wrap=True)


def print_list(corpora: Sequence[Corpus], console: Console) -> None:
    """Print what corpora there are; touches no file."""
    width = max((len(corpus.name) for corpus in corpora), default=0) + 2
    indent = " " * width
    for corpus in corpora:
        labels = ", ".join(corpus.attributes) or "as you map them"
        subjects = "subjects known" if corpus.subject_known else "subjects unknown"
        prepare = f"raqa prepare {corpus.name}, or " if corpus.downloads else ""
        for line in (
            f"[bold]{escape(corpus.name):<{width}}[/bold]{escape(corpus.title)}",
            f"{indent}labels: {escape(labels)}",
            f"{indent}{subjects}; licence: {escape(corpus.licence)}",
            f"{indent}[dim]how to get it: {escape(prepare + corpus.how_to_get)}[/dim]",
        ):
            console.print(line, soft_wrap=True, highlight=False)


def set_aside_lines(set_aside: pl.DataFrame) -> Iterator[str]:
    """Say what was set aside, one kind of reason after the other, with its first examples."""
    if set_aside.is_empty():
        yield "set aside: nothing"
        return
    yield f"set aside: {set_aside.height:,} (in the whole corpus, before the cohort)"
    facts = set_aside.select("reason", "value", "item").iter_rows()
    kinds = pl.Series("kind", [_kind_of_reason(*fact) for fact in facts])
    groups = set_aside.with_columns(kinds).group_by("stage", "kind", maintain_order=True)
    for (stage, what), rows in sorted(groups, key=lambda group: -group[1].height):
        yield f"  {rows.height:>6,}  {stage}: {what}"
        for item, row, reason in rows.head(_EXAMPLES).select("item", "row", "reason").iter_rows():
            where = "" if row is None else f" (row {row})"
            yield f"            {item}{where}: {reason}"


def _kind_of_reason(reason: str, *particulars: str | None) -> str:
    """A reason without what differs from row to row, so that a thousand rows are one kind."""
    for particular in particulars:
        if particular:  # a whole word, or an id such as "e" would be found inside others
            reason = re.sub(rf"(?<!\w){re.escape(particular)}(?!\w)", "…", reason, count=1)
    return re.sub(r"(no file|already in|repeats row) .*$", r"\1 …", reason)


def _steps(steps: Sequence[Step], subject_known: bool) -> Table:
    table = Table(box=None, header_style="bold")
    table.add_column("cohort")
    table.add_column("recordings", justify="right")
    table.add_column("subjects" if subject_known else "subjects or uploads", justify="right")
    for step in steps:
        table.add_row(escape(step.name), f"{step.recordings:,}", f"{step.subjects:,}")
    return table


def _numbers(attributes: Sequence[AttributeCheck]) -> Table:
    table = Table(box=None, header_style="bold")
    table.add_column("label")
    for column in ("n", "missing", "range", "mean", "SD", "MAD"):
        table.add_column(column, justify="right")
    table.add_column("unit")
    for one in attributes:
        span = "" if one.low is None else f"{one.low:g}–{one.high:g}"
        numbers = (_number(number) for number in (one.mean, one.sd, one.mad))
        table.add_row(one.name, f"{one.given:,}", f"{one.missing:,}", span, *numbers, one.unit)
    return table


def _words(attributes: Sequence[AttributeCheck]) -> Iterator[str]:
    for one in attributes:
        labels = [f"{label} {count:,}" for label, count in one.labels[:_LABELS_SHOWN]]
        more = ["..."] if len(one.labels) > _LABELS_SHOWN else []
        yield f" {one.name}: {', '.join([*labels, *more, f'missing {one.missing:,}'])}"


def _empty_cells(check: CorpusCheck) -> Iterator[str]:
    """Say what empty cells mean, by rule, and how many were read as a label."""
    assumed = check.cohort.assumed
    for why, columns in groupby(sorted(assumed, key=lambda one: one.why), lambda one: one.why):
        counts = ", ".join(f"{one.attribute} {one.count:,} {one.label}" for one in columns)
        yield f" empty cells read as a label, since {why} (whole label table): {counts}"
    given = {one.name for one in check.attributes}
    meanings: dict[str, list[str]] = {}
    for name, meaning in check.corpus.missing.items():
        if name == "*" or name in given:
            meanings.setdefault(meaning, []).append("otherwise" if name == "*" else name)
    for meaning, names in meanings.items():
        yield f" missing {', '.join(names)}: {meaning}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
