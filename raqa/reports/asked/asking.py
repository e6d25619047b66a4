"""Who was asked, what it was given of the recordings, and what that took."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from raqa.display import csv_cell
from raqa.responders.base import Input
from raqa.responders.usage import FACTS_FILE, USAGE, USAGE_FILE

GIVEN: tuple[Input, ...] = ("audio", "spectrogram", "both", "none")
"""In the order in which they are shown."""


@dataclass(frozen=True, eq=False)
class Asking:
    """How a run asked.

    Attributes:
        responder: everything that decides its responses (Responder.identity).
        given: of a recording.
        usage: USAGE columns, a row for each question.
    """

    responder: Mapping[str, Any]
    given: Input
    usage: pl.DataFrame

    @property
    def name(self) -> str:
        """The model, or the responder without one."""
        return str(self.responder.get("model") or self.responder["responder"])

    @property
    def key(self) -> str:
        """The same for the same responder, whatever it was given."""
        return json.dumps(dict(self.responder), sort_keys=True, default=str)

    @cached_property
    def prompts(self) -> pl.DataFrame:
        """A row for each response: questions that share one count once."""
        return self.usage.filter(pl.col("request") != "").unique("request", keep="first")

    @property
    def unanswered(self) -> int:
        """Questions that nothing came back for, those about unusable recordings included."""
        return int((self.usage["outcome"] == "failed").sum())

    @property
    def tokens(self) -> int | None:
        """Of prompts and responses together; None: nobody counted them."""
        counted = self.prompts.select("tokens_in", "tokens_out").drop_nulls("tokens_in")
        return None if not counted.height else int(sum(counted.fill_null(0).sum().row(0)))

    @property
    def cost(self) -> float | None:
        """In the currency of the prices; None: they were not set."""
        return float(self.prompts["cost"].sum()) if self.prompts["cost"].count() else None

    @property
    def latency_s(self) -> float | None:
        """The median over prompts; None: it was not measured."""
        median = self.prompts["latency_s"].median()
        return None if median is None else float(median)  # type: ignore[arg-type]


def read_asking(head: Path) -> Asking | None:
    """Read what a zero-shot head left in its folder; None: it is another head's.

    Raises:
        ValueError: the files are not what such a head writes.
    """
    if not (head / FACTS_FILE).is_file():
        return None
    facts = json.loads((head / FACTS_FILE).read_text(encoding="utf-8"))
    usage = pl.DataFrame(schema=dict(USAGE))
    if (head / USAGE_FILE).is_file():
        usage = pl.read_csv(head / USAGE_FILE, schema_overrides=dict(USAGE))
    absent = [pl.lit(None, kind).alias(name) for name, kind in USAGE.items()
              if name not in usage.columns]  # fmt: skip
    return Asking(facts["responder"], facts["hearing"]["given"], usage.with_columns(absent))


def asking_row(asking: Asking | None) -> dict[str, Any]:
    """What RESULTS (reports/results.py) has of it; nothing of a run that asked nobody."""
    if asking is None:
        return {}
    return {
        "responder": csv_cell(asking.name),
        "given": asking.given,
        "prompts": asking.prompts.height,
        "unanswered": asking.unanswered,
        "tokens": asking.tokens,
        "cost": asking.cost,
        "latency_s": asking.latency_s,
    }
