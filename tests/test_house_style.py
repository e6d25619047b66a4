"""The tree keeps to its own rules: size, documentation, imports in one direction."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
SOURCES = [
    *sorted((CHECKOUT / "raqa").rglob("*.py")),
    *sorted((CHECKOUT / "scripts").rglob("*.py")),
]
TESTS = sorted((CHECKOUT / "tests").rglob("*.py"))


def _name(path: Path) -> str:
    return str(path.relative_to(CHECKOUT))


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_file_has_at_most_300_lines_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 300
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=_name)
def test_no_function_is_longer_than_60_lines(path: Path) -> None:
    long = {f.name: (f.end_lineno or 0) - f.lineno + 1 for f in _functions(path)}
    assert {name: lines for name, lines in long.items() if lines > 60} == {}


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_nothing_that_could_execute_a_file_is_called(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for risk in ("weights_only=False", "allow_pickle=True", "trust_remote_code=True", "shell=True"):
        assert risk not in text


@pytest.mark.parametrize("room", ["download", "corpora", "audio", "encoders", "heads"])
def test_early_rooms_know_nothing_of_later_ones(room: str) -> None:
    later = {"training", "metrics", "reports", "regimes", "cli", "run", "main", "configuration"}
    if room == "download":
        later |= {"corpora", "audio", "encoders", "embeddings", "heads"}
    if room == "heads":
        later |= {"corpora", "audio", "encoders", "embeddings"}
    for path in (CHECKOUT / "raqa" / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            parts = (module or "").split(".")
            assert not (parts[0] == "raqa" and parts[1:2] and parts[1] in later), _name(path)


def test_nothing_imports_the_command_line() -> None:
    importing = [_name(p) for p in SOURCES if "raqa.cli" in p.read_text(encoding="utf-8")]
    assert importing == []
