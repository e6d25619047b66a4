"""A response made plain: no markdown, no contractions; its clauses and its words."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

ARTICLES = frozenset({"a", "an", "the"})

_PUNCTUATION = str.maketrans(
    {"‘": "'", "’": "'", "`": None, "*": None, "“": '"', "”": '"', "_": " "}
    | dict.fromkeys("‐‑‒–—−", "-")
)
_THOUGHT = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"```[a-z]*", re.IGNORECASE)
_KEYS = "answer|label|option|choice|value|prediction|response|result|diagnosis"
_FIELD = re.compile(rf"[\"']?\b(?:{_KEYS})\b[\"']?\s*:\s*[\"']?([^\"'}}\n]+)", re.IGNORECASE)
_STATED = re.compile(
    r"\b(?:the|my)?\s*(?:final |correct |right |best )?(?:answer|option|choice)"
    r"(?:\s+(?:is|would be)\b\s*:?|\s*[:=])\s*"
)
_HEADING = re.compile(r"^\s*(?:#+|>(?!\s*\d)|[-•])\s+", re.MULTILINE)  # "> 40" is a bound
_CLAUSE = re.compile(
    r"[.!?;\n]+(?=\s|$|\")|\bbut\b|\bhowever\b|\balthough\b|\bwait\b"
    r"|,\s*(?=(?:it|this|that|he|she|they|there|i|rather)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


_SHORT = 1_000
"""Signs of texts whose parts are kept in memory: as many long ones would fill it."""

Result = TypeVar("Result")


def _remembering(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """The same function; what it made of short texts is kept."""
    kept = lru_cache(maxsize=65_536)(function)

    @wraps(function)
    def call(text: str) -> Result:
        return kept(text) if len(text) <= _SHORT else function(text)

    return call


def listed(*lines: str) -> frozenset[str]:
    """The words of some lines."""
    return frozenset(" ".join(lines).split())


def without_thoughts(text: str) -> str:
    """A response without thoughts aloud; one that was cut off within them has said nothing.

    Chat templates may have opened the thoughts themselves, so that only their end is there.
    """
    aloud: list[str] = []
    done, thinking = 0, False
    for mark in _THOUGHT.finditer(text):
        if mark.group(1):
            aloud = aloud if thinking else []
            done = mark.end()
        elif not thinking:
            aloud.append(text[done : mark.start()])
        thinking = not mark.group(1)
    return " ".join(aloud if thinking else [*aloud, text[done:]])


def bare(text: str) -> str:
    """A response in its own case without markdown, typographic signs, contractions and thoughts."""
    text = _FENCE.sub(" ", without_thoughts(unicodedata.normalize("NFKC", text)))
    text = _HEADING.sub("", text).translate(_PUNCTUATION)
    text = re.sub(r"\bcan(?:'t|not)\b", "can not", text, flags=re.IGNORECASE)
    text = re.sub(r"\bwon't\b", "will not", text, flags=re.IGNORECASE)
    text = re.sub(r"n't\b", " not", text, flags=re.IGNORECASE)
    text = re.sub(r"\bi'm\b", "I am", text, flags=re.IGNORECASE)
    return re.sub(r"[^\S\n]+", " ", text).strip()


@_remembering
def plain(text: str) -> str:
    """The same in lower case."""
    return bare(text).casefold()


def unwrapped(text: str) -> str:
    """What stands in the answer field where the response is JSON or nearly so."""
    body = _FENCE.sub(" ", without_thoughts(text)).strip()
    if not body.startswith("{"):
        return text
    try:
        fields = json.loads(body)
    except ValueError:
        found = _FIELD.search(body)
        return found.group(1) if found else text
    chosen = [fields[key] for key in fields if re.fullmatch(_KEYS, key.casefold())]
    if not chosen and len(fields) == 1:
        chosen = list(fields.values())
    return spoken(chosen[0]) if chosen else text


def spoken(value: object) -> str:
    """A value of JSON as it would be said."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(spoken, value))
    return "" if value is None else str(value)


def stated(text: str) -> str:
    """What follows the last "the answer is", where there is one and something follows."""
    *_, last = ("", *_STATED.split(text))
    return last if last.strip(" .:\"'") else text


def clauses(text: str) -> list[str]:
    """The clauses of a plain text; a full stop within a number does not end one."""
    return [text[start:end].strip() for start, end in clause_spans(text)]


def clause_spans(text: str) -> list[tuple[int, int]]:
    """Where the clauses of a text begin and end."""
    bounds = [0, *(at for found in _CLAUSE.finditer(text) for at in found.span()), len(text)]
    pairs = zip(bounds[::2], bounds[1::2], strict=True)
    return [(start, end) for start, end in pairs if text[start:end].strip(" ,.\"'()[]:-")]


@_remembering
def words(text: str) -> tuple[str, ...]:
    """The words of a plain text, without articles."""
    return tuple(word for word in _WORD.findall(text) if word not in ARTICLES)


def spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a plain text begin and end, without articles."""
    return [found.span() for found in _WORD.finditer(text) if found.group() not in ARTICLES]


@_remembering
def stem(word: str) -> str:
    """A word without the endings that tell wheeze, wheezes and wheezing apart."""
    for ending in ("ings", "ing", "ed", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


@_remembering
def stems(text: str) -> tuple[str, ...]:
    """The stems of the words of a plain text."""
    return tuple(map(stem, words(text)))


FUNCTION_STEMS = frozenset(
    map(
        stem,
        listed(
            "patient person subject individual speaker recording record audio sound case this that",
            "these those is are was were be been being has have had does do did of in on at to for",
            "with from by and or any some there it its he she his her they their who which what",
            "how can could would will as you i me my we not no yes none say said tell about note",
            "noted here also very one such under according whether if",
        ),
    )
)
"""Words with which anything can be said."""
