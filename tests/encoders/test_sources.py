"""Checkpoints are fetched whole or not at all, whatever the server and the network do."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from raqa.encoders.sources import FetchError, HubFile, ZipMember, download

CONTENT = np.random.default_rng(0).bytes(300_000)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Server:
    """A web server on the loopback address that can be told to misbehave.

    Attributes:
        files: content by path.
        cut_after: bytes after which the connection is dropped, once.
        ranges: whether parts of a file are sent when asked for.
        status: what every request is answered with instead of a file.
        asked: the Range header of every GET, in order.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut_after: int | None = None
        self.ranges = True
        self.status: tuple[int, dict[str, str]] | None = None
        self.asked: list[str | None] = []
        handler = type("Handler", (_Handler,), {"owner": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    owner: Server

    def do_HEAD(self) -> None:
        self._answer(send=False)

    def do_GET(self) -> None:
        self.owner.asked.append(self.headers.get("Range"))
        self._answer(send=True)

    def _answer(self, *, send: bool) -> None:
        owner = self.owner
        content = owner.files.get(self.path)
        if owner.status is not None or content is None:
            status, headers = owner.status or (404, {})
            self._head(status, {**headers, "Content-Length": "0"})
            return
        asked = self.headers.get("Range")
        start = int(asked.split("=")[1].split("-")[0]) if asked and owner.ranges else 0
        if start >= len(content):
            self._head(416, {"Content-Length": "0"})
            return
        part = content[start:]
        kind = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT}
        self._head(206 if start else 200, {**kind, "Content-Length": str(len(part))})
        if send:
            self.wfile.write(part if owner.cut_after is None else part[: owner.cut_after])
            owner.cut_after = None

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.http.shutdown()
    thread.join()
    made.http.server_close()


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


def test_a_file_is_downloaded_as_it_is(server: Server, tmp_path: Path) -> None:
    server.files["/a"] = CONTENT
    download(f"{server.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_dropped_connection_is_an_error_and_no_file(server: Server, tmp_path: Path) -> None:
    server.files["/a"], server.cut_after = CONTENT, 100_000
    with pytest.raises(OSError, match=r"ended after 100000 bytes"):
        download(f"{server.url}/a", tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_the_next_call_continues_where_the_connection_dropped(server, tmp_path: Path) -> None:
    server.files["/a"], server.cut_after = CONTENT, 100_000
    with pytest.raises(OSError, match="ended after"):
        download(f"{server.url}/a", tmp_path / "a")
    download(f"{server.url}/a", tmp_path / "a")
    assert server.asked == [None, "bytes=100000-"]
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_server_that_sends_no_parts_is_asked_for_everything_again(server, tmp_path) -> None:
    server.files["/a"], server.cut_after, server.ranges = CONTENT, 100_000, False
    with pytest.raises(OSError, match="ended after"):
        download(f"{server.url}/a", tmp_path / "a")
    download(f"{server.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_part_that_was_whole_already_is_taken(server: Server, tmp_path: Path) -> None:
    server.files["/a"] = CONTENT
    (tmp_path / "a.part").write_bytes(CONTENT)  # killed just before it was renamed
    download(f"{server.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


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
