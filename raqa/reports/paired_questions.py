"""What comparing two runs on the same questions needs, whatever kind of questions they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from raqa.errors import UserError

LETTERS: Mapping[str, str] = {"first": "A", "second": "B"}
"""What the better one of two runs is called."""


def check_same_questions(asked: Sequence[pl.DataFrame], same: str, changed: str) -> None:
    """Refuse to compare runs that were not asked the same.

    Args:
        asked: the questions of A and of B, sorted by qa_id.
        same: what the two have to have in common.
        changed: what is said where questions of one id differ.

    Raises:
        UserError: they were asked different questions.
    """
    first, second = (set(one["qa_id"]) for one in asked)
    if first != second:
        raise UserError(
            f"They were asked different questions: {len(first & second):,} of both, "
            f"{len(first - second):,} of A alone, {len(second - first):,} of B alone. "
            f"Compare runs of one {same}."
        )
    if not asked[0].equals(asked[1]):
        raise UserError(changed)
