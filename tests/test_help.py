"""`--help` of every command, at the width of a usual terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from raqa.cli import app

WIDTH = 80


def _listed(path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command and group, by the words that call it; two have help of their own."""
    yield path
    for group in _groups(path):
        for name in group:
            if (*path, name) not in {("train",), ("evaluate",)}:
                yield from _listed((*path, name))


def _groups(path: tuple[str, ...]) -> list[list[str]]:
    shown = _help(path)
    if "─ Commands " not in shown:
        return []
    lines = shown.split("─ Commands ", 1)[1].splitlines()[1:]
    return [[line.split()[1] for line in lines if line.startswith("│ ") and line[2] != " "]]


def _help(path: tuple[str, ...]) -> str:
    return CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": str(WIDTH)}).output


COMMANDS = list(_listed())


def test_all_commands_are_found() -> None:
    assert {("qa", "build"), ("corpora", "audit"), ("prepare",), ()} <= set(COMMANDS)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_fits_and_its_paragraphs_fill_the_lines(path: tuple[str, ...]) -> None:
    lines = [line.rstrip() for line in _help(path).splitlines()]
    assert max(map(len, lines)) <= WIDTH
    text = lines[: next(number for number, line in enumerate(lines) if line.startswith("╭"))]
    broken = [
        (line, after)
        for line, after in pairwise(text)
        if line and after and len(f"{line} {after.split()[0]}") < WIDTH - 1
    ]
    assert not broken, broken
