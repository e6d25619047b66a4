"""Nothing that a model says can harm who looks at it."""

from __future__ import annotations

import pytest

from raqa.display import csv_cell, harmless


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("yes", "yes"),
        ("\x1b[2Jyes\x07", "[2Jyes"),
        ("a\nb\r\n\tc", "a b   c"),
        ("\u202egnihton\u202c", "gnihton"),
        ("a\x00b\u200b\ue000\ud800c", "abc"),
        ("käse 37 °C, 咳嗽", "käse 37 °C, 咳嗽"),
    ],
)
def test_what_steers_a_terminal_is_left_out(said: str, shown: str) -> None:
    assert harmless(said) == shown


def test_a_long_response_is_cut_and_says_how_long_it_was() -> None:
    shown = harmless("x" * 10_000_000)
    assert len(shown) < 600
    assert shown.endswith("… (10,000,000 characters)")


@pytest.mark.parametrize(
    "formula", ['=HYPERLINK("http://x")', "+1+cmd", "-2+3", "@SUM(A1)", "\t=1+1", " =1", "\x00=1"]
)
def test_a_spreadsheet_computes_nothing(formula: str) -> None:
    assert csv_cell(formula).startswith("'")


@pytest.mark.parametrize("text", ["yes", "-3.5", "+1", "a=b", ""])
def test_numbers_and_words_stay_as_they_are(text: str) -> None:
    assert csv_cell(text) == text
