"""`raqa prepare`, as it is typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from raqa.corpora import downloads
from raqa.corpora.downloads import Download, Downloads, published_downloads
from raqa.main import USER_MISTAKE
from tests.corpora.prepare.conftest import SOUNDS
from tests.web_server import Server

Command = Callable[..., str]


@pytest.fixture
def prepare(raqa: Command, tmp_path: Path) -> Command:
    """Run `raqa prepare ...` for a folder of its own; what it printed, on one line."""

    def call(*arguments: str, status: int = 0) -> str:
        return raqa("prepare", *arguments, f"paths.data={tmp_path / 'data'}", status=status)

    return call


@pytest.fixture
def loopback(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """CoughVID is published on the loopback address."""
    offered = {"coughvid": {"page": "https://example.org", "files": [
        {"file": "public_dataset.zip", "urls": [f"{server.url}/public_dataset.zip"],
         "unpack": "zip"}]}}  # fmt: skip
    made = TypeAdapter(dict[str, Downloads]).validate_python(offered)
    monkeypatch.setattr(downloads, "published_downloads", lambda: made)
    return server


def test_a_corpus_is_fetched_where_it_is_read_from(prepare, loopback, tmp_path: Path) -> None:
    shown = prepare("coughvid", "--yes")
    assert "licence: CC BY 4.0" in shown
    assert "Complete: 8 files" in shown
    for name, content in SOUNDS.items():
        assert (tmp_path / "data/coughvid" / name).read_bytes() == content
    assert "Complete: 8 files" in prepare("coughvid", "--verify")


def test_without_anybody_to_ask_it_says_what_to_add(prepare, loopback, tmp_path: Path) -> None:
    assert "Add --yes" in prepare("coughvid", status=USER_MISTAKE)
    assert not (tmp_path / "data").exists()


def test_a_failure_is_one_message_and_exit_status_2(prepare, loopback: Server) -> None:
    loopback.status = (403, {})
    shown = prepare("coughvid", "--yes", status=USER_MISTAKE)
    assert "error: public_dataset.zip: the server answers 403 Forbidden: access is refused" in shown
    loopback.status, loopback.kind = None, "text/html"
    assert "web page instead of the file" in prepare("coughvid", "--yes", status=USER_MISTAKE)


def test_corpora_by_agreement_say_whom_to_ask(prepare: Command) -> None:
    assert "ask the Centre for Infectious Disease Research" in prepare("cidrz")
    assert "made when it is first read" in prepare("demo")


def test_a_misspelt_corpus_names_the_near_one(prepare: Command) -> None:
    assert "Did you mean coughvid?" in prepare("cougvid", status=USER_MISTAKE)


def test_a_dry_run_of_a_real_corpus_needs_no_network(prepare, tmp_path: Path) -> None:
    shown = prepare("coughvid", "--dry-run")
    assert "public_dataset.zip 951 MB" in shown
    assert not (tmp_path / "data").exists()


def test_the_published_facts_are_well_formed() -> None:
    for name, offered in published_downloads().items():
        files = [one.file for one in offered.files]
        assert len(files) == len(set(files)), name
        for url in [offered.page, *(url for one in offered.files for url in one.urls)]:
            assert re.fullmatch(r"https://[\w.-]+/[\w./~-]+", url), url
        assert bool(offered.by_hand) == (name in {"hf_lung", "uk_covid19"})


@pytest.mark.parametrize(
    "wrong",
    [{"file": "../a"}, {"file": "x/a"}, {"checksum": "crc:00"}, {"size": 0}, {"unpack": "7z"},
     {"urls": []}, {"sha256": "00"}],
)  # fmt: skip
def test_facts_that_can_not_be_right_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        TypeAdapter(Download).validate_python({"file": "a", "urls": ["https://b/c"], **wrong})
