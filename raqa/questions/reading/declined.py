"""Responses that are no answer by their form: refusals, and other languages than English."""

from __future__ import annotations

import re
import unicodedata

from raqa.questions.reading.words import clauses, listed, words

_TELL = (
    "answer|determine|tell|provide|diagnose|assess|help|assist|say|listen|process|analy[sz]e|"
    "identify|give|make|comment|judge|know|offer|evaluate|confirm|access|interpret|conclude|"
    "estimate|respond|verify|be (?:determined|answered|assessed|diagnosed|confirmed|certain|sure)"
)
_CANNOT = re.compile(
    rf"\b(?:can not|could not|unable to|not able to|not possible to|impossible to|will not|"
    rf"not qualified to|not allowed to|not going to|not in a position to)"
    rf"(?:\s+\w+ly)?\s+(?:{_TELL})\b"
    r"|\b(?:can not|unable to|not able to) hear (?:the |any |this )?"
    r"(?:audio|recordings?|files?|it)\b"
    r"|\b(?:do|does) not (?:know|have (?:access|enough|sufficient|the ability))\b"
    r"|\bno idea\b|\bnot (?:sure|certain)\b|\bprefer not\b|\bdecline\b"
    r"|\b(?:insufficient|not enough) (?:information|data|evidence|context)\b"
    r"|\bneeds? more (?:information|data|context)\b|\bi am sorry\b|\bi apologi[sz]e\b"
    r"|^(?:sorry|unable|i can not|i refuse.*|no comment)\W*$"
)
_ADVICE = re.compile(
    r"\b(?:consult|see|contact|visit|ask|speak (?:to|with)|talk to)\b[^.]*"
    r"\b(?:doctor|physician|clinician|specialist|professional|provider|pulmonologist)\b"
    r"|\bseek\b[^.]*\b(?:medical|professional|care)\b|\b(?:not|no substitute for) medical advice\b"
)
_MACHINE = re.compile(
    r"^(?:i am|as|being) (?:just |only )?an? (?:\w+ )?"
    r"(?:ai|artificial intelligence|language model|assistant|chatbot)\b[^,.]*,?\s*"
)
# Frequent words of German, French, Spanish, Italian, Portuguese and Dutch that English lacks.
_FOREIGN = listed(
    "der das ist nicht kein keine keinen und hat eine einen dieser diese patientin ja nein wird",
    "le les est pas une et il elle oui non ne du des avec cette âge ans jahre alt",
    "el los las es una tiene paciente sí hay del años con muy",
    "gli è ha della paziente anni não tem uma sim het een niet heeft jaar nee",
)
_ENGLISH = listed(
    "the is are was were has have does do not this that there of it patient person in with"
)


def kept(text: str) -> tuple[list[str], bool]:
    """The clauses of a plain text that answer, and whether any declined to."""
    answering, declined = [], False
    for clause in clauses(text):
        rest = _MACHINE.sub("", clause)
        declined |= rest != clause
        if _CANNOT.search(rest) or _ADVICE.search(rest):
            declined = True
        elif rest.strip(" ,"):
            answering.append(rest)
    return answering, declined


def is_foreign(text: str) -> bool:
    """Whether a plain text seems to be of another language than English."""
    letters = [letter for letter in text if letter.isalpha()]
    other = sum(not unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    if other * 3 > len(letters):
        return True
    said = words(text)
    foreign = sum(word in _FOREIGN for word in said)
    return foreign > 1 or (foreign == 1 and not any(word in _ENGLISH for word in said))
