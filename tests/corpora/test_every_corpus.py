"""What holds for every corpus: a task, a page of documentation, and a way to get it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from raqa.configuration.build import build_node
from raqa.configuration.folder import config_folder, group_choices
from raqa.configuration.overrides import compose_config
from raqa.corpora.attributes import ATTRIBUTES
from raqa.corpora.base import Corpus
from raqa.encoders.pretraining import overlap

PAGES = Path(__file__).parents[2] / "docs" / "corpora"
HEADINGS = ["Licence", "How to get it", "Layout", "Counts", "Labels", "Split",
            "Encoders that saw it", "Known faults"]  # fmt: skip
PUBLISHED = [
    name
    for name in group_choices("datamodule")
    if not name.startswith(("demo", "manifest", "questions", "exam"))
]
_TARGETS = {
    target
    for path in (config_folder() / "task").glob("*.yaml")
    for target in re.findall(r"^target: (\w+)", path.read_text(), re.MULTILINE)
}


MINIATURES = sorted(
    {path.stem for path in (Path(__file__).parent / "miniatures").glob("*.py")} & {*PUBLISHED}
)


def corpus(name: str, *settings: str) -> Corpus:
    config = compose_config([f"datamodule={name}", *settings])
    built: Corpus = build_node(config, "datamodule.corpus")
    return built


@pytest.mark.parametrize("name", MINIATURES)
def test_a_corpus_reads_its_miniature_where_the_config_looks_for_it(
    name: str, tmp_path: Path
) -> None:
    import_module(f"miniatures.{name}").write(tmp_path / name)
    built = corpus(name, f"paths.data={tmp_path}")
    table = built.read().table
    assert table["audio"].any()
    assert set(table["corpus"]) == {name}
    given = [one for one in built.attributes if one in table.columns and table[one].count()]
    assert _TARGETS & set(given)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_corpus_knows_its_name_and_has_a_task(name: str) -> None:
    built = corpus(name)
    assert built.name == name
    assert set(built.attributes) <= set(ATTRIBUTES)
    assert set(built.missing) <= {*built.attributes, "*"}
    assert _TARGETS & set(built.attributes)
    assert built.how_to_get


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_corpus_has_a_page_of_the_same_form(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_page_says_that_opera_saw_it_if_and_only_if_it_did(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    section = text.split("## Encoders that saw it")[1].split("## ")[0]
    saw = overlap("opera_ct", name).status == "yes"
    assert ("OPERA-CT" in section) == saw
