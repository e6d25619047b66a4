"""Where questions are read from, and the recordings that they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from raqa.corpora.audit import Audit, audit_corpus
from raqa.corpora.base import Recordings
from raqa.errors import UserError
from raqa.questions.build import Request
from raqa.questions.collection import FACTS, Collection
from raqa.questions.generate import QuestionSettings
from raqa.questions.order import hashed_names
from raqa.questions.published import read_published
from raqa.questions.published_faults import (
    METADATA,
    QUESTIONS,
    Fault,
    is_published,
    published_faults,
)


@dataclass(frozen=True)
class Source:
    """Questions and what is known about where they come from.

    Attributes:
        questions: the columns of QUESTIONS.
        datamodules: whose recordings they are about.
        overrides: the settings that the datamodules were read with.
        faults: of a published folder, the known ones.
        notes: what was left out while reading.
    """

    title: str
    questions: pl.LazyFrame
    datamodules: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()


def open_questions(path: Path, corpus: str | None = None) -> Source:
    """Open a collection, or a folder in RA-QA's published form.

    Args:
        corpus: whose questions a published folder holds; it does not say so itself.

    Raises:
        UserError: it is neither, or damaged.
    """
    if is_published(path):
        name = corpus or "coswara"
        published = read_published(path, name)
        aside = published.set_aside.height
        notes = [f"the published form does not name its corpus: taken to be {name}"]
        notes += [f"{aside:,} records or recordings were set aside while reading; `raqa qa import` "
                  "lists them"] if aside else []  # fmt: skip
        faults = tuple(published_faults(path))
        return Source(f"{path.name}: questions as published, {name}", published.questions.lazy(),
                      (name,), faults=faults, notes=tuple(notes))  # fmt: skip
    if not (path / FACTS).is_file():
        raise UserError(
            f"{path} holds no questions: expected {FACTS} (a folder that `raqa qa build` wrote) or "
            f"{METADATA} with {QUESTIONS} (RA-QA's published form)."
        )
    collection = Collection.open(path)
    settings = collection.facts.get("settings", {})
    named = settings.get("corpora") or list(collection.facts["corpora"])
    about = f"{path.resolve().name}: questions about {', '.join(collection.facts['corpora'])}"
    overrides = tuple(settings.get("overrides", ()))
    return Source(about, collection.scan(), tuple(named), overrides)


def read_recordings(
    source: Source, overrides: Sequence[str] = ()
) -> tuple[list[Recordings], list[str]]:
    """Read the recordings of every datamodule that is at hand.

    Args:
        overrides: settings that come after the collection's own, as paths.data=DIR.

    Returns:
        recordings, and why those of other datamodules are not here.

    Raises:
        UserError: a setting can not be used.
    """
    from raqa.configuration.build import build_node
    from raqa.configuration.folder import group_choices
    from raqa.configuration.overrides import compose_config

    given = (*source.overrides, *overrides)
    asked = Request(source.datamodules, given, None, QuestionSettings())
    found, notes = [], []
    for name in source.datamodules:
        if name not in group_choices("datamodule"):
            notes.append(
                f"recordings of {name} can not be looked for: there is no datamodule {name}"
            )
            continue
        corpus = build_node(compose_config(asked.overrides_for(name)), "datamodule.corpus")
        try:
            found.append(corpus.read())
        except UserError as error:
            why = error.problems[0].splitlines()[0]
            notes.append(f"recordings of {name} are not at hand ({why}); paths.data=DIR says where "
                         "they are")  # fmt: skip
    return found, notes


def audit_recordings(
    recordings: Iterable[Recordings],
    questions: pl.LazyFrame,
    most: int,
    watch: Callable[[int], None] = lambda _: None,
) -> tuple[dict[str, Audit], list[str]]:
    """Decode recordings that are asked about: how long, in which format, with which bytes.

    Args:
        most: of each corpus, drawn by hash.
        watch: is called with 1 after each recording.

    Returns:
        audits by corpus, and what was not decoded.
    """
    names = ["corpus", "recording_id"]
    asked = questions.select(pl.col(names).cast(pl.String)).unique().collect(engine="streaming")
    found, notes = {}, []
    for one in recordings:
        there = one.table.join(asked, on=names, how="semi").filter(pl.col("audio"))
        if there.is_empty():
            notes.append(f"no recording of {one.corpus} that is asked about has its file here")
            continue
        if there.height > most:
            notes.append(f"{most:,} of {there.height:,} recordings of {one.corpus} were decoded, "
                         "drawn by hash (--decode)")  # fmt: skip
        drawn = there.sort(hashed_names(there["recording_id"], "decode")).head(most)
        found[one.corpus] = audit_corpus(replace(one, table=drawn), progress=watch)
    return found, notes
