"""Which options a response names by their letters."""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from raqa.questions.reading.option_texts import Named, OptionTexts, says_nothing
from raqa.questions.reading.words import clause_spans

LETTERS = string.ascii_uppercase

_LETTER = (
    r"(?P<open>[(\[{\"'<]{0,2})(?<![^\W_])(?<!\w')(?P<letter>[A-Za-z])"
    r"(?P<close>[)\]}\"'>]{0,2})(?![\w])(?!'\w)"
)
_KIND = r"(?:option|choice|letter|answer)"
_SURE = r"(?:most likely|likely|probably|clearly|definitely|therefore|indeed)"
_IS = r"(?:\s+(?:is|was|would be|should be|must be|will be|has to be|seems to be)\b)"
_STATED = re.compile(
    rf"(?P<final>\bfinal\s+)?\b{_KIND}\b[\"']?(?:\s+(?:to|for)\b[^.:\n]{{0,60}}?)?"
    rf"(?:{_IS}\s*:?|\s*[:=]|(?<=answer))\s*(?:{_SURE}\s*:?\s*)*(?:{_KIND}\s*:?\s*)?{_LETTER}",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:choose|pick|select|chose|picked|selected|go(?:ing)? (?:with|for)|vote for)\s+"
    rf"(?:{_KIND}\s*:?\s*)?{_LETTER}",
    re.IGNORECASE,
)
_LINE = re.compile(rf"^[^\w\n]*?(?:{_KIND}\s*:?\s*)?{_LETTER}", re.IGNORECASE | re.MULTILINE)
_MARKED = re.compile(r"\s*(?:$|[.:)\]]+(?=\s|$)|[:)\]]|-+\s|,\s|\()", re.MULTILINE)
_REASON = re.compile(r"\s+(?:because|since|as|is|for)\b")
_MENTIONED = re.compile(
    rf"\b(?:option|choice|letter)\s+{_LETTER}|(?<!\w)[(\[](?P<bracketed>[A-Za-z])[)\]]",
    re.IGNORECASE,
)
_INLINE = re.compile(r"(?<![\w'])(?P<letter>[A-Z])[.):]\s*")
_BARE = re.compile(r"(?<![\w'])(?P<letter>[A-Z])(?!\w|'\w)")
_NOT_ONE = re.compile(r"\b(?:not|rather than|instead of)\s+[A-Z]\b")
_WORD = re.compile(r"[^\W_]+")
_ENDS = re.compile(r"[.!?;\n]")
_OPENING = "([{\"'<"
_NEAR = 60
"""Signs around a letter that are looked at."""
_ALSO = re.compile(rf"\s*(?:,|/|&|\+|\band\b|\bor\b)+\s*(?:{_KIND}\s+)?{_LETTER}", re.IGNORECASE)
_IN_PROSE = re.compile(r"\s+(?!(?:is|and|or|because|since|as)\b)[\w']")
_KIND_BEFORE = re.compile(r"\b(?:option|choice|letter)\s+$", re.IGNORECASE)
_NOT_BEFORE = re.compile(
    r"\b(?:not|never|neither|nor|rather than|instead of|unlike|exclud\w+|eliminat\w+|rul\w+ out"
    r"|reject\w*|than)\s+(?:that\s+)?(?:(?:the|my|either)\s+)?(?:(?:correct|right|best)\s+)?$",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(
    r"\W*\b(?:is|was|are|were|can be|seems|would be)\s+(?:(?:also|clearly|therefore)\s+)?"
    r"(?:not|incorrect|wrong|false|unlikely|excluded|ruled out|eliminated|less)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Letters:
    """What a response says by letters.

    Attributes:
        found: different letters that are meant; an answer has one.
        stated: whether a statement or the beginning of a line says so, and not only a mention.
        disagree: whether the text of another option stands beside the letter.
    """

    found: frozenset[str] = frozenset()
    stated: bool = False
    disagree: bool = False


def find_letters(text: str, texts: OptionTexts, named: Sequence[Named]) -> Letters:
    """The letters that a bare text names, by the clearest way in which it names any.

    Args:
        named: the options whose texts stand in it; a letter within one is none ("hepatitis B").
    """
    within = _Text(text, texts, named)
    stated = [*within.matches(_STATED), *within.matches(_CHOSEN)]
    final = [one for one in stated if one.groupdict().get("final")]
    stated = final or stated
    lines = within.lines()
    if stated:
        found = {letter for one in stated for letter in within.all_of(one)}
        # A list of all options is no answer, a single line that begins with a letter is.
        if not final and len(lines) == 1:
            found |= within.all_of(lines[0])
        return Letters(frozenset(found), stated=True, disagree=within.contradicted(stated))
    if lines:
        found = {letter for one in lines for letter in within.all_of(one)} | within.inline()
        disagree = len(found) == 1 and within.contradicted(lines)
        return Letters(frozenset(found), stated=True, disagree=disagree)
    mentioned = {letter for one in within.matches(_MENTIONED) for letter in within.all_of(one)}
    return Letters(frozenset(mentioned or within.alone()))


@dataclass(frozen=True)
class _Text:
    """A bare text, and the options whose texts stand in it."""

    text: str
    texts: OptionTexts
    named: Sequence[Named]

    @cached_property
    def starts(self) -> list[int]:
        """Where each of `named` begins."""
        return [one.start for one in self.named]

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a pattern names a letter that is not denied."""
        for found in pattern.finditer(self.text):
            if self.is_letter(found) and not self.is_denied(found):
                yield found

    def is_letter(self, found: re.Match[str]) -> bool:
        """Whether it is no article, no pronoun and no part of an option's text."""
        place = _place(found)
        near = bisect_right(self.starts, place) - 1
        if near >= 0 and place < self.named[near].end and self.named[near].words > 1:
            return False
        letter = self.text[place]
        clear = found.start() < place and self.text[place - 1] in _OPENING
        kind = letter.isupper() and _KIND_BEFORE.search(self.text, max(place - 10, 0), place)
        clear = clear or bool(kind) or (letter.isupper() and letter not in "AI")
        return clear or not _IN_PROSE.match(self.text, place + 1) or self.glossed(found)

    def is_denied(self, found: re.Match[str]) -> bool:
        """Whether what stands around it says that it is not the answer."""
        before = self.text[max(found.start() - _NEAR, 0) : found.start()]
        return bool(_NOT_BEFORE.search(before) or _NOT_AFTER.match(self.text, found.end()))

    def all_of(self, found: re.Match[str]) -> set[str]:
        """The letter that a match names and those that are listed after it."""
        letters = set()
        following: re.Match[str] | None = found
        while following and self.is_letter(following):
            letters.add(self.text[_place(following)].upper())
            following = _ALSO.match(self.text, following.end())
        return letters

    def lines(self) -> list[re.Match[str]]:
        """Lines that begin with a letter as an option's."""
        return [one for one in self.matches(_LINE) if self.is_marked(one)]

    def is_marked(self, found: re.Match[str]) -> bool:
        """Whether what follows a letter shows that it is one."""
        text, end, letter = self.text, found.end(), found["letter"]
        if letter in "Ii" and text[end : end + 1] == ",":
            return bool(_ALSO.match(text, end))
        if found["close"] or _MARKED.match(text, end):
            return True
        return (letter.isupper() and bool(_REASON.match(text, end))) or self.glossed(found)

    def inline(self) -> set[str]:
        """Letters in the midst of a line that their option's own text follows."""
        return {one["letter"] for one in _INLINE.finditer(self.text) if self.glossed(one)}

    def beside(self, found: re.Match[str]) -> Named | None:
        """The option whose text follows a letter, with words between that say nothing."""
        near = bisect_left(self.starts, found.end())
        if near == len(self.named):
            return None
        between = self.text[found.end() : self.named[near].start].lstrip(" .:)]}>-,(\"'")
        if len(between) > _NEAR or _ENDS.search(between):
            return None
        nothing = all(says_nothing(word) for word in _WORD.findall(between.casefold()))
        return self.named[near] if nothing else None

    def glossed(self, found: re.Match[str]) -> bool:
        """Whether a letter's own text follows."""
        one = self.beside(found)
        return one is not None and one.option == LETTERS.index(self.text[_place(found)].upper())

    def contradicted(self, matches: Sequence[re.Match[str]]) -> bool:
        """Whether another option's text follows a letter."""
        return any(
            one is not None and one.bounded and not self.glossed(found)
            for found in matches
            if (one := self.beside(found)) is not None
        )

    def alone(self) -> set[str]:
        """Letters of clauses that hold nothing else: "It's C"."""
        letters: set[str] = set()
        for start, end in clause_spans(self.text):
            found = [one for one in _BARE.finditer(self.text, start, end) if self.is_letter(one)]
            denied = [one for one in found if self.is_denied(one)]
            rest = _NOT_ONE.sub(" ", self.text[start:end])
            words = _WORD.findall(_BARE.sub(" ", rest).casefold())
            if all(map(says_nothing, words)):
                letters |= {one["letter"] for one in found if one not in denied}
        return letters


def _place(found: re.Match[str]) -> int:
    """Where the letter of a match stands."""
    groups = found.groupdict()
    return found.start("bracketed" if groups.get("bracketed") else "letter")
