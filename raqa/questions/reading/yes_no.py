"""Whether a response says yes or no: by its first word, else by what it states."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raqa.questions.reading.echo import without_echo
from raqa.questions.reading.facts import NEGATIONS, QuestionFacts
from raqa.questions.reading.labels import named_labels
from raqa.questions.reading.words import FUNCTION_STEMS, listed, plain, stem, stems, words

_HEDGE = (
    r"(?:(?:well|okay|ok|so|i (?:think|believe|would say|guess)|it (?:seems|appears|looks like)"
    r"|most likely|likely|probably|that|in my opinion|clearly|answer)\b\W*+)*+"
)
_YES = "yes|yeah|yep|yup|correct|true|affirmative|indeed|definitely|certainly|absolutely|agreed"
_NO = "no|nope|nah|false|incorrect|wrong|never|not"
_LEAD = re.compile(rf"^\W*+{_HEDGE}(?:({_YES})|({_NO}))\b(?! doubt| question)")
_BOTH = re.compile(
    rf"\b(?:{_YES})\b\W*(?:and|or|/|\|)\W*(?:no|false)\b"
    rf"|\b(?:no|false)\b\W*(?:and|or|/|\|)\W*(?:{_YES})\b"
)
_WHOLE = {
    **dict.fromkeys(("y", "right", "sure", "of course", "positive", "present", "confirmed"), "yes"),
    **dict.fromkeys(("n", "negative", "absent", "none"), "no"),
}
_OPEN = re.compile(r"\b(?:maybe|perhaps|possibly|might|may|could|unclear|uncertain|possible)\b")
_NOT_NEGATIVE = re.compile(r"\b(?:no|without(?: any)?) (?:doubt|question)\b|\bnot only\b")
_SHORT = re.compile(
    r"^\W*(?:it|he|she|they|this|that|there|(?:this|the) (?:patient|person|subject))"
    r" (?:is|are|does|do|has|have|was|were|did)\W*$"
)
_STATING = frozenset(
    map(
        stem,
        listed(
            "list include contain complain evidence sign present heard hear audible report apply",
            "noted detect find found hold suffer show exist indicate confirm state mention know",
            "carry option entry history profile note choice fit gives like diagnose reported",
            "suggest presence experience observe identify currently seem appear clear rule out",
        ),
    )
)


def yes_or_no(parts: Sequence[str], facts: QuestionFacts) -> str | None:
    """Read yes or no out of clauses; None where they say neither, or both."""
    if _BOTH.search(" ".join(parts)):
        return None
    whole = _WHOLE.get(" ".join(words(" ".join(parts))))
    if whole is not None:
        return whole
    leads = {lead for part in parts if (lead := _leading(part, first=part is parts[0]))}
    if leads:
        return leads.pop() if len(leads) == 1 else None
    if _OPEN.search(" ".join(parts)):
        return None
    return _stated(parts, facts)


def _leading(part: str, *, first: bool) -> str | None:
    """The answer that a clause begins with; a later one counts where it stands by itself."""
    found = _LEAD.match(_NOT_NEGATIVE.sub("", part))
    if found is None:
        return None
    rest = part[found.end() :]
    if not first and rest.strip() and not rest.startswith(","):
        return None
    return "yes" if found.group(1) else "no"


def _stated(parts: Sequence[str], facts: QuestionFacts) -> str | None:
    """Yes or no from statements about what was asked, which must agree with each other."""
    if facts.kind != "binary":
        labelled = _by_label(parts, facts)
        if labelled is not None:
            return labelled or None
    said: set[str] = set()
    unrelated: set[str] = set()
    for part in (piece for one in parts for piece in re.split(r",?\band\b|;", one)):
        negations = _negations(part, facts)
        if negations > 1:
            return None
        answer = "no" if negations else "yes"
        if _SHORT.match(part) or _is_echo(part, facts):
            said.add(answer)
        elif negations:
            unrelated.add(answer)
    found = said or unrelated
    if len(found) != 1:
        return None
    answer = found.pop()
    turned = facts.kind == "binary" and facts.asked == "no"
    return {"yes": "no", "no": "yes"}[answer] if turned else answer


def _by_label(parts: Sequence[str], facts: QuestionFacts) -> str | None:
    """By the labels that are named: "" where they leave it open, None where there is none."""
    affirmed, denied = named_labels(parts, facts)
    if facts.asked in denied:
        return "no"
    if facts.asked in affirmed:
        return "yes" if len(affirmed) == 1 or facts.kind == "multilabel" else ""
    if affirmed:  # another label, which excludes the asked one unless there may be several
        return "no" if facts.kind != "multilabel" and len(affirmed) == 1 else ""
    return None


def _negations(part: str, facts: QuestionFacts) -> int:
    """Negations of a clause beside those within the asked label's own words."""
    part = without_echo(_NOT_NEGATIVE.sub("", part), facts.asked_words, ())
    if facts.asked_text:
        part = part.replace(facts.asked_text, "")
    part = re.sub(r"\bruled out\b", "excluded", part)
    return sum(word in NEGATIONS for word in words(part))


def _is_echo(part: str, facts: QuestionFacts) -> bool:
    """Whether a clause speaks of what was asked.

    It has a word of the attribute or of the asked label; or it has words of the question and,
    beside those with which anything can be stated, no others.
    """
    said = {stem(word) for word in words(part)} - FUNCTION_STEMS
    about = {*stems(facts.about.casefold()), *stems(facts.asked_text)} - FUNCTION_STEMS - _STATING
    asked = {*stems(plain(facts.question))} - FUNCTION_STEMS - _STATING
    if said & about:
        return True
    return bool(said & asked) and not said - asked - _STATING - {*map(stem, NEGATIONS)}
