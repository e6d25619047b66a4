"""Answers in free text about which no judge has to be asked."""

from __future__ import annotations

from raqa.judges.base import NOTHING, Found, worthless
from raqa.questions.reading.declined import kept
from raqa.questions.reading.words import plain, stated, unwrapped
from raqa.tables import Form

_LONGEST = 2000
"""Characters of a plain refusal; whoever says more may have said something."""


def known_unasked(form: Form, response: str | None, reference: str) -> Found | None:
    """What is certain about an answer by itself, or None: a judge is asked.

    Missing ones are unscored. Empty ones, and those of which every clause declines to answer,
    score nothing; where the reference itself declines, a judge is asked.
    """
    if response is None:
        return Found("unscored", NOTHING)
    if not any(sign.isalnum() for sign in response):
        return worthless(form, "unreadable", "empty")
    if _declines(response) and not _declines(reference):
        return worthless(form, "refused", "declines to answer")
    return None


def _declines(text: str) -> bool:
    if len(text) > _LONGEST:
        return False
    answering, declined = kept(stated(plain(unwrapped(text))))
    return declined and not answering
