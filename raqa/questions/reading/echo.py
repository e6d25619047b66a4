"""What a response only repeats of its question, which says nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from raqa.questions.reading.words import FUNCTION_STEMS, spans, stem

_LEAST = 2
"""Words of a repetition beside those with which anything can be said."""


def without_echo(text: str, question: Sequence[str], names: Collection[tuple[str, ...]]) -> str:
    """A plain text without the runs of words that stand so in the question.

    Args:
        question: stems of its words.
        names: stems of what labels are called; a repeated name of a label is an answer.
    """
    places = spans(text)
    said = tuple(stem(text[start:end]) for start, end in places)
    kept, place, done = [], 0, 0
    while place < len(said):
        length = _repeated(said[place:], tuple(question))
        run = said[place : place + length]
        content = sum(word not in FUNCTION_STEMS for word in run)
        if content >= _LEAST and not _is_name(run, names):
            kept.append(text[done : places[place][0]])
            done = places[place + length - 1][1]
            place += length
        else:
            place += 1
    return " ".join([*kept, text[done:]]).strip()


@lru_cache(maxsize=65_536)
def _repeated(said: tuple[str, ...], question: tuple[str, ...]) -> int:
    """How many of the first words stand side by side in the question."""
    longest = 0
    for start, word in enumerate(question):
        if said[0] != word:
            continue
        pairs = zip(said, question[start:], strict=False)
        length = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
        longest = max(longest, min(len(said), len(question) - start) if length is None else length)
    return longest


def _is_name(run: tuple[str, ...], names: Collection[tuple[str, ...]]) -> bool:
    return any(
        run == name[place : place + len(run)] for name in names for place in range(len(name))
    )
