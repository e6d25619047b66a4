"""From a response to the label or number that it means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from raqa.questions.reading.declined import is_foreign, kept
from raqa.questions.reading.echo import without_echo
from raqa.questions.reading.facts import QuestionFacts
from raqa.questions.reading.labels import begins_with_letter, lettered_labels, named_labels
from raqa.questions.reading.numbers import read_number
from raqa.questions.reading.words import plain, stated, stems, unwrapped, without_thoughts
from raqa.questions.reading.yes_no import yes_or_no

LONGEST = 20_000
"""Signs of a response that are read, thoughts aloud aside; models have said ten million."""

Outcome = Literal["readable", "unreadable", "refused", "unscored"]
Layer = Literal["json", "letter", "text"]


@dataclass(frozen=True)
class Reading:
    """What a response means.

    Attributes:
        outcome: only a readable one has a label or a value.
        label: as the label column has it: yes or no, or labels joined by " + "; of a choice the
            letter.
        value: in the attribute's canonical unit.
        reason: why there is neither.
        layer: what a choice was read from: a field of JSON, a letter, or an option's text.
    """

    outcome: Outcome
    label: str | None = None
    value: float | None = None
    reason: str = ""
    layer: Layer | None = None


def read_answer(response: str | None, facts: QuestionFacts) -> Reading:
    """Read one response; raqa.questions.reading has the rules."""
    if response is None:
        return Reading("unscored", reason="nothing came back")
    if len(without_thoughts(response)) > LONGEST:
        return _unreadable(f"longer than {LONGEST:,} signs")
    return _read_short(response, facts)


def _read_short(response: str, facts: QuestionFacts) -> Reading:
    text = _without_echo(plain(unwrapped(response)), facts.question)
    if not any(sign.isalnum() for sign in text):
        return _unreadable("empty")
    if facts.kind != "numeric" and (label := _exact(text, facts)) is not None:
        return Reading("readable", label=label)
    if is_foreign(text):
        return _unreadable("another language")
    parts, declined = kept(stated(text))
    reading = _read(parts, facts) if parts else _unreadable("no answer in it")
    if reading.outcome == "unreadable" and declined:
        return Reading("refused", reason="declines to answer")
    return reading


def _read(parts: list[str], facts: QuestionFacts) -> Reading:
    if facts.question_type != "single_verify" and facts.kind != "binary":
        parts = _own_words(parts, facts)
    if facts.kind == "numeric":
        value, reason = read_number(parts, dict(facts.units), facts.low, facts.high)
        return _unreadable(reason) if value is None else Reading("readable", value=value)
    if facts.question_type == "multiple_choice":
        return _chosen(parts, facts)
    if facts.yes_or_no:
        label = yes_or_no(parts, facts)
        if label is None:
            return _unreadable("neither yes nor no, or both")
        return Reading("readable", label=label)
    return _labelled(named_labels(parts, facts)[0], facts)


def _own_words(parts: list[str], facts: QuestionFacts) -> list[str]:
    shortened = (without_echo(part, facts.asked_words, facts.starting_names) for part in parts)
    return [part for part in shortened if part]


def _chosen(parts: list[str], facts: QuestionFacts) -> Reading:
    labels, rest = lettered_labels(". ".join(parts), facts)
    if labels is None:
        return _unreadable("a letter that is not offered")
    read = _own_words([rest] if labels else parts, facts) if rest else []
    affirmed, _ = named_labels(read, facts)
    if not labels and not affirmed and facts.kind == "binary":
        label = yes_or_no(parts, facts)
        affirmed = set() if label is None else {label}
    if labels and affirmed - labels:
        return _unreadable("two different answers")
    return _labelled(labels | affirmed, facts)


def _labelled(labels: set[str], facts: QuestionFacts) -> Reading:
    if not labels:
        return _unreadable("no valid label in it")
    if len(labels) > 1 and facts.kind != "multilabel":
        return _unreadable("two different answers")
    return Reading("readable", label=facts.joined(sorted(labels)))


def _exact(text: str, facts: QuestionFacts) -> str | None:
    """The label that the text is called by, and nothing else is said."""
    alias = stems(text)
    if alias in facts.sentences:
        return facts.sentences[alias]
    if facts.question_type == "single_verify":
        return alias[0] if alias in {("yes",), ("no",)} else None
    if facts.question_type == "multiple_choice" and begins_with_letter(text):
        return None
    if alias in facts.options:
        return facts.joined(facts.options[alias])
    return facts.aliases.get(alias)


@lru_cache(maxsize=4096)
def _plain_question(question: str) -> str:
    return plain(question)


def _without_echo(text: str, question: str) -> str:
    echo = _plain_question(question)
    return text[len(echo) :].strip() if echo and text.startswith(echo) else text


def _unreadable(reason: str) -> Reading:
    return Reading("unreadable", reason=reason)
