"""Which of the offered options a response names by their texts: word for word, never nearly.

Options of one question often share most of their words and differ in meaning, so that endings
count and a name within a longer one is not that option.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from raqa.questions.reading.facts import NEGATIONS
from raqa.questions.reading.words import FUNCTION_STEMS, clause_spans, listed, plain, stem

DENYING = NEGATIONS | {"rather", "instead", "unlike", "than"}
FILLERS = listed(
    "think believe guess choose pick select go say answer option choice letter diagnosis label",
    "correct right best likely most probably definitely clearly therefore so hence thus seems seem",
    "appears appear fits fit final should must will made s d ll ve re m heard hears",
    "hear shows show suggests suggest indicates indicate contains contain consistent clip finding",
)
"""Words beside FUNCTION_STEMS that say nothing of what the answer is."""

Words = tuple[str, ...]

# Signs that change a number's meaning are words here; a dash is one only before a number.
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[<>≤≥±=+%/]|(?<![\w-])-(?=\d)")
_ARTICLE = re.compile(r"^(?:a|an|the)\s+(?=\w)")
_BOUND = re.compile(r"\s*(?:$|[.,;:!?()\[\]\"\n]|- )")
_DENIED_AFTER = re.compile(
    r"\W*(?:(?:is|was|are|were|can be|has been|seems) )+"
    r"(?:not|absent|unlikely|excluded|ruled out|eliminated|incorrect|wrong|false)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Named:
    """An option's text as it stands in a response.

    Attributes:
        option: its place, 0 is A.
        start, end: in signs of the response.
        words: how many words its text has.
        leads: whether nothing but words that say nothing stands before it in its clause.
        bounded: whether the response ends after it, or a punctuation mark follows.
    """

    option: int
    start: int
    end: int
    words: int
    leads: bool
    bounded: bool


@dataclass(frozen=True)
class OptionTexts:
    """Options as they are looked for; those that are the same word for word name none.

    Attributes:
        texts: as offered.
    """

    texts: tuple[str, ...]
    by_words: dict[Words, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        meant: dict[Words, set[int]] = {}
        for place, text in enumerate(self.texts):
            meant.setdefault(words_of(text), set()).add(place)
        found = {key: min(places) for key, places in meant.items() if key and len(places) == 1}
        object.__setattr__(self, "by_words", found)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """How many words texts have, the longest first."""
        return tuple(sorted({len(key) for key in self.by_words}, reverse=True))

    @cached_property
    def vocabulary(self) -> tuple[frozenset[str], ...]:
        """The words of each option."""
        return tuple(frozenset(words_of(text)) for text in self.texts)

    def named(self, text: str) -> list[Named]:
        """Every option that stands in a text word for word and is not denied, the longest only.

        Args:
            text: bare.
        """
        spans = [one.span() for one in _WORD.finditer(text)]
        said = tuple(text[start:end].casefold() for start, end in spans)
        hits, taken = self._longest(said)
        found = []
        for (_, stop), first, last in _clauses(text, spans):
            places = range(first, last)
            denied = next((n for n in places if said[n] in DENYING and n not in taken), last)
            telling = next((n for n in places if not says_nothing(said[n])), last)
            while hits and hits[0][0] < last:
                place, length = hits.popleft()
                start, end = spans[place][0], spans[place + length - 1][1]
                if denied < place or _DENIED_AFTER.match(text, end, max(stop, end)):
                    continue
                option = self.by_words[said[place : place + length]]
                bounded = bool(_BOUND.match(text, end))
                found.append(Named(option, start, end, length, telling >= place, bounded))
        return found

    def _longest(self, said: Words) -> tuple[deque[tuple[int, int]], set[int]]:
        """Where texts stand, as place and length, and which places they take.

        Of two that overlap the longer one counts; two that are equally long both do, since that
        is no clear answer.
        """
        hits: list[tuple[int, int]] = []
        taken: set[int] = set()
        for length in self.lengths:
            new = [
                (place, length)
                for place in range(len(said) - length + 1)
                if said[place : place + length] in self.by_words
                and taken.isdisjoint(range(place, place + length))
            ]
            hits += new
            taken.update(n for place, _ in new for n in range(place, place + length))
        return deque(sorted(hits)), taken

    def open(self, one: Named, text: str) -> bool:
        """Whether other words of its clause, which other options have, may change its meaning.

        "Coarse late crackles" are no "crackles" where "coarse crackles" are offered too.
        """
        if one.leads and one.bounded:
            return False
        spans = clause_spans(text)
        start, end = spans[max(bisect_left(spans, (one.start, len(text))) - 1, 0)]
        rest = words_of(f"{text[start : one.start]} {text[one.end : end]}")
        own = self.vocabulary[one.option]
        others = frozenset().union(*self.vocabulary) - own
        return any(word in others and not says_nothing(word) for word in rest)


def _clauses(
    text: str, words: Sequence[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], int, int]]:
    """The span of each clause, and its first word and the one after its last."""
    first = 0
    for start, end in clause_spans(text):
        last = bisect_left(words, (end, end))
        yield (start, end), first, last
        first = last


def words_of(text: str) -> Words:
    """The words by which an option is told from the others; a leading article is none."""
    return tuple(_WORD.findall(_ARTICLE.sub("", plain(text))))


def says_nothing(word: str) -> bool:
    """Whether a word may stand beside an answer without being part of it."""
    return word not in DENYING and (stem(word) in FUNCTION_STEMS or word in FILLERS
                                    or word in {"a", "an", "the"})  # fmt: skip
