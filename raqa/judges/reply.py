"""Reading a judge's reply: exactly one verdict, or what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from raqa.judges.rubrics import Rubric, Verdict

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_MOST_OBJECTS = 50
"""Places where JSON is looked for."""


def read_verdict(text: str | None, rubric: Rubric, candidate: str = "") -> Verdict | str:
    """The verdict of a reply, or what is wrong with it, for people and for a reminder.

    Prose around the JSON object is let pass. Nothing is guessed where the candidate's own verdict
    may have been repeated: beside another verdict, also one that can not be used, or word for word.

    Args:
        candidate: the answer that is judged.
    """
    found: list[Verdict] = []
    fault, others = "it holds no JSON object", False
    theirs = _squeezed(candidate)
    for fields, written in _objects(_THOUGHT.sub(" ", text or "")):
        try:
            verdict = rubric.reply.model_validate(fields)
        except ValidationError as error:
            fault = _words(error, rubric)
            others |= bool(fields.keys() & (rubric.reply.model_fields.keys() - {"reason"}))
            continue
        if _squeezed(written) in theirs:
            fault = "it only repeats a verdict that stands in the student's answer"
        else:
            found.append(verdict)
    if not found:
        return fault
    if others or len({one.model_dump_json(exclude={"reason"}) for one in found}) > 1:
        return "it holds different verdicts"
    return found[0]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _words(error: ValidationError, rubric: Rubric) -> str:
    """The first thing that is wrong, with no word of the reply in it: it goes into a prompt."""
    first = error.errors(include_input=False)[0]
    field = str(first["loc"][0]) if first["loc"] else ""
    if field not in rubric.reply.model_fields:
        return "its JSON object has a field that was not asked for"
    return f"{field}: {first['msg'][:1].lower()}{first['msg'][1:]}"


def _objects(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    """JSON objects, each with how it is written."""
    decoder = json.JSONDecoder(object_pairs_hook=_fields)
    start = 0
    for _ in range(_MOST_OBJECTS):
        start = text.find("{", start)
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        yield found, text[start:end]
        start = end


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object; one that is given twice says nothing certain."""
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else {}
