"""Numbers said in words: forty-two, one hundred and five, three point five."""

from __future__ import annotations

import re

_ONES = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    "fifteen|sixteen|seventeen|eighteen|nineteen"
)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_VALUES = {
    **{word: number for number, word in enumerate(_ONES.split("|"))},
    **{word: 20 + 10 * number for number, word in enumerate(_TENS.split("|"))},
    "hundred": 100,
    "thousand": 1000,
}
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True))
_RUN = re.compile(
    rf"\b(?:{_WORD})\b(?:(?:\s+and\s+|\s*-\s*|\s+)(?:{_WORD})\b)*(?:\s+point(?:\s+(?:{_WORD})\b)+)?"
)
_NOT_A_NUMBER = re.compile(
    r"\b(?:no|some|any|every|which|this|that|each)\s+one\b|\bone (?:of|or)\b"
)


def digits_for_words(text: str) -> str:
    """Replace numbers in words of a plain text by digits."""
    return _RUN.sub(_digits, _NOT_A_NUMBER.sub(" ", text))


def _digits(found: re.Match[str]) -> str:
    whole, _, fraction = found.group().partition(" point ")
    parts = re.split(r"(\s+and\s+)", whole)
    numbers = [str(_value(re.findall(r"[a-z]+", part))) for part in parts[::2]]
    if len(parts) > 1 and re.search(r"(?:hundred|thousand)$", parts[0].strip()):
        numbers = [str(_value(re.findall(r"[a-z]+", whole.replace(" and ", " "))))]
    if fraction:
        numbers[-1] += "." + "".join(str(_VALUES[word]) for word in fraction.split())
    return " and ".join(numbers)


def _value(words: list[str]) -> int:
    total = current = 0
    for word in words:
        number = _VALUES[word]
        if number == 100:
            current = max(current, 1) * 100
        elif number == 1000:
            total, current = total + max(current, 1) * 1000, 0
        else:
            current += number
    return total + current
