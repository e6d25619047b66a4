"""Checking one question of a file: every field, then how the fields go together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from raqa.corpora.attributes import ATTRIBUTES
from raqa.display import harmless
from raqa.errors import neighbours
from raqa.exams.faults import Fault, shown
from raqa.exams.row import FIELDS, MOST_OPTIONS, OWN_WORDS, RA_QA_ONLY, TURNS, ExamRow
from raqa.tables import EXAM_FORMS

_EXPECTED = {
    "string_type": "text",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list of texts",
    "finite_number": "a finite number",
    "greater_than_equal": "0 or more",
    "less_than_equal": f"1 to {TURNS}: chains have {TURNS} turns",
    "too_short": "at least 2 options",
}
_DRIVE = re.compile(r"^[A-Za-z]:")


def check_row(given: Mapping[str, Any], line: int) -> tuple[dict[str, Any], list[Fault]]:
    """Check a question.

    Args:
        given: what stands in the file, by field; null is as good as absent.

    Returns:
        the columns of EXAM of which nothing is wrong by itself, and everything that is wrong.
    """
    known = {name: value for name, value in given.items() if value is not None}
    faults: dict[str, str] = {}
    try:
        values = ExamRow(**known).model_dump()
    except ValidationError as error:
        faults = dict(_field_faults(error, known))
        sound = {name: value for name, value in known.items() if name not in faults}
        values = dict.fromkeys(FIELDS) | _lowered(sound)
    together = _together(values, faults)
    values["form"] = EXAM_FORMS.get(values["benchmark"] or "", {}).get(
        values["question_type"] or ""
    )
    if values["recording_id"] is None and values["audio"] is not None:
        values["recording_id"] = _segment_name(values)
    found = [*faults.items(), *together]
    return values, [Fault(line, name, problem) for name, problem in found]


def _field_faults(error: ValidationError, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in error.errors(include_url=False):
        field, kind = str(one["loc"][0]), one["type"]
        if kind == "extra_forbidden":
            yield shown(field), f"there is no such field. {neighbours(field, FIELDS)}"
        elif kind == "missing":
            yield field, "is missing"
        elif kind == OWN_WORDS:
            yield field, one["msg"]
        elif field == "turn" and kind == "greater_than_equal":
            yield field, f"is {shown(given[field])}; expected {_EXPECTED['less_than_equal']}"
        else:
            inside = "holds" if len(one["loc"]) > 1 else "is"
            value = shown(one["input"]) if inside == "holds" else shown(given[field])
            value = f"{len(given[field])} option(s)" if kind == "too_short" else value
            yield field, f"{inside} {value}; expected {_EXPECTED.get(kind, one['msg'])}"


def _lowered(sound: Mapping[str, Any]) -> dict[str, Any]:
    """Sound fields of a row that is not, as the model would have written them."""
    words = {"benchmark", "question_type", "difficulty", "audio_source", "kind"}
    return {
        name: value.strip().lower() if name in words else value
        for name, value in sound.items()
        if name in FIELDS
    }


def _together(values: Mapping[str, Any], wrong: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What is wrong between fields, each of which is sound."""
    if values["audio"] is not None and (problem := path_problem(values["audio"])):
        yield "audio", problem
    start, end = values["start_s"], values["end_s"]
    if end is not None and end <= (start or 0.0):
        yield "end_s", f"is {shown(end)}, not after start_s={shown(start or 0.0)}"
    benchmark, question_type = values["benchmark"], values["question_type"]
    if benchmark is None or question_type is None:
        return
    if question_type not in EXAM_FORMS[benchmark]:
        own = neighbours(question_type, EXAM_FORMS[benchmark])
        yield "question_type", f'"{question_type}" is none of {benchmark}\'s. {own}'
        return
    for name, needed in _wanted(values).items():
        there = values[name] is not None or name in wrong
        if needed and not there:
            yield name, f"is missing; {question_type} needs it"
        elif not needed and values[name] is not None:
            yield name, f"has no meaning in {question_type}"
    yield from _options(values)
    if benchmark == "ra_qa":
        yield from _never_right(values, wrong)


def _never_right(values: Mapping[str, Any], wrong: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What would make every answer wrong: truths that the reader of answers can not find."""
    attribute, kind, label = ATTRIBUTES.get(values["attribute"]), values["kind"], values["label"]
    if attribute is not None and kind not in {None, attribute.kind}:
        yield "kind", f"is {shown(kind)}; {attribute.name} is {attribute.kind}"
    if values["question_type"] == "open_ended":
        return
    if kind == "numeric" and "kind" not in wrong:
        yield "question_type", "asks for no number; those are asked for open_ended"
    elif values["question_type"] == "single_verify" and label not in {None, "yes", "no"}:
        yield "label", f'is {shown(label)}; expected "yes" or "no"'


def _wanted(values: Mapping[str, Any]) -> dict[str, bool]:
    """Fields that depend on the question's type: whether it has to have them, or must not."""
    question_type, ra_qa = values["question_type"], values["benchmark"] == "ra_qa"
    form = EXAM_FORMS[values["benchmark"]][question_type]
    wanted = {
        "options": form == "choice" or question_type == "multiple_choice",
        "chain": question_type == "multi_turn",
        "turn": question_type == "multi_turn",
        "asked_label": question_type == "single_verify",
    }
    # Facts about a known label may say which, so that rules can read the answer as well.
    if not (ra_qa or (form == "facts" and values["attribute"] is not None)):
        return wanted | dict.fromkeys(RA_QA_ONLY, False)
    number = values["kind"] == "numeric"
    wanted |= {"attribute": True, "family": True, "kind": True, "value": number}
    return wanted | ({} if number else {"label": True, "unit": False})


def _options(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    options: Sequence[str] | None = values["options"]
    if options is None:
        return
    plain = [" ".join(one.split()).casefold() for one in options]
    doubled = {one for one, text in zip(options, plain, strict=True) if plain.count(text) > 1}
    if doubled:
        first = next(one for one in options if one in doubled)
        yield "options", f"{shown(first)} stands there more than once"
    if len(options) > MOST_OPTIONS and values["benchmark"] != "ra_qa":
        yield "options", f"are {len(options)}; expected at most {MOST_OPTIONS}, a letter each"
    answer = values["answer"]
    if values["benchmark"] == "ra_qa" or answer is None or answer in options:
        return  # RA-QA answers in sentences; its label is what is offered
    letter = len(answer.strip(" ().")) == 1
    hint = "Give the option's text, not its letter." if letter else neighbours(answer, options)
    yield "answer", f"{shown(answer)} is none of the options. {harmless(hint)}"


def path_problem(audio: str) -> str | None:
    """Why a path can not be one below the folder of the audio; None: it can."""
    if "\\" in audio:
        return f"{shown(audio)} has \\ in it; write / between folders"
    if audio.startswith(("/", "~")) or _DRIVE.match(audio):
        return f"{shown(audio)} is absolute; expected a path below the folder of the audio"
    if ".." in PurePosixPath(audio).parts:
        return f"{shown(audio)} leads out of the folder of the audio (..)"
    if not audio.isprintable():
        return f"{shown(audio)} holds signs that can not be printed"
    return None


def _segment_name(values: Mapping[str, Any]) -> str:
    start, end = values["start_s"], values["end_s"]
    if start is None and end is None:
        return str(values["audio"])
    return f"{values['audio']}#{start or 0:g}-{'' if end is None else f'{end:g}'}"
