"""Checkpoints are fetched whole or not at all, whatever the server and the network do."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from raqa.download.http import FetchError
from raqa.encoders.sources import HubFile, WebFile, ZipMember
from tests.web_server import Server, serving

CONTENT = np.random.default_rng(0).bytes(300_000)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAQA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "weights"


def _zip(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}/model.pth", content)
    return made.getvalue()


def test_a_member_is_taken_out_of_an_archive_and_the_archive_removed(server, cache) -> None:
    server.files["/m2d.zip"] = _zip(weights=CONTENT, other=b"x")
    source = ZipMember(f"{server.url}/m2d.zip", "weights/model.pth")
    assert source.cached() is None
    assert source.fetch().read_bytes() == CONTENT
    assert source.cached() == cache / "weights" / "model.pth"
    assert sorted(path.name for path in cache.glob("*.zip")) == []
    assert len(server.asked) == 1
    source.fetch()
    assert len(server.asked) == 1  # nothing is fetched twice


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"<html>sign in</html>", "not a zip"), (_zip(other=b"x"), "no item named")],
)
def test_an_archive_without_the_file_is_an_error_and_starts_afresh(
    server: Server, cache: Path, content: bytes, reason: str
) -> None:
    server.files["/m2d.zip"] = content
    source = ZipMember(f"{server.url}/m2d.zip", "weights/model.pth")
    with pytest.raises(FetchError, match=f"(?i){reason}"):
        source.fetch()
    assert source.cached() is None
    server.files["/m2d.zip"] = _zip(weights=CONTENT)
    assert source.fetch().read_bytes() == CONTENT


def test_a_dropped_archive_is_no_file_and_the_next_call_continues(server, cache: Path) -> None:
    server.files["/m2d.zip"], server.cuts = _zip(weights=CONTENT), [100_000]
    source = ZipMember(f"{server.url}/m2d.zip", "weights/model.pth")
    with pytest.raises(FetchError, match=r"ended after 100000 bytes"):
        source.fetch()
    assert source.cached() is None
    assert source.fetch().read_bytes() == CONTENT
    assert server.asked == [None, "bytes=100000-"]


def test_several_processes_fetch_an_archive_once(server: Server, cache: Path) -> None:
    server.files["/m2d.zip"] = _zip(weights=CONTENT)
    source = ZipMember(f"{server.url}/m2d.zip", "weights/model.pth")
    threads = [threading.Thread(target=source.fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.asked) == 1
    assert source.fetch().read_bytes() == CONTENT


def test_a_refusing_or_silent_server_is_the_reason(server: Server, cache: Path) -> None:
    source = ZipMember(f"{server.url}/m2d.zip", "weights/model.pth")
    with pytest.raises(FetchError, match="404"):
        source.fetch()
    with pytest.raises(FetchError, match="(?i)refused"):
        ZipMember("http://127.0.0.1:9/m2d.zip", "weights/model.pth").fetch()


def test_a_file_is_fetched_once_and_continued_where_the_server_stopped(server, cache) -> None:
    server.files["/files/base.pth?download=1"], server.cuts = CONTENT, [100_000]
    source = WebFile(f"{server.url}/files/base.pth?download=1", "pengi/base.pth")
    with pytest.raises(FetchError, match=r"ended after 100000 bytes"):
        source.fetch()
    assert source.cached() is None
    assert source.fetch().read_bytes() == CONTENT
    assert source.fetch() == source.cached() == cache / "pengi" / "base.pth"
    assert server.asked == [None, "bytes=100000-"]


@pytest.mark.usefixtures("cache")
def test_a_file_that_can_not_be_had_or_kept_is_told(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FetchError, match="404"):
        WebFile(f"{server.url}/none.pth", "a/none.pth").fetch()
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("RAQA_CACHE", str(tmp_path / "file"))
    with pytest.raises(FetchError, match=r"(?i)file exists|not a directory"):
        WebFile(f"{server.url}/none.pth", "a/none.pth").fetch()


@pytest.fixture
def hub(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The hub's library, talking to the server here and keeping files in a folder here."""
    from huggingface_hub import constants

    template = "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", server.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", server.url + template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    server.files["/someone/model/resolve/main/weights.pt"] = CONTENT
    return server


def test_a_hub_file_is_fetched_once_and_found_in_the_hubs_own_cache(hub: Server, tmp_path) -> None:
    source = HubFile("someone/model", "weights.pt")
    assert source.cached() is None
    path = source.fetch()
    assert path.read_bytes() == CONTENT
    assert path.is_relative_to(tmp_path / "hub")
    asked = len(hub.asked)
    assert source.cached() == path
    assert source.fetch() == path
    assert len(hub.asked) == asked


def test_a_gated_file_is_told_from_one_that_is_not_there(hub: Server) -> None:
    hub.status = (403, {"X-Error-Code": "GatedRepo"})
    with pytest.raises(FetchError) as caught:
        HubFile("someone/model", "weights.pt", gated=True).fetch()
    assert caught.value.access
    hub.status = (404, {"X-Error-Code": "EntryNotFound"})
    with pytest.raises(FetchError) as caught:
        HubFile("someone/model", "weights.pt").fetch()
    assert not caught.value.access
