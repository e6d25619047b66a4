"""How a question is put to a model: what it is given of the recording, and how to answer."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from raqa.corpora.attributes import ATTRIBUTES

if TYPE_CHECKING:
    from raqa.responders.base import Input

_GIVEN: Mapping[Input, str] = {
    "audio": "The audio is a recording of the sounds of a person's body or voice.",
    "spectrogram": "The image is the mel spectrogram of a recording of the sounds of a person's "
    "body or voice: time in seconds from left to right, frequency in Hz from bottom to top, the "
    "brighter the louder.",
    "none": "The question is about a recording of the sounds of a person's body or voice, which "
    "is not given. Give the answer that is most likely.",
}
_BOTH = (
    "The image is its mel spectrogram: time in seconds from left to right, frequency in Hz from "
    "bottom to top, the brighter the louder."
)
# No number is spelt out in these, not even "one": a model that repeats them has answered nothing.
_LETTER = "Answer with the letter of an option."
_YES_NO = "Answer with yes or no."
_SENTENCE = "Answer in a short sentence."

LETTERS = string.ascii_uppercase


def prompt_text(question: Mapping[str, Any], given: Input) -> str:
    """Everything that is said in words.

    Args:
        question: a row of QUESTIONS; its answer is not looked at.
    """
    before = f"{_GIVEN['audio']} {_BOTH}" if given == "both" else _GIVEN[given]
    return "\n".join([before, "", f"Question: {question['question']}", *_how(question)])


def choices(question: Mapping[str, Any]) -> tuple[str, ...]:
    """The answers that a question allows: letters, yes and no, or an attribute's labels.

    Empty for numbers and for attributes whose labels corpora choose themselves.
    """
    options = _options(question)
    if options:
        return tuple(LETTERS[: len(options)])
    known = ATTRIBUTES.get(question["attribute"])
    if question["question_type"] == "single_verify" or question["kind"] == "binary":
        return ("yes", "no")
    return tuple(known.label_text(one) for one in known.labels) if known else ()


def _how(question: Mapping[str, Any]) -> list[str]:
    options = _options(question)
    if options:
        lettered = [
            f"{letter}. {text}"
            for letter, text in zip(LETTERS[: len(options)], options, strict=True)
        ]
        return ["Options:", *lettered, _LETTER]
    if question["question_type"] == "single_verify":
        return [_YES_NO]
    if question["kind"] == "numeric":
        unit = question["unit"]
        return [f"Answer with a number{f' and its unit ({unit})' if unit else ''}."]
    return [_SENTENCE]


def _options(question: Mapping[str, Any]) -> Sequence[str]:
    """What is offered; more options than letters are left to the question's own text."""
    multiple = question["question_type"] == "multiple_choice"
    options: Sequence[str] = (question["options"] or ()) if multiple else ()
    return options if len(options) <= len(LETTERS) else ()
