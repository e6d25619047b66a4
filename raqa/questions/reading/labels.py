"""Which labels a response names: by letter, and by what they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raqa.questions.reading.facts import NEGATIONS, QuestionFacts
from raqa.questions.reading.words import clauses, stem, words

_NEGATIONS = {*map(stem, NEGATIONS)}
_STEP_BACK = ("rather", "instead")
_AFTER = re.compile(
    r"^(?:(?:is|was|are|were|can|be|has|have|been) )+not\b"
    r"|^(?:(?:is|was|are|were|can|be|has|have|been) )*(?:absent|unlikely|excluded|ruled out)\b"
)
_ALONE = re.compile(r"^\W*(?:option|choice|letter|answer)?\W*([a-z])\W*$")
_SEVERAL = re.compile(r"^\W*[a-z]\W*(?:(?:,|and|&|\+|/)+\W*[a-z]\W*)+$")
_FIRST = re.compile(r"^\W*(?:option |choice )?([a-z])(?:\s*[).:\]]+|\s+-)\s*(.*)$", re.DOTALL)
_NAMED = re.compile(r"\b(?:option|choice|letter)\s+\W?([a-z])\b|(?<!\w)[(\[]([a-z])[)\]]")
_NUMBERED = re.compile(r"\b(?:option|choice)\s+\W?(\d+)\b")
_LEADING = re.compile(r"^(?:no|yes|well|okay|ok|sure)\s*,\s*")


def named_labels(parts: Sequence[str], facts: QuestionFacts) -> tuple[set[str], set[str]]:
    """The labels that clauses affirm, and those that they deny.

    Of two names that overlap the longer one is meant: "fine crackles" are no crackles.
    """
    affirmed: set[str] = set()
    denied: set[str] = set()
    for part in parts:
        yes, no = _named_in(_LEADING.sub("", part), facts)
        affirmed |= yes
        denied |= no
    return affirmed, denied - affirmed


def _named_in(part: str, facts: QuestionFacts) -> tuple[set[str], set[str]]:
    said = words(part)
    stemmed = tuple(map(stem, said))
    affirmed: set[str] = set()
    denied: set[str] = set()
    negated, place = False, 0
    while place < len(said):
        aliases = facts.starting.get(stemmed[place], ())
        alias = next((one for one in aliases if stemmed[place:][: len(one)] == one), None)
        if alias is None:
            negated |= stemmed[place] in _NEGATIONS or said[place] in _STEP_BACK
            place += 1
            continue
        place += len(alias)
        after = bool(_AFTER.match(" ".join(said[place:])))
        (denied if negated or after else affirmed).update(facts.labels_of(alias))
    return affirmed, denied


def begins_with_letter(text: str) -> bool:
    """Whether a plain text begins with the letter of an option: "a) ..." but not "a cough"."""
    return bool(_FIRST.match(text))


def lettered_labels(text: str, facts: QuestionFacts) -> tuple[set[str] | None, str]:
    """The labels that a plain answer to a multiple-choice question names by letter.

    Returns:
        the labels, None where a letter is not offered; and what else is to be read of it.
    """
    if alone := _ALONE.match(text):
        return _labels_of(alone.group(1), facts), ""
    if _SEVERAL.match(text):
        return _labels_of("".join(re.findall(r"\b[a-z]\b", text)), facts), ""
    if (first := _FIRST.match(text)) and first.group(2):
        labels = _labels_of(first.group(1), facts)
        if labels is not None:
            return labels, next(iter(clauses(first.group(2))), "")
    places = [int(number) - 1 for number in _NUMBERED.findall(text)]
    letters = "".join(a or b for a, b in _NAMED.findall(text))
    places += [ord(letter) - ord("a") for letter in letters]
    found = [facts.lettered[one] for one in places if 0 <= one < len(facts.lettered)]
    return {label for labels in found for label in labels}, text


def _labels_of(letters: str, facts: QuestionFacts) -> set[str] | None:
    places = [ord(letter) - ord("a") for letter in letters]
    if any(place >= len(facts.lettered) for place in places):
        return None
    return {label for place in places for label in facts.lettered[place]}
