"""What measures are given for: everything, and by question type, corpus, attribute and family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from raqa.metrics.questions.judge import GROUP
from raqa.metrics.questions.layout import Floats
from raqa.tables import QUESTION_TYPES

By = Literal["all", "question_type", "corpus", "family", "attribute", "group"]
NUMBERS = "numbers"
"""Stands for the question type where the question is about a number."""
ORDER: tuple[By, ...] = ("all", "question_type", "corpus", "family", "attribute", "group")


@dataclass(frozen=True)
class Part:
    """A set of groups.

    Attributes:
        by: what the groups have in common; "group": it is one of them.
        name: all, a question type (or NUMBERS), a corpus, a family, an attribute, or the three
            names of a group.
    """

    by: By
    name: str


def parts_of(groups: pl.DataFrame) -> tuple[list[Part], Floats]:
    """Every part that has a group, and which groups it has: `[parts, groups]`.

    Args:
        groups: as in Layout.
    """
    types = [
        NUMBERS if kind == "numeric" else str(question_type)
        for kind, question_type in groups.select("kind", "question_type").iter_rows()
    ]
    names: dict[By, Sequence[str]] = {
        "all": ["all"] * groups.height,
        "question_type": types,
        "corpus": groups["corpus"].to_list(),
        "family": groups["family"].to_list(),
        "attribute": groups["attribute"].to_list(),
        "group": [" / ".join(row) for row in groups.select(GROUP).iter_rows()],
    }
    parts, members = [], []
    for by in ORDER:
        known = dict.fromkeys(names[by])
        if by == "question_type":
            known = dict.fromkeys(one for one in (*QUESTION_TYPES, NUMBERS) if one in known)
        for name in known:
            parts.append(Part(by, name))
            members.append([one == name for one in names[by]])
    return parts, np.array(members, np.float64).reshape(len(parts), groups.height)
