"""Asking a responder all questions: what the store knows is not asked again, what is new is kept.

Killing an evaluation at any moment loses at most the responses that were under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from raqa.answering.base import AUDIO_ROW, Asked, answers_table
from raqa.audio.waveform import AudioError
from raqa.embeddings.hashes import HashCache
from raqa.embeddings.progress import Progress
from raqa.errors import UserError
from raqa.responders.base import Heard, Prompt, Responder, Response, Session
from raqa.responders.hearing import Hearing, Recordings
from raqa.responders.pace import Pacer
from raqa.responders.prompts import choices, prompt_text
from raqa.responders.store import ResponseStore, request_key
from raqa.responders.usage import usage_table
from raqa.training.interrupt import StoppedError

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


@dataclass(frozen=True, eq=False)
class Request:
    """One prompt, and the questions that it answers: the same words about the same sound."""

    key: str
    facts: dict[str, Any]
    prompt: Prompt
    audio_row: int
    qa_ids: list[str] = field(default_factory=list)


@dataclass
class _Work:
    """An evaluation under way."""

    responder: Responder
    store: ResponseStore
    recordings: Recordings | None
    progress: Progress
    stop: Callable[[], bool]
    total: int
    fresh: dict[str, Response] = field(default_factory=dict)

    def stopped(self) -> None:
        """Stop where that was asked for.

        Raises:
            StoppedError: it was.
        """
        if self.stop():
            raise StoppedError(f"after {len(self.fresh):,} of {self.total:,} prompts")


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
    requests, unread = _requests(asked, responder, hearing, hashes)
    known = {one.key for one in requests if one.key in store}
    missing = [one for one in requests if one.key not in known]
    if missing:
        responder.check(hearing)
    opened = None
    if responder.listens and hearing.given != "none":
        assert asked.files is not None
        opened = Recordings(hearing, asked.files, most=responder.pace.concurrency + 2)
    with Progress(console, len(missing), "asking", "prompts") as progress:
        work = _Work(responder, store, opened, progress, stop, len(missing))
        if missing:
            asyncio.run(_ask_all(work, missing))
    rows = [*_collected(requests, known, work), *((name, "", one, False) for name, one in unread)]
    rows.sort(key=lambda row: row[0])
    answers = [(name, _said(response)) for name, _, response, _ in rows]
    return Evaluated(_answers(answers), usage_table(rows))


def _collected(
    requests: Iterable[Request], known: set[str], work: _Work
) -> Iterator[tuple[str, str, Response, bool]]:
    """qa_id, key, response and whether it came from the store, for each question."""
    for one in requests:
        response = work.store.get(one.key) if one.key in known else work.fresh[one.key]
        for qa_id in one.qa_ids:
            yield qa_id, one.key, response, one.key in known


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
) -> tuple[list[Request], list[tuple[str, Response]]]:
    """Every different prompt, in the order of recordings, and questions whose file is unreadable.

    Prompts about one recording follow each other, so that it is opened once.
    """
    contents = _contents(asked, responder, hearing, hashes)
    identity, given = dict(responder.identity), hearing.facts
    made: dict[str, Request] = {}
    unread: list[tuple[str, Response]] = []
    for row in asked.rows.sort(AUDIO_ROW, "qa_id").iter_rows(named=True):
        content = contents[row[AUDIO_ROW]] if contents else None
        if isinstance(content, OSError):
            reason = f"the recording can not be opened: {content.strerror or content}"
            unread.append((row["qa_id"], Response(None, "failed", reason)))
            continue
        text = prompt_text(row, hearing.given)
        facts = {
            "responder": identity, "text": text, "hearing": given,
            "recording": content, **({} if responder.kept else {"qa_id": row["qa_id"]}),
        }  # fmt: skip
        key = request_key(facts)
        if key not in made:
            prompt = Prompt(row["qa_id"], text, choices(row))
            made[key] = Request(key, facts, prompt, row[AUDIO_ROW])
        made[key].qa_ids.append(row["qa_id"])
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


async def _ask_all(work: _Work, requests: Sequence[Request]) -> None:
    """Ask with as many workers as may be under way at a time; the first fault stops all."""
    waiting = iter(requests)
    async with work.responder.session() as session:
        pacer = Pacer(work.responder.pace)

        async def worker() -> None:
            for request in waiting:
                await _ask(work, request, session, pacer)

        workers = [
            asyncio.create_task(worker())
            for _ in range(min(work.responder.pace.concurrency, len(requests)))
        ]
        try:
            await asyncio.gather(*workers)
        finally:
            for one in workers:
                one.cancel()
            await asyncio.gather(*workers, return_exceptions=True)


async def _ask(work: _Work, request: Request, session: Session, pacer: Pacer) -> None:
    heard: Heard | AudioError = Heard()
    if work.recordings is not None:
        heard = await work.recordings.hear(request.audio_row)
    if isinstance(heard, AudioError):
        response = Response(None, "failed", f"the recording can not be used: {heard}")
    else:
        drafted = request.prompt
        prompt = Prompt(drafted.qa_id, drafted.text, drafted.choices, heard)
        response = await pacer.ask(session, prompt, work.stopped)
    if work.responder.kept:
        work.store.add(request.key, request.facts, response)
    work.fresh[request.key] = response
    work.progress.advance(1)
