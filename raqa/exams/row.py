"""One question of an exam as it stands in a file: its fields, and what may stand in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from raqa.corpora.attributes.definition import Kind
from raqa.errors import neighbours
from raqa.exams.faults import shown
from raqa.tables import AUDIO_SOURCES, BENCHMARKS, DIFFICULTIES, EXAM_FORMS

TURNS = 3
"""Questions of a chain."""
MOST_OPTIONS = 26
"""As many as there are letters."""

TYPES = tuple(name for types in EXAM_FORMS.values() for name in types)
OWN_WORDS = "raqa"
"""Type of pydantic's errors whose message is ready to be shown."""


def _lowered(value: Any) -> Any:
    """Published sets write MCQ_Speech and Explicit."""
    return value.strip().lower() if isinstance(value, str) else value


def _one_of(choices: Sequence[str]) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in choices:
            told = f"{shown(value)}. {neighbours(value, choices)}"
            raise PydanticCustomError(OWN_WORDS, "{told}", {"told": told})
        return value

    return check


def _has_words(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError(OWN_WORDS, "is blank; expected text")
    if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
        raise PydanticCustomError(OWN_WORDS, "holds half a Unicode character")  # of JSON's escapes
    return value


def _is_name(value: str) -> str:
    if not value.isprintable():
        raise PydanticCustomError(OWN_WORDS, "holds signs that can not be printed")
    return _has_words(value)


Text = Annotated[str, AfterValidator(_has_words)]
Name = Annotated[str, AfterValidator(_is_name)]
Seconds = Annotated[float, Field(ge=0)]


def _chosen(choices: Sequence[str]) -> Any:
    return Annotated[str, BeforeValidator(_lowered), AfterValidator(_one_of(choices))]


class ExamRow(BaseModel):
    """A question that is only asked: the columns of EXAM but for `form`, which follows.

    The descriptions stand in docs/exams.md as well.
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    qa_id: Name = Field(description="the question's name, once in the file")
    benchmark: _chosen(BENCHMARKS) = Field(description=", ".join(BENCHMARKS))  # type: ignore[valid-type]
    corpus: Name = Field(description="the corpus that the recording comes from")
    recording_id: Name | None = Field(
        None, description="the recording's name within its corpus; without it, audio and segment"
    )
    subject_id: Name | None = Field(
        None, description="who is heard, a name within the corpus; without it: unknown"
    )
    audio: Text = Field(description="the file, below the folder of the audio, / between folders")
    start_s: Seconds | None = Field(None, description="where a segment of it begins, in seconds")
    end_s: Seconds | None = Field(None, description="where it ends, in seconds")
    question_type: _chosen(TYPES) = Field(description="one of the benchmark's types")  # type: ignore[valid-type]
    question: Text = Field(description="its words; of voice_qa those that are spoken")
    options: list[Text] | None = Field(
        None, min_length=2, description="what is offered: texts that differ, without letters"
    )
    answer: Text = Field(description="a sentence; of a choice the text of the right option")
    difficulty: _chosen(DIFFICULTIES) | None = Field(None, description=", ".join(DIFFICULTIES))  # type: ignore[valid-type]
    audio_source: _chosen(AUDIO_SOURCES) | None = Field(None, description=", ".join(AUDIO_SOURCES))  # type: ignore[valid-type]
    chain: Name | None = Field(None, description="which questions follow each other")
    turn: int | None = Field(None, ge=1, le=TURNS, description="1, 2 or 3 within the chain")
    attribute: Name | None = Field(None, description="what is asked about")
    family: Name | None = Field(None, description="of the attribute")
    kind: _chosen(get_args(Kind)) | None = Field(None, description=", ".join(get_args(Kind)))  # type: ignore[valid-type]
    template_id: Name | None = Field(None, description="which wording it is")
    asked_label: Name | None = Field(None, description="the label that is to be verified")
    label: Name | None = Field(None, description="the label behind the answer")
    value: float | None = Field(None, description="the number behind the answer, unrounded")
    unit: Name | None = Field(None, description="the number's unit")


FIELDS = tuple(ExamRow.model_fields)
NEEDED = tuple(name for name, field in ExamRow.model_fields.items() if field.is_required())
RA_QA_ONLY = FIELDS[FIELDS.index("attribute") :]
