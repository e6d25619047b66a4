"""Chains of questions about one recording: later turns are told what was said before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from raqa.answering.base import Asked
from raqa.questions.reading.option_letters import LETTERS
from raqa.questions.reading.words import without_thoughts
from raqa.responders.base import Exchange, Response
from raqa.responders.prompts import SPOKEN


def needs_talk(rows: pl.DataFrame) -> pl.Expr:
    """Which questions only somebody who can be talked to can be asked: chains, and spoken ones."""
    spoken = pl.col("question_type").is_in(SPOKEN)
    return spoken | pl.col("chain").is_not_null() if "chain" in rows.columns else spoken


class History:
    """What was said in each chain until now.

    Where right answers are told, nothing has to be waited for; where the model's own are, turns
    are put one after the other, so that an error of an early one is there in the later ones.

    Args:
        wording: all the words in which a question is put.
    """

    def __init__(self, asked: Asked, wording: Callable[[Mapping[str, Any]], str]) -> None:
        self._asked = asked
        self._wording = wording
        self._said: dict[str, str | Response] = dict(asked.told)
        self._chains: dict[tuple[str, str], list[dict[str, Any]]] = {}
        if "chain" in asked.rows.columns:
            for row in asked.rows.drop_nulls("chain").sort("turn").iter_rows(named=True):
                self._chains.setdefault((row["benchmark"], row["chain"]), []).append(row)

    def waves(self) -> Iterator[pl.DataFrame]:
        """Questions that can be put at the same time, the first turns first."""
        rows = self._asked.rows
        if self._asked.told or not self._chains:
            yield rows
            return
        turn = pl.col("turn").fill_null(1)
        for number in rows.select(turn.unique().sort()).to_series():
            yield rows.filter(turn == number)

    def note(self, qa_id: str, response: Response) -> None:
        """Remember what came back for a question."""
        if not self._asked.told:
            self._said[qa_id] = response

    def before(self, row: Mapping[str, Any]) -> tuple[Exchange, ...] | str:
        """What is said before a question, or why it can not be put."""
        if (row.get("turn") or 1) == 1:
            return ()
        earlier = self._chains[row["benchmark"], row["chain"]]
        earlier = [one for one in earlier if one["turn"] < row["turn"]]
        missing = sorted(set(range(1, row["turn"])) - {one["turn"] for one in earlier})
        if missing:
            return f"turn {missing[0]} of its chain is not among the questions"
        exchanges = []
        for one in earlier:
            said = self._said[one["qa_id"]]
            answer = self._own(said) if isinstance(said, Response) else _right(one, said)
            if not answer:
                why = said.reason if isinstance(said, Response) and said.reason else "it is empty"
                return f"there is no answer of turn {one['turn']} to go on from: {why}"
            exchanges.append(Exchange(self._wording(one), answer))
        return tuple(exchanges)

    @staticmethod
    def _own(response: Response) -> str:
        """What a model said, as it would stand in a conversation: without thoughts aloud."""
        if response.outcome != "answered" or response.text is None:
            return ""
        return without_thoughts(response.text).strip()


def _right(question: Mapping[str, Any], answer: str) -> str:
    """The right answer as a model would give it: with its letter, where there are options."""
    options = question["options"] or []
    return f"{LETTERS[options.index(answer)]}. {answer}" if answer in options else answer
