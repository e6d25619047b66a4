"""Reading which of several lettered options a response chooses, in layers.

1. JSON anywhere in the response that has an answer field: what stands there decides alone, read by
   the layers below; two fields that disagree are unreadable. An object with a single text is read
   as "name: text"; nothing is read of others.
2. A letter: "the answer is C" before a line that begins with it ("C", "(c)", "**C.** wheeze"),
   before "option C" in a sentence, before a short sentence around it ("It's C").
   A "final answer" overrules other answers. The article "a" and the pronoun "I" are no letters.
3. The text of exactly one option, word for word (raqa.questions.reading.option_texts).

Two different answers, a letter that is not offered, or a letter beside the text of another option
are unreadable. Clauses that decline are put aside; if nothing else answers, refused.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from raqa.questions.reading.declined import is_foreign, kept
from raqa.questions.reading.option_letters import LETTERS, Letters, find_letters
from raqa.questions.reading.option_texts import OptionTexts
from raqa.questions.reading.read import Reading
from raqa.questions.reading.words import bare, clause_spans, plain, spoken, without_thoughts

_ANSWER_KEY = re.compile(
    r"(?:(?:my|the) )?(?:(?:final|correct|right|best|selected|chosen|predicted) )?"
    r"(?:answer|option|choice|letter|label|prediction|response|result|selection|selected)"
    r"(?: (?:letter|choice|option|label|text|key|id))?"
)
_LATEX = re.compile(r"\\(?:text|math)\w*\s*(?=\{)|\\[()\[\]]|\$")
_BOXED = re.compile(r"\\boxed\s*(?=\{)")
_MOST_OBJECTS = 50
"""Places where JSON is looked for; a hostile response has a million."""
_LONGEST = 100_000
"""Signs of a response that is read."""

_TWO = "two different answers"
_OTHER_TEXT = "the letter and the text beside it disagree"
_NOT_OFFERED = "a letter that is not offered"


def read_choice(response: str | None, options: Sequence[str]) -> Reading:
    """Read one response to a question with options; the module says by which rules.

    Args:
        options: their texts; A is the first.

    Returns:
        with the letter as its label, and what it was read from as its layer.

    Raises:
        ValueError: there are no options, or more than letters.
    """
    if not 0 < len(options) <= len(LETTERS):
        raise ValueError(f"1 to {len(LETTERS)} options have letters, not {len(options)}")
    if response is None:
        return Reading("unscored", reason="nothing came back")
    texts = _option_texts(tuple(options))
    response = unicodedata.normalize("NFKC", without_thoughts(response))
    if len(response) > _LONGEST:
        return _unreadable(f"longer than {_LONGEST:,} signs")
    values, rest = _unwrapped(response)
    if values:
        return _agreed([_read(value, texts) for value in values])
    return _read(rest, texts)


@lru_cache(maxsize=4096)
def _option_texts(options: tuple[str, ...]) -> OptionTexts:
    return OptionTexts(options)


class _Fields(list[tuple[str, Any]]):
    """The fields of a JSON object, repeated ones too."""


def _unwrapped(text: str) -> tuple[list[str], str]:
    """What the answer fields of JSON objects hold, and the text with objects without one undone."""
    values: list[str] = []
    rest, done = [], 0
    for fields, start, end in _objects(text):
        found = list(_answers(fields))
        values += found
        single = len(fields) == 1 and isinstance(fields[0][1], str)
        rest += [text[done:start], "{}: {}".format(*fields[0]) if single else " "]
        done = end
    return values, "".join([*rest, text[done:]])


def _objects(text: str) -> Iterator[tuple[_Fields, int, int]]:
    """JSON objects in a text and where they begin and end, those within others left out."""
    decoder = json.JSONDecoder(object_pairs_hook=_Fields)
    end = 0
    for _ in range(_MOST_OBJECTS):
        start = text.find("{", end)
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
            continue
        yield found, start, end


def _answers(fields: _Fields) -> Iterator[str]:
    """What stands in the answer fields."""
    for key, value in fields:
        if _ANSWER_KEY.fullmatch(re.sub(r"[\s_-]+", " ", key.casefold()).strip()):
            yield from _flat(value)


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, _Fields):
        for _, part in value:
            yield from _flat(part)
    elif isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield spoken(value)


def _agreed(readings: Sequence[Reading]) -> Reading:
    """What the answer fields say together; one that is readable needs no other."""
    labels = {one.label for one in readings if one.label is not None}
    if len(labels) > 1:
        return _unreadable(_TWO)
    rank = ["readable", "refused", "unreadable"]
    first = min(readings, key=lambda one: rank.index(one.outcome))
    return replace(first, layer="json") if first.label is not None else first


def _read(text: str, texts: OptionTexts) -> Reading:
    text = bare(_LATEX.sub("", _BOXED.sub(" answer: ", text)))
    if not any(sign.isalnum() for sign in text):
        return _unreadable("empty")
    foreign = is_foreign(text.casefold())
    text, declined = _without_declining(text, texts)
    reading = _chosen(text, texts)
    if reading.outcome == "unreadable" and declined:
        return Reading("refused", reason="declines to answer")
    if reading.outcome == "unreadable" and foreign:
        return _unreadable("another language")
    return reading


def _without_declining(text: str, texts: OptionTexts) -> tuple[str, bool]:
    """A bare text without the clauses that decline, and whether any did.

    An option may say so itself ("cannot be determined"); where it stands in full, it is chosen.
    """
    said = {one.option: one for one in texts.named(text)}
    chosen = [said[place] for place in said if kept(plain(texts.texts[place]))[1]]
    kept_parts, declined, done = [], False, 0
    for start, end in clause_spans(text):
        if any(start < one.end and one.start < end for one in chosen):
            continue
        answering, declines = kept(text[start:end].casefold())
        declined |= declines
        if declines and not answering:
            kept_parts.append(text[done:start])
            done = end
    return "".join([*kept_parts, text[done:]]), declined


def _chosen(text: str, texts: OptionTexts) -> Reading:
    named = texts.named(text)
    by_text = {one.option for one in named}
    letters = find_letters(text, texts, named)
    if letters.found:
        fault = _fault(letters, by_text, len(texts.texts))
        letter = next(iter(letters.found))
        return _unreadable(fault) if fault else Reading("readable", letter, layer="letter")
    if len(by_text) > 1:
        return _unreadable(_TWO)
    if all(texts.open(one, text) for one in named):
        return _unreadable("no option in it")
    return Reading("readable", LETTERS[named[0].option], layer="text")


def _fault(letters: Letters, by_text: set[int], offered: int) -> str:
    """Why letters are no answer; empty where one is."""
    places = {LETTERS.index(letter) for letter in letters.found}
    if letters.disagree:
        return _OTHER_TEXT
    if len(places) > 1:
        return _TWO
    if max(places) >= offered:
        return _NOT_OFFERED
    # A mere mention of a letter says less than a text.
    mentioned = not letters.stated and len(by_text) == 1
    return _OTHER_TEXT if mentioned and places != by_text else ""


def _unreadable(reason: str) -> Reading:
    return Reading("unreadable", reason=reason)
