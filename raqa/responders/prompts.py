"""How a question is put to a model: what it is given of the recording, and how to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from raqa.corpora.attributes import ATTRIBUTES
from raqa.questions.reading.option_letters import LETTERS

if TYPE_CHECKING:
    from raqa.responders.base import Input

SPOKEN = ("voice_qa",)
"""Question types that are spoken after the recording and not written."""

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
_AXIS = "Where the sampling rate matters, read it off the frequency axis, which ends at half of it."
# No number is spelt out in these, not even "one": a model that repeats them has answered nothing.
_LETTER = "Answer with the letter of an option."
_EXAM_LETTER = (
    'Answer with the letter of the right option, or with JSON: {"answer": "LETTER"}. Nothing else.'
)
_SPOKEN = (
    "At the end of the audio a voice asks a question about what was heard before, and reads out "
    "the options."
)
_SHOWN = (
    "The end of the image is the voice of somebody who asks a question about what was heard "
    "before, and reads out the options."
)
_YES_NO = "Answer with yes or no."
_SENTENCE = "Answer in a short sentence."
_FACTS = "Answer with the facts that are asked for, in a sentence or two."
_CONCEPT = "Answer with the main point and what shows it, in a sentence or two."
_OPEN = "Answer in your own words, as precisely and as shortly as you can."
_ENDINGS = {"facts": _FACTS, "concept": _CONCEPT, "open": _OPEN}


def prompt_text(question: Mapping[str, Any], given: Input) -> str:
    """Everything that is said in words.

    Args:
        question: a row of QUESTIONS, of an exam with EXAM_ASKED; its answer is not looked at.
    """
    before = f"{_GIVEN['audio']} {_BOTH}" if given == "both" else _GIVEN[given]
    if question.get("benchmark") == "carecos" and given in {"spectrogram", "both"}:
        before = f"{before} {_AXIS}"
    if is_spoken(question):
        end = _SHOWN if given == "spectrogram" else _SPOKEN
        return "\n".join([before, end, "", _EXAM_LETTER])
    asked = [f"Question: {question['question']}", *_how(question)]
    follows = (question.get("turn") or 1) > 1  # what is given was said at the first turn
    return "\n".join(asked if follows else [before, "", *asked])


def is_spoken(question: Mapping[str, Any]) -> bool:
    """Whether a question is spoken after the recording and not written."""
    return question["question_type"] in SPOKEN


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


def lettered(options: Sequence[str]) -> list[str]:
    """Options with their letters, a line each."""
    return [
        f"{letter}. {text}" for letter, text in zip(LETTERS[: len(options)], options, strict=True)
    ]


def _how(question: Mapping[str, Any]) -> list[str]:
    options, form = _options(question), question.get("form")
    if options:
        return ["Options:", *lettered(options), _EXAM_LETTER if form == "choice" else _LETTER]
    if form in _ENDINGS:
        return [_ENDINGS[form]]
    if question["question_type"] == "single_verify":
        return [_YES_NO]
    if question["kind"] == "numeric":
        unit = question["unit"]
        return [f"Answer with a number{f' and its unit ({unit})' if unit else ''}."]
    return [_SENTENCE]


def _options(question: Mapping[str, Any]) -> Sequence[str]:
    """What is offered; more options than letters are left to the question's own text."""
    multiple = question["question_type"] == "multiple_choice" or question.get("form") == "choice"
    options: Sequence[str] = (question["options"] or ()) if multiple else ()
    return options if len(options) <= len(LETTERS) else ()
