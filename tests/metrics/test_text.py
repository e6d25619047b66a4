"""Exact match and ROUGE-L, against a slow definition and values worked out by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from raqa.metrics.text import exact_match, is_empty, rouge_l


def longest_common(first: list[str], second: list[str]) -> int:
    """By trying every subsequence."""
    for length in range(len(first), 0, -1):
        for chosen in combinations(first, length):
            rest = iter(second)
            if all(word in rest for word in chosen):
                return length
    return 0


def test_rouge_l_is_made_of_the_longest_common_subsequence():
    random = np.random.default_rng(0)
    for _ in range(300):
        said, wanted = (random.choice([*"abcd"], random.integers(8)).tolist() for _ in range(2))
        common = longest_common(said, wanted)
        f1 = 2 * common / (len(said) + len(wanted)) if common else 0.0  # of P = c/s and R = c/w
        assert rouge_l(" ".join(said), " ".join(wanted)) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ("the quick dog jumps over the log.", "the quick brown fox jumps over the lazy dog", 0.625),
        ("Yes, the patient has asthma.", "yes the patient has asthma", 1.0),
        ("", "yes", 0.0),
        ("...", "...", 0.0),
    ],
)
def test_rouge_l_of_known_pairs(text, reference, expected):
    assert rouge_l(text, reference) == pytest.approx(expected)


def test_an_exact_match_looks_at_words_only():
    assert exact_match("**The** patient has asthma", "The patient has asthma.")
    assert not exact_match("The patient has no asthma", "The patient has asthma.")
    assert not exact_match("", "Yes.")


def test_blanks_are_empty():
    assert is_empty(" \n")
    assert not is_empty(".")
