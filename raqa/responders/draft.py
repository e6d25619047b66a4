"""From questions to requests: what is said, what is heard, and what a response is kept under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from raqa.answering.base import AUDIO_ROW, Asked
from raqa.embeddings.hashes import HashCache
from raqa.responders.asking import Hear, Request
from raqa.responders.base import UNHEARD, Prompt, Responder
from raqa.responders.hearing import Hearing, Place, Recordings
from raqa.responders.history import History
from raqa.responders.prompts import choices, is_spoken
from raqa.responders.store import request_key


@dataclass(frozen=True, eq=False)
class Draft:
    """Questions, and what decides how they are put.

    Attributes:
        contents: of each row of audio, as `contents` gives it.
        places: recordings that are opened: those of `asked.files`, then those that a question is
            spoken after.
    """

    asked: Asked
    responder: Responder
    hearing: Hearing
    history: History
    contents: Sequence[list[Any] | OSError] | None
    places: list[Place] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.contents is not None and self.asked.files is not None:
            self.places.extend(
                Place(Path(path), *times) for path, *times in self.asked.files.rows()
            )

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Of the responder."""
        return dict(self.responder.identity)

    @cached_property
    def heard(self) -> dict[str, Any]:
        """What decides what is given of a recording."""
        return self.hearing.facts

    @cached_property
    def spoken(self) -> dict[str, Any]:
        """What decides how questions sound."""
        return self.hearing.spoken.facts

    def hear(self) -> Hear | None:
        """How recordings are opened; None: they are not."""
        if self.contents is None:
            return None
        return Recordings(self.hearing, self.places, self.responder.pace.concurrency + 2).hear

    def requests(
        self, rows: pl.DataFrame
    ) -> tuple[list[tuple[Request, list[str]]], list[tuple[str, str]]]:
        """Every different prompt with the questions that it answers, and why others are not put.

        Prompts about one recording follow each other, so that it is opened once.
        """
        made: dict[str, tuple[Request, list[str]]] = {}
        not_put: list[tuple[str, str]] = []
        for row in rows.sort(AUDIO_ROW, "qa_id").iter_rows(named=True):
            request = self._request(row)
            if isinstance(request, str):
                not_put.append((row["qa_id"], request))
            else:
                made.setdefault(request.key, (request, []))[1].append(row["qa_id"])
        return list(made.values()), not_put

    def _request(self, row: Mapping[str, Any]) -> Request | str:
        """How a question is put, or why it is not."""
        content = None if self.contents is None else self.contents[row[AUDIO_ROW]]
        if isinstance(content, OSError):
            return f"{UNHEARD} opened: {content.strerror or content}"
        if is_spoken(row) and self.hearing.given == "none":
            return "the question is only spoken, and nothing is heard (head.hearing.given=none)"
        before = self.history.before(row)
        if isinstance(before, str):
            return before
        text = self.responder.wording(row, self.hearing.given)
        facts = {
            "responder": self.identity, "text": text, "hearing": self.heard, "recording": content,
        }  # fmt: skip
        audio_row = row[AUDIO_ROW]
        if before:
            facts["before"] = [[one.question, one.answer] for one in before]
        if is_spoken(row) and content is not None:
            aloud = (row["question"], tuple(row["options"] or ()))
            facts["spoken"] = {"said": aloud, **self.spoken}
            self.places.append(replace(self.places[audio_row], aloud=aloud))
            audio_row = len(self.places) - 1
        if not self.responder.kept:
            facts["qa_id"] = row["qa_id"]
        prompt = Prompt(row["qa_id"], text, choices(row), before=before)
        return Request(request_key(facts), facts, prompt, audio_row)


def contents(
    asked: Asked, responder: Responder, hearing: Hearing, hashes: HashCache
) -> list[list[Any] | OSError] | None:
    """Hash, start and end of what each row of audio holds, or why it can not be read."""
    if hearing.given == "none" or not responder.listens:
        return None
    if asked.files is None:
        raise ValueError("where the recordings are is not known (Asked.files)")
    found = hashes.hash_files([Path(path) for path in asked.files["path"]])
    places = asked.files.select("start_s", "end_s").iter_rows()
    return [
        digest if isinstance(digest, OSError) else [digest, *place]
        for digest, place in zip(found, places, strict=True)
    ]
