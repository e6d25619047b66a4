"""What a judge is: it says of answers how right they are, or why it can not say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from raqa.tables import ANSWERS, EXAM, VERDICTS, Form, check_table

if TYPE_CHECKING:
    from rich.console import Console

Outcome = Literal["right", "wrong", "graded", "unreadable", "refused", "unscored"]
"""As VERDICT_OUTCOMES."""

FREE_TEXT: tuple[Form, ...] = ("facts", "concept", "open")
"""Forms that rules alone do not decide."""

NOTHING = "nothing came back"
"""Why there is no score where there is no answer; the readers of answers say the same."""


@dataclass(frozen=True)
class Named:
    """Who judged; the same names of everything that could judge differently.

    Attributes:
        judge, version, rubric: as in VERDICTS.
    """

    judge: str
    version: str
    rubric: str | None = None


@dataclass(frozen=True)
class Found:
    """What was found of one answer; attributes as in VERDICTS."""

    outcome: Outcome
    reason: str | None = None
    score: float | None = None
    correctness: int | None = None
    relevance: int | None = None
    completeness: int | None = None
    clarity: int | None = None
    from_store: bool = False


def worthless(form: Form, outcome: Outcome, reason: str) -> Found:
    """The least that an answer can get: 0, and of an open one 1 in each criterion."""
    least = 1 if form == "open" else None
    return Found(outcome, reason, 0.0, least, least, least, least)


class Judge(ABC):
    """Judges answers to an exam's questions."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, Any]:
        """Everything that decides its verdicts, as plain JSON values, without any secret."""

    def check(self) -> None:  # noqa: B027 - rules need nothing
        """Look for what is needed to judge, before any work.

        Raises:
            UserError: something is missing; says what, and what to do.
        """

    @abstractmethod
    def judge(
        self,
        items: pl.DataFrame,
        answers: pl.DataFrame,
        *,
        console: Console | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> pl.DataFrame:
        """Judge every answer.

        Args:
            items: EXAM columns.
            answers: ANSWERS columns, to questions of `items`.
            stop: asked again and again whether to stop.

        Returns:
            VERDICTS, a row for each answer, sorted by seed and qa_id.

        Raises:
            UserError: nothing can be judged: no access, no such model.
            StoppedError: `stop` asked for it; the same call goes on from there.
        """


def pairs(items: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Every answer beside its question.

    Returns:
        seed, response and EXAM columns, sorted by seed and qa_id.

    Raises:
        ValueError: tables of other columns, or answers to no question of `items`.
    """
    items = check_table(items, EXAM, name="exam", key=["qa_id"]).select(*EXAM)
    answers = check_table(answers, ANSWERS, name="answers", key=["seed", "qa_id"])
    strange = answers.join(items, on="qa_id", how="anti")
    if strange.height:
        raise ValueError(f"{strange.height:,} answer(s) to no question, such as "
                         f"{strange['qa_id'][0]}")  # fmt: skip
    said = answers.select("seed", "qa_id", "response")
    return said.join(items, on="qa_id").sort("seed", "qa_id")


def verdicts_table(rows: Iterable[tuple[int, str, Named, Found]]) -> pl.DataFrame:
    """The VERDICTS table of seed, qa_id, who judged and what was found, sorted."""
    made = [
        {"seed": seed, "qa_id": qa_id, **asdict(by), **asdict(found)}
        for seed, qa_id, by, found in rows
    ]
    return pl.DataFrame(made, schema=dict(VERDICTS)).sort("seed", "qa_id")


def verdicts_text(verdicts: pl.DataFrame) -> str:
    """What a judge found in a line, and why how many are unscored in a line each.

    What models say may stand in it: print it without markup.
    """
    counts = dict(verdicts["outcome"].value_counts().iter_rows())
    scored = verdicts.height - counts.get("unscored", 0)
    parts = [
        f"{counts[name]:,} {name}"
        for name in ("right", "wrong", "graded", "unreadable", "refused")
        if name in counts
    ]
    lines = [f"{verdicts.height:,} answers: {scored:,} scored ({', '.join(parts) or 'none'}), "
             f"{counts.get('unscored', 0):,} unscored."]  # fmt: skip
    reasons = (
        verdicts.filter(outcome="unscored")["reason"]
        .value_counts(sort=True)
        .sort("count", "reason", descending=[True, False])
    )
    shown = 5
    lines += [f"  unscored, {count:,}: {reason}" for reason, count in reasons.head(shown).rows()]
    if reasons.height > shown:
        lines.append(f"  and {reasons.height - shown:,} other reasons")
    return "\n".join(lines)
