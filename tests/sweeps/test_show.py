"""What the terminal shows of a recipe's report."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from raqa.reports.recipes.tables import Heading, Shown, Table
from raqa.sweeps.show import overview

TYPES = [f"{'mcq sound ' * (place % 3)}{'x' * (place % 5)}number{place}" for place in range(19)]


def _printed(columns: int, width: int) -> list[str]:
    headings = (Heading("model", "model", "who answers", numeric=False),
                *(Heading(name, name, name) for name in TYPES[:columns]))  # fmt: skip
    rows = tuple(
        (
            Shown.label(f"model {row}, audio"),
            *(Shown((f"{10 * row + 0.5}",)) for _ in TYPES[:columns]),
        )
        for row in range(1, 4)
    )
    out = io.StringIO()
    console = Console(file=out, width=width)
    console.print(overview(Table("overview", "", "", headings, rows), width))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("columns", [1, 4, 10, 19])
@pytest.mark.parametrize("width", [40, 80, 400])
def test_every_heading_and_number_stands_whole_however_many_columns(columns, width):
    lines = _printed(columns, width)
    text = " ".join(lines)
    assert "…" not in text
    assert all(len(line) <= width for line in lines)
    for place in range(columns):
        assert f"number{place}" in text
    assert [text.count(number) for number in ("10.5", "20.5", "30.5")] == [columns] * 3


def test_what_fits_is_one_table():
    assert " ".join(_printed(4, 80)).count("number") == 4
    assert " ".join(_printed(4, 80)).count("model 1, audio") == 1


def test_columns_that_stand_below_are_told_whose_they_are():
    text = " ".join(_printed(19, 80))
    assert text.count("model 1, audio") == text.count("model 3, audio") > 1
