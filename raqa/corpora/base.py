"""What every corpus is: facts about it, and `read()`, from label tables to recordings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.missing import Assumed
from raqa.tables import RECORDINGS, SET_ASIDE, check_table, set_aside_table

if TYPE_CHECKING:
    from raqa.corpora.downloads import Downloads


@dataclass(frozen=True)
class Recordings:
    """All recordings of one corpus, and what was set aside on the way.

    Attributes:
        corpus: the corpus's name.
        table: RECORDINGS columns, then canonical attributes (null = missing).
        set_aside: SET_ASIDE columns: values and recordings not used, each with its reason.
        sources: the label tables that were read; their bytes are part of a run's identity.
        steps: how many recordings and subjects each step of the cohort left, first to last.
        assumed: empty cells of the label tables that were read as a label, counted by column.
    """

    corpus: str
    table: pl.DataFrame
    set_aside: pl.DataFrame = field(default_factory=set_aside_table)
    sources: tuple[Path, ...] = ()
    steps: tuple[Step, ...] = ()
    assumed: tuple[Assumed, ...] = ()

    def __post_init__(self) -> None:
        given = {name: ATTRIBUTES[name].dtype for name in self.table.columns if name in ATTRIBUTES}
        table = check_table(
            self.table,
            {**RECORDINGS, **given},
            name="recordings",
            key=["corpus", "recording_id"],
        )
        object.__setattr__(self, "table", table)
        object.__setattr__(
            self, "set_aside", check_table(self.set_aside, SET_ASIDE, name="set-aside")
        )


@dataclass(frozen=True)
class Step:
    """What one step of a cohort left."""

    name: str
    recordings: int
    subjects: int


class Corpus(ABC):
    """A collection of recordings with labels, in the layout of its official download.

    The attributes are facts that hold without any file present; `raqa corpora list` shows them.
    A published corpus has them as class attributes, a table of the user's own as settings.
    """

    name: str
    title: str
    licence: str
    how_to_get: str  # a sentence with an address, or who to ask
    synthetic: bool = False
    attributes: Collection[str] = ()  # canonical names of the labels it can have

    @property
    def missing(self) -> Mapping[str, str]:
        """What a missing value means, by attribute, or "*" for all others."""
        return {}

    @abstractmethod
    def read(self) -> Recordings:
        """Read the label tables; of audio at most the header, where segments must lie within it.

        Raises:
            UserError: the folder is not this corpus's layout, or its tables contradict themselves
                (all problems are reported together, with rows).
        """

    @property
    def subject_known(self) -> bool:
        """False where a subject may stand under several ids, as with anonymous uploads."""
        return True

    @property
    def place(self) -> Path | None:
        """The folder or table that `read` looks at; None: it has not been set."""
        return None

    @property
    def downloads(self) -> Downloads | None:
        """What `raqa prepare` can fetch into `place`; None: its owner has to be asked."""
        from raqa.corpora.downloads import published_downloads

        return published_downloads().get(self.name)

    def notes(self) -> tuple[str, ...]:
        """What else a user should know about the files that are there; `check` prints it."""
        return ()


class Downloaded(Corpus):
    """A corpus whose download is a folder.

    Attributes:
        root: that folder.
    """

    root: Path

    @property
    def place(self) -> Path:
        """The folder of the download."""
        return self.root
