"""Asking a responder questions about recordings, and the tables of what came back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from raqa.answering.base import Asked, answers_table
from raqa.embeddings.hashes import HashCache
from raqa.errors import UserError
from raqa.responders.asking import ask_all
from raqa.responders.base import Responder, Response
from raqa.responders.draft import Draft, contents
from raqa.responders.hearing import Hearing
from raqa.responders.history import History, needs_talk
from raqa.responders.prompts import SPOKEN
from raqa.responders.store import ResponseStore
from raqa.responders.usage import usage_table

if TYPE_CHECKING:
    from rich.console import Console

FILTERED = "I can not answer."
"""Stands in the answers for a filter's refusal that came without words: it reads as one."""


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation found.

    Attributes:
        answers: ANSWERS columns with seed 0, sorted by qa_id.
        usage: USAGE columns, likewise.
    """

    answers: pl.DataFrame
    usage: pl.DataFrame


def evaluate(
    asked: Asked,
    responder: Responder,
    hearing: Hearing,
    store: ResponseStore,
    hashes: HashCache,
    *,
    console: Console | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Evaluated:
    """Ask a responder questions about recordings.

    Args:
        asked: with `files` where anything of the recordings is given; its embeddings are not used.
        hashes: tells which recordings have the same content, and which have changed.
        stop: asked before each prompt whether to stop.

    Raises:
        UserError: the responder can not be given this, or nothing can succeed.
        StoppedError: `stop` asked for it; the same call goes on from there.
    """
    _check(asked, responder, hearing)
    hearing = hearing.of(responder)
    responder.check(hearing)
    history = History(asked, lambda row: responder.wording(row, hearing.given))
    draft = Draft(asked, responder, hearing, history, contents(asked, responder, hearing, hashes))
    rows: list[tuple[str, str, Response, bool]] = []
    for wave in history.waves():
        requests, not_put = draft.requests(wave)
        found = ask_all(
            [one for one, _ in requests], responder, store,
            hear=draft.hear(), console=console, stop=stop,
        )  # fmt: skip
        new = [
            (qa_id, one.key, *found.get(one.key)) for one, qa_ids in requests for qa_id in qa_ids
        ]
        new += [(qa_id, "", Response(None, "failed", why), False) for qa_id, why in not_put]
        for qa_id, _, response, _ in new:
            history.note(qa_id, response)
        rows += new
    rows.sort(key=lambda row: row[0])
    answers = [(qa_id, _said(response)) for qa_id, _, response, _ in rows]
    return Evaluated(_answers(answers), usage_table(rows))


def _check(asked: Asked, responder: Responder, hearing: Hearing) -> None:
    """Refuse before any work what the responder can not do."""
    name = type(responder).__name__
    if hearing.given not in responder.inputs:
        raise UserError(
            f"head.hearing.given={hearing.given}: {name} takes {', '.join(responder.inputs)}."
        )
    needs = asked.rows.filter(needs_talk(asked.rows))
    if needs.height and not responder.converses:
        others = asked.rows.filter(~needs_talk(asked.rows))["question_type"].unique().sort()
        leave = f"set task.only.question_type=[{','.join(others)}], or " if len(others) else ""
        raise UserError(
            f"{name} can not be talked to, so it can not be asked "
            f"{', '.join(needs['question_type'].unique().sort())}: {leave}choose another responder."
        )
    listens = responder.listens and hearing.given != "none"
    if listens and asked.rows["question_type"].is_in(SPOKEN).any():
        hearing.spoken.check()


def _said(response: Response) -> str | None:
    if response.outcome == "refused":
        return response.text or FILTERED
    return response.text


def _answers(rows: Sequence[tuple[str, str | None]]) -> pl.DataFrame:
    schema = {"qa_id": pl.String, "response": pl.String}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return answers_table(
        table.with_columns(
            seed=pl.lit(0, pl.Int64),
            label=pl.lit(None, pl.String),
            value=pl.lit(None, pl.Float64),
            probability=pl.lit(None, pl.Float64),
        )
    )
