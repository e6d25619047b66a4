"""The tree keeps to its own rules: size, documentation, imports in one direction."""

from __future__ import annotations

import ast
import re
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


def test_folders_are_made_in_one_way_which_tells_where_none_can_be() -> None:
    making = [_name(p) for p in SOURCES if ".mkdir(" in p.read_text(encoding="utf-8")]
    assert [name for name in making if name.startswith("raqa")] == ["raqa/folders.py"]


_SOUND = {"corpora", "audio", "encoders", "embeddings"}
_LAST = {"reports", "sweeps", "cli", "run", "main", "ask", "predict"}
_LATER = {"metrics", "configuration"} | _LAST
LATER = {
    "download": _SOUND | {"regimes", "questions", "heads", "training", "answering"} | _LATER,
    "corpora": {"regimes", "questions", "heads", "training", "answering"} | _LATER,
    "audio": {"regimes", "questions", "heads", "training", "answering"} | _LATER,
    "encoders": {"regimes", "questions", "heads", "training", "answering"} | _LATER,
    "regimes": {"questions", "heads", "training", "answering"} | _LATER,
    "questions": {"heads", "training", "answering", "sweeps", "cli", "run", "main", "ask"},
    "heads": _SOUND | {"regimes", "questions", "training", "answering"} | _LATER,
    "training": _SOUND | {"regimes", "questions", "answering"} | _LATER,
    "answering": _SOUND | {"regimes", "questions"} | _LATER,
    "judges": _SOUND | {"regimes", "heads", "training", "exams"} | _LATER,
    "exams": {"configuration"} | _LAST,
    "metrics": _SOUND | {"regimes", "heads", "training", "answering", "configuration"} | _LAST,
}
"""What each room knows nothing of."""


@pytest.mark.parametrize("room", LATER)
def test_early_rooms_know_nothing_of_later_ones(room: str) -> None:
    for path in (CHECKOUT / "raqa" / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            parts = (module or "").split(".")
            assert not (parts[0] == "raqa" and parts[1:2] and parts[1] in LATER[room]), _name(path)


def test_nothing_imports_the_command_line() -> None:
    imports = re.compile(r"^\s*(from raqa\.cli|import raqa\.cli|from raqa import .*\bcli\b)", re.M)
    importing = [_name(p) for p in SOURCES if imports.search(p.read_text(encoding="utf-8"))]
    assert importing == []
