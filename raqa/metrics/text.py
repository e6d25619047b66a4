"""How near a text is to its reference, without a model: exact match and ROUGE-L."""

from __future__ import annotations

import re
from collections.abc import Sequence

from raqa.questions.reading.words import plain, words

_WORD = re.compile(r"[a-z0-9]+")


def exact_match(text: str, reference: str) -> bool:
    """Whether two texts have the same words: case, punctuation and articles count for nothing."""
    return words(plain(text)) == words(plain(reference))


def is_empty(text: str) -> bool:
    """Whether a text has nothing but blanks."""
    return not text.strip()


def rouge_l(text: str, reference: str) -> float:
    """ROUGE-L F1 (Lin 2004), 0 where a text has no word.

    Words are runs of a-z and 0-9 in lower case, without stemming, as in the package rouge-score.
    """
    said, wanted = (_WORD.findall(one.lower()) for one in (text, reference))
    common = _longest_common(said, wanted)
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for one in first:
        diagonal = 0
        for place, other in enumerate(second, 1):
            above = row[place]
            row[place] = diagonal + 1 if one == other else max(above, row[place - 1])
            diagonal = above
    return row[-1]
