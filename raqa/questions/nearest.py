"""Which of the questions that a model has learnt a user's own words ask."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from raqa.errors import UserError

NEAR = 0.6
"""Least cosine that counts as asking the same; no cosine tells all that do from all that do not.

Measured by scripts/measure_nearest.py with all-MiniLM-L6-v2 on the shipped questions about KAUH and
Coswara: of 37 questions in free words 65 % are as near and all of these are taken right; of 60
about something else 8 % are as near ("What is the patient's name?" at 0.77, to the diagnosis). At
0.5 it would be 86 % and 28 %, at 0.7 38 % and 2 %. So what was taken is always shown, and a
question that is refused comes with the learnt ones to choose from."""
_SHOWN = 3

Vectors = Callable[[Sequence[str]], NDArray[Any] | None]
"""Texts to `[texts, width]`; None: there is nothing to compare meanings with."""


@dataclass(frozen=True)
class Taken:
    """The learnt question that the user's is taken as.

    Attributes:
        question: its words.
        nearness: cosine of both texts, 1 for the same words.
        row: one row of QUESTIONS about it, of the corpus that is asked.
        other: the nearest question about another thing, with its nearness; None: nothing near.
        corpora: all corpora that have the question, the one that is asked first.
        chosen: whether the user named the corpus.
    """

    question: str
    nearness: float
    row: pl.DataFrame
    other: tuple[str, float] | None
    corpora: tuple[str, ...]
    chosen: bool


def take(given: str, learnt: pl.DataFrame, vectors: Vectors, *, corpus: str | None = None) -> Taken:
    """Take a free question as the nearest of those that were learnt.

    The same words count first, whatever their case, spaces and punctuation; then the cosine of
    what `vectors` makes of the texts. Of several corpora that ask it, the one with most such
    questions is asked.

    Args:
        learnt: QUESTIONS columns.
        corpus: the one to ask as; None: chosen here.

    Raises:
        UserError: nothing learnt is near, naming what is nearest, or there is no such corpus.
    """
    if not words_of(given):
        raise UserError(f"The question {given!r} holds no words.")
    known = learnt["corpus"].unique().sort().to_list()
    if corpus is not None and corpus not in known:
        raise UserError(f"--corpus {corpus}: no question of it was learnt. Choices: "
                        f"{', '.join(known)}")  # fmt: skip
    pool = learnt if corpus is None else learnt.filter(pl.col("corpus") == corpus)
    texts = pool["question"].unique().sort().to_list()
    nearness = _nearness(given, texts, vectors)
    best = int(nearness.argmax())
    if nearness[best] < NEAR:
        raise UserError(_nothing_near(given, texts, nearness))
    rows = pool.filter(pl.col("question") == texts[best])
    often = rows["corpus"].value_counts().sort("count", "corpus", descending=[True, False])
    row = rows.filter(pl.col("corpus") == often["corpus"][0]).sort("qa_id").head(1)
    return Taken(
        texts[best], float(nearness[best]), row, _other(pool, row, texts, nearness),
        tuple(often["corpus"]), corpus is not None,
    )  # fmt: skip


def words_of(text: str) -> str:
    """A text without case, punctuation and spare spaces."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _nearness(given: str, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
    """How near each text is: 1 for the same words, else the cosine, or 0 without vectors."""
    same = np.asarray([words_of(text) == words_of(given) for text in texts])
    if same.any() or (found := vectors([given, *texts])) is None:
        return same.astype(np.float64)
    wide = found.astype(np.float64)
    wide /= np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12)
    cosines: NDArray[np.float64] = wide[1:] @ wide[0]
    return cosines


def _other(
    pool: pl.DataFrame, row: pl.DataFrame, texts: Sequence[str], nearness: NDArray[np.float64]
) -> tuple[str, float] | None:
    """The nearest question about another attribute or another label."""
    subject = ["attribute", "asked_label"]
    others = set(pool.join(row.select(subject), on=subject, how="anti", nulls_equal=True)
                 ["question"])  # fmt: skip
    for place in np.argsort(-nearness, kind="stable"):
        if texts[place] in others and nearness[place] >= NEAR:
            return texts[place], float(nearness[place])
    return None


def _nothing_near(given: str, texts: Sequence[str], nearness: NDArray[np.float64]) -> str:
    """What was learnt that is nearest: by meaning where that is known, else by letters."""
    if nearness.any():
        order = np.argsort(-nearness, kind="stable")[:_SHOWN]
        near = [f"{texts[place]!r} ({nearness[place]:.2f})" for place in order]
        why = f"Nothing that this run has learnt is near it (a nearness of {NEAR:g} is needed)."
    else:
        found = difflib.get_close_matches(given, texts, n=_SHOWN, cutoff=0) or texts[:_SHOWN]
        near = [repr(text) for text in found]
        why = "This run's head does not read words: ask in the words of a question it has learnt."
    return f"{given!r}: {why} The nearest are {', '.join(near)}."
