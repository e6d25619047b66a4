"""What encoders were pre-trained on: whether a corpus to be tested on was among it."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Status = Literal["yes", "possibly", "none found", "not examined"]

TABLE = Path(__file__).with_name("pretraining.csv")
ANY = "*"
"""In the table: every encoder, or every corpus, that has no row of its own."""

MARKS: dict[str, str] = {"yes": "†", "possibly": "†", "none found": "", "not examined": "?"}
"""What stands behind a number in tables and plots."""


@dataclass(frozen=True)
class Overlap:
    """Whether an encoder was pre-trained on a corpus.

    Attributes:
        encoder, corpus: as in conf/encoder and conf/datamodule.
        status: "yes"; "possibly"; "none found": the sources name other data; "not examined":
            nobody looked.
        part: which part of the corpus, where the source says it.
        source: where that is said, or why it holds.
    """

    encoder: str
    corpus: str
    status: Status
    part: str
    source: str

    @property
    def clean(self) -> bool:
        """Whether a result can stand in a comparison that excludes recordings seen before."""
        return self.status == "none found"

    @property
    def mark(self) -> str:
        """† for overlap, certain or possible; ? where nobody looked; else nothing."""
        return MARKS[self.status]

    @property
    def sentence(self) -> str:
        """What a footnote says of the pair."""
        part = f" ({self.part})" if self.part else ""
        said = {
            "yes": f"was pre-trained on {self.corpus}{part}",
            "possibly": f"was possibly pre-trained on {self.corpus}{part}",
            "none found": f"is not known to have been pre-trained on {self.corpus}",
            "not examined": f"may have been pre-trained on {self.corpus}; nobody looked",
        }[self.status]
        return f"{self.encoder} {said}: {self.source}."


def overlap(encoder: str, corpus: str) -> Overlap:
    """Look up whether an encoder was pre-trained on a corpus, by their names in conf/.

    The row of the pair counts first, then the corpus's for every encoder, then the encoder's for
    every corpus; an encoder without rows was not examined.
    """
    for key in ((encoder, corpus), (ANY, corpus), (encoder, ANY)):
        if row := _table().get(key):
            return Overlap(encoder, corpus, row.status, row.part, row.source)
    return Overlap(encoder, corpus, "not examined", "", "raqa's table has no such encoder")


def footnotes(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Explain the marks of (encoder, corpus) pairs, one line for each marked pair.

    Returns:
        for example ``† opera_ct was pre-trained on coughvid (...): Zhang et al. 2024 (...).``
    """
    found = (overlap(*pair) for pair in dict.fromkeys(pairs))
    return [f"{one.mark} {one.sentence}" for one in found if one.mark]


@functools.cache
def _table() -> dict[tuple[str, str], Overlap]:
    """The rows of pretraining.csv by encoder and corpus.

    Raises:
        ValueError: a pair stands twice, or a status is none of the four.
    """
    rows: dict[tuple[str, str], Overlap] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["encoder"], row["corpus"]
            status = next((one for one in get_args(Status) if one == row["overlap"]), None)
            if status is None or key in rows:
                raise ValueError(f"{TABLE.name}: {key} stands twice or has no valid overlap")
            rows[key] = Overlap(*key, status, row["part"], row["source"])
    return rows
