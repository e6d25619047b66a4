"""The commands about questions that the documentation shows are accepted as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from raqa.questions.build import build, parse_request
from raqa.questions.collection import scan

CHECKOUT = Path(__file__).parents[1]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]


def _commands(begin: str) -> list[str]:
    """Every documented command that begins so, continued lines joined and remarks left out."""
    text = "\n".join(page.read_text("utf-8").replace("\\\n", " ") for page in PAGES)
    lines = re.findall(rf"^{begin} .*$", text, re.MULTILINE)
    return [re.split(r" #| {2,}(?=[a-z])", re.sub(r" {2,}(?=\S+=)", " ", one))[0] for one in lines]


@pytest.mark.parametrize("command", _commands("raqa qa build"))
def test_a_documented_build_has_only_settings_that_exist(command: str) -> None:
    words = [
        word
        for word in shlex.split(command.removeprefix("raqa qa build"))
        if not word.startswith("--")
    ]
    out = words.pop()  # what follows --out
    assert "=" not in out
    request = parse_request(words)
    assert request.corpora


def test_a_documented_id_is_one_of_the_documented_collection(tmp_path: Path) -> None:
    shown = [command.split()[3] for command in _commands("raqa qa show [0-9a-f]{4,}")]
    assert shown
    few = ["demo", "datamodule.corpus.subjects=12"]  # their ids are those of the whole demo
    build(parse_request(few), tmp_path / "questions")
    ids = scan(tmp_path / "questions").collect()["qa_id"]
    assert all(ids.str.starts_with(one).sum() == 1 for one in shown)
