"""What a report says, before it is Markdown or a page: columns, rows and one view per run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raqa.metrics.groups import GroupError
from raqa.reports.asked.inputs import Inputs, inputs_of
from raqa.reports.asked.silent import silent_text
from raqa.reports.columns import MODEL, NOTES, SETTING, VARIANT, Column, model_columns
from raqa.reports.headline import Detail, Headline, Kind, kind_of
from raqa.reports.run_tables import Run
from raqa.reports.text import (
    decimals,
    encoder_text,
    group_set_aside,
    interval_text,
    number_text,
    pretraining_overlap,
    verdict_text,
    warning_texts,
)
from raqa.tables import SIDES

NAMES_SHOWN = 20
"""Items named per reason in a report; set_aside.csv of the run has them all."""
GROUP_HEADINGS = ("group", "n", "MAE", "95 % interval", "median", "bias")


@dataclass(frozen=True)
class Aside:
    """Items that were set aside for one reason."""

    reason: str
    count: int
    names: tuple[str, ...]

    @property
    def more(self) -> int:
        """How many are not named."""
        return self.count - len(self.names)


@dataclass(frozen=True)
class RunView:
    """One run as a report shows it.

    Attributes:
        silent: what is said of its no-audio baseline; None: it asked nobody.
    """

    run: Run
    anchor: str
    name: str
    verdict: str
    warnings: tuple[str, ...]
    groups: tuple[GroupError, ...]
    cohort: tuple[tuple[str, str, str], ...]
    set_aside: tuple[Aside, ...]
    silent: str | None
    facts: tuple[tuple[str, str], ...]
    details: tuple[Detail, ...]

    @property
    def setting(self) -> str:
        """Corpus, task and regime."""
        return ", ".join(_texts(self.run, SETTING))

    @property
    def kind(self) -> Kind:
        """How runs of this one's kind of task are shown."""
        return kind_of(self.run)

    @property
    def headline(self) -> Headline:
        """The number that the run is judged by."""
        return self.kind.headline(self.run)

    @property
    def mark(self) -> str:
        """Above, below or undecided against the baseline; random weights are never above."""
        real = self.run.provenance.weights_real
        return self.run.scores.against_baseline if real else "undecided"

    @property
    def note(self) -> str:
        """The warnings in a few words; what the encoder's name says already is not repeated."""
        notes = NOTES.cell(self.run).text.split(", ")
        return ", ".join(note for note in notes if note != "random weights")

    @property
    def group_rows(self) -> list[tuple[str, ...]]:
        """Errors by group as texts under GROUP_HEADINGS."""
        places = decimals(self.run.provenance.unit)
        return [
            (
                f"{group.attribute} {group.group}",
                f"{group.recordings:,} ({group.subjects:,})",
                number_text(group.mae, places),
                interval_text(group.interval, places),
                number_text(group.median_mae, places),
                number_text(group.bias, places),
            )
            for group in self.groups
        ]


@dataclass(frozen=True)
class Setting:
    """Runs that may be compared: one corpus, one task, one regime."""

    title: str
    summary: str
    views: tuple[RunView, ...]


@dataclass(frozen=True)
class ResultTable:
    """The results of all runs of one kind of task."""

    columns: tuple[Column, ...]
    views: tuple[RunView, ...]


@dataclass(frozen=True)
class Content:
    """A whole report.

    Attributes:
        tables: results, one table for each kind of task.
        inputs: of responders that were asked, what they reached with each input.
        glossary: what the numbers mean, term and explanation.
        shared: what all runs have in common, heading and value; such columns are not repeated.
        left_out: what was found and is not in the report, a sentence each.
    """

    title: str
    shared: tuple[tuple[str, str], ...]
    tables: tuple[ResultTable, ...]
    settings: tuple[Setting, ...]
    inputs: tuple[Inputs, ...]
    glossary: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]

    @property
    def views(self) -> tuple[RunView, ...]:
        """All runs, setting by setting, smallest error first."""
        return tuple(view for setting in self.settings for view in setting.views)


def make_content(runs: Sequence[Run], left_out: Sequence[str] = ()) -> Content:
    """Put a report together from at least one run."""
    differing = [
        column
        for column in (*SETTING, *MODEL, *VARIANT)
        if len({column.cell(run).text for run in runs}) > 1
    ]
    shared = [
        column
        for column in (*SETTING, *VARIANT)
        if column not in differing and column.cell(runs[0]).text
    ]
    views: dict[tuple[str, ...], list[RunView]] = {}
    for number, (run, name) in enumerate(zip(runs, _names(runs, differing), strict=True)):
        views.setdefault(_texts(run, SETTING), []).append(
            _view(run, name, f"run-{number + 1}", runs)
        )
    settings = [_setting(key, views[key]) for key in sorted(views)]
    tables = tuple(_tables(settings, differing))
    return Content(
        title=settings[0].title if len(settings) == 1 else f"Results in {len(settings)} settings",
        shared=tuple((column.heading, column.cell(runs[0]).text) for column in shared),
        tables=tables,
        settings=tuple(settings),
        inputs=inputs_of(runs),
        glossary=tuple(
            dict.fromkeys(entry for table in tables for entry in table.views[0].kind.glossary)
        ),
        left_out=tuple(left_out),
    )


def _tables(settings: Sequence[Setting], differing: Sequence[Column]) -> Iterator[ResultTable]:
    """One table for each kind of task among the settings."""
    kinds: dict[type[Kind], list[RunView]] = {}
    for setting in settings:
        for view in setting.views:
            kinds.setdefault(type(view.kind), []).append(view)
    for kind, views in kinds.items():
        noted = any(NOTES.cell(view.run).text for view in views)
        columns = (
            *(column for column in SETTING if column in differing),
            *model_columns(view.run for view in views),
            *(column for column in VARIANT if column in differing),
            *kind.columns,
            *((NOTES,) if noted else ()),
        )
        yield ResultTable(columns, tuple(views))


def _texts(run: Run, columns: Sequence[Column]) -> tuple[str, ...]:
    return tuple(column.cell(run).text for column in columns)


def _names(runs: Sequence[Run], differing: Sequence[Column]) -> list[str]:
    """Name runs by model and variant; equal names get the end of the run's identity."""
    columns = [*model_columns(runs), *(column for column in VARIANT if column in differing)]
    names = [" · ".join(_texts(run, columns)) for run in runs]
    keys = [(_texts(run, SETTING), name) for run, name in zip(runs, names, strict=True)]
    counts = Counter(keys)
    return [
        f"{name} · {run.provenance.run.rsplit('-', 1)[-1]}" if counts[key] > 1 else name
        for run, name, key in zip(runs, names, keys, strict=True)
    ]


def _setting(key: tuple[str, ...], views: Sequence[RunView]) -> Setting:
    corpus, task, regime = key
    title = f"{task[:1].upper()}{task[1:]} from {corpus}, {regime}"
    ordered = sorted(views, key=lambda view: view.headline.order)
    if len(ordered) == 1:
        (view,) = ordered
        return Setting(title, f"{view.name}: {view.headline.text}. {view.verdict}", (view,))
    above = sum(view.run.scores.against_baseline == "above" for view in ordered)
    first, kind = ordered[0], ordered[0].kind
    summary = (
        f"{above} of {len(ordered)} runs are above the {first.run.scores.baseline}. {kind.best} is "
        f"that of {_named(first)}. Whether it is {kind.better} than the "
        "others' by more than chance was not tested."
    )
    clean = [view for view in ordered if pretraining_overlap(view.run.provenance).clean]
    if ordered[0] not in clean:
        summary += (
            " † That encoder saw this corpus in pre-training, or may have; among the others it is "
            + (f"that of {_named(clean[0])}." if clean else "nobody's: all did.")
        )
    return Setting(title, summary, tuple(ordered))


def _named(view: RunView) -> str:
    return f"{view.name}: {view.headline.text}"


def _view(run: Run, name: str, anchor: str, runs: Sequence[Run]) -> RunView:
    scores, facts = run.scores, run.provenance
    sides = [(side, scores.recordings[side], scores.subjects[side]) for side in SIDES]
    steps = [(step.name, step.recordings, step.subjects) for step in run.steps]
    return RunView(
        run=run,
        anchor=anchor,
        name=name,
        verdict=verdict_text(scores, facts.unit),
        warnings=tuple(warning_texts(scores, facts)),
        groups=kind_of(run).groups(run),
        cohort=tuple((what, f"{n:,}", f"{who:,}") for what, n, who in [*steps, *sides]),
        set_aside=tuple(
            Aside(reason, len(items), tuple(items[:NAMES_SHOWN]))
            for reason, items in group_set_aside(run.set_aside)
        ),
        silent=silent_text(run, runs),
        facts=_facts(run),
        details=kind_of(run).details(run),
    )


def _facts(run: Run) -> tuple[tuple[str, str], ...]:
    facts = run.provenance
    pairs = (
        ("run", facts.run),
        ("corpus", f"{facts.corpus_title}{' (synthetic)' if facts.synthetic else ''}"),
        ("encoder", encoder_text(facts)),
        ("weights", facts.weights),
        *kind_of(run).facts(run),
        ("seeds", ", ".join(map(str, facts.seeds))),
        ("clip", facts.clip),
        ("commit", facts.commit),
        ("finished", facts.finished_at),
        ("folder", str(run.path)),
    )
    return tuple((name, value) for name, value in pairs if value)
