"""Asking a responder questions about recordings, and the tables of what came back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from raqa.answering.base import AUDIO_ROW, Asked, answers_table
from raqa.embeddings.hashes import HashCache
from raqa.errors import UserError
from raqa.responders.asking import Request, ask_all
from raqa.responders.base import Prompt, Responder, Response
from raqa.responders.hearing import Hearing, Recordings
from raqa.responders.prompts import choices
from raqa.responders.store import ResponseStore, request_key
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
    if hearing.given not in responder.inputs:
        raise UserError(
            f"head.hearing.given={hearing.given}: {type(responder).__name__} takes "
            f"{', '.join(responder.inputs)}."
        )
    hearing = hearing.of(responder)
    requests, unread = _requests(asked, responder, hearing, hashes)
    opened = None
    if responder.listens and hearing.given != "none":
        assert asked.files is not None
        opened = Recordings(hearing, asked.files, most=responder.pace.concurrency + 2)
    found = ask_all(
        [one for one, _ in requests], responder, store,
        hear=None if opened is None else opened.hear, console=console, stop=stop,
    )  # fmt: skip
    rows = [(qa_id, one.key, *found.get(one.key)) for one, qa_ids in requests for qa_id in qa_ids]
    rows += [(qa_id, "", failed, False) for qa_id, failed in unread]
    rows.sort(key=lambda row: row[0])
    answers = [(qa_id, _said(response)) for qa_id, _, response, _ in rows]
    return Evaluated(_answers(answers), usage_table(rows))


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


def _requests(
    asked: Asked, responder: Responder, hearing: Hearing, hashes: HashCache
) -> tuple[list[tuple[Request, list[str]]], list[tuple[str, Response]]]:
    """Every different prompt with the questions that it answers, and those of unreadable files.

    Prompts about one recording follow each other, so that it is opened once.
    """
    contents = _contents(asked, responder, hearing, hashes)
    identity, given = dict(responder.identity), hearing.facts
    made: dict[str, tuple[Request, list[str]]] = {}
    unread: list[tuple[str, Response]] = []
    for row in asked.rows.sort(AUDIO_ROW, "qa_id").iter_rows(named=True):
        content = contents[row[AUDIO_ROW]] if contents else None
        if isinstance(content, OSError):
            reason = f"the recording can not be opened: {content.strerror or content}"
            unread.append((row["qa_id"], Response(None, "failed", reason)))
            continue
        text = responder.wording(row, hearing.given)
        facts = {
            "responder": identity, "text": text, "hearing": given,
            "recording": content, **({} if responder.kept else {"qa_id": row["qa_id"]}),
        }  # fmt: skip
        key = request_key(facts)
        if key not in made:
            prompt = Prompt(row["qa_id"], text, choices(row))
            made[key] = (Request(key, facts, prompt, row[AUDIO_ROW]), [])
        made[key][1].append(row["qa_id"])
    return list(made.values()), unread


def _contents(
    asked: Asked, responder: Responder, hearing: Hearing, hashes: HashCache
) -> list[list[Any] | OSError] | None:
    """Hash, start and end of what each row of audio holds, or why it can not be read."""
    if hearing.given == "none" or not responder.listens:
        return None
    if asked.files is None:
        raise ValueError("where the recordings are is not known (Asked.files)")
    from pathlib import Path

    found = hashes.hash_files([Path(path) for path in asked.files["path"]])
    places = asked.files.select("start_s", "end_s").iter_rows()
    return [
        digest if isinstance(digest, OSError) else [digest, *place]
        for digest, place in zip(found, places, strict=True)
    ]
