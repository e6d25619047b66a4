"""A file is fetched whole or not at all, whatever the server and the network do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

import numpy as np
import pytest

from raqa.download.fetch import Patience, StoppedFetchError, arrived, digests, fetch
from raqa.download.http import FetchError
from tests.web_server import Server, serving

CONTENT = np.random.default_rng(0).bytes(300_000)
CHANGED = np.random.default_rng(1).bytes(300_000)
ONCE = Patience(answer_s=2, attempts=1)
PATIENT = Patience(answer_s=2, attempts=3, pause_s=0.01, longest_pause_s=2.0)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.files["/a"] = CONTENT
        yield made


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "a.zip"


def _interrupt(server: Server, target: Path, after: int = 100_000) -> None:
    server.cuts = [after]
    with pytest.raises(FetchError, match=f"ended after {after} bytes"):
        fetch(f"{server.url}/a", target, patience=ONCE)
    assert not target.exists()
    assert arrived(target) == after


def test_a_file_is_fetched_as_it_is_and_nothing_else_stays(server: Server, target: Path) -> None:
    version = fetch(f"{server.url}/a", target, patience=ONCE)
    assert target.read_bytes() == CONTENT
    assert (version.size, version.etag[:1]) == (300_000, '"')
    assert [path.name for path in target.parent.iterdir()] == ["a.zip"]


def test_the_next_call_asks_for_the_rest_only(server: Server, target: Path) -> None:
    _interrupt(server, target)
    fetch(f"{server.url}/a", target, patience=ONCE)
    assert server.asked == [None, "bytes=100000-"]
    assert target.read_bytes() == CONTENT


def test_a_connection_that_is_cut_again_and_again_is_no_loss(server: Server, target: Path) -> None:
    server.cuts = [50_000, 50_000, 1_000, 99_000, 50_000]  # more often than attempts without gain
    fetch(f"{server.url}/a", target, patience=PATIENT)
    assert target.read_bytes() == CONTENT
    assert server.asked[-1] == "bytes=250000-"


def test_a_server_that_sends_nothing_is_given_up_after_a_few_attempts(server, target) -> None:
    server.cuts = [0] * 10
    with pytest.raises(FetchError, match="ended after 0 bytes"):
        fetch(f"{server.url}/a", target, patience=PATIENT)
    assert len(server.asked) == 3


def test_a_server_that_sends_no_parts_is_asked_for_everything_again(server, target) -> None:
    server.ranges = False
    _interrupt(server, target)
    fetch(f"{server.url}/a", target, patience=ONCE)
    assert target.read_bytes() == CONTENT


def test_a_file_that_was_changed_in_between_is_fetched_from_its_start(server, target) -> None:
    _interrupt(server, target)
    server.files["/a"] = CHANGED
    fetch(f"{server.url}/a", target, patience=ONCE)
    assert target.read_bytes() == CHANGED


def test_a_changed_file_is_noticed_where_the_server_ignores_the_condition(server, target) -> None:
    _interrupt(server, target)
    server.files["/a"] = CHANGED
    server.heeds = False
    fetch(f"{server.url}/a", target, patience=PATIENT)
    assert target.read_bytes() == CHANGED


def test_without_a_mark_of_its_version_a_file_is_never_continued(server, target) -> None:
    server.marks = False
    _interrupt(server, target)
    server.files["/a"] = CHANGED
    fetch(f"{server.url}/a", target, patience=ONCE)
    assert server.asked == [None, None]
    assert target.read_bytes() == CHANGED


def test_a_part_of_another_address_is_not_continued(server: Server, target: Path) -> None:
    _interrupt(server, target)
    server.files["/b"] = CHANGED
    fetch(f"{server.url}/b", target, patience=ONCE)
    assert target.read_bytes() == CHANGED


def test_a_file_that_became_shorter_than_what_is_there_is_fetched_anew(server, target) -> None:
    _interrupt(server, target, after=200_000)
    server.files["/a"], server.marks = CHANGED[:1_000], False
    fetch(f"{server.url}/a", target, patience=PATIENT)
    assert target.read_bytes() == CHANGED[:1_000]


def test_a_part_that_was_whole_already_needs_no_server(server: Server, target: Path) -> None:
    _interrupt(server, target)
    with target.with_name("a.zip.part").open("ab") as file:
        file.write(CONTENT[100_000:])  # killed just before it was renamed
    fetch(f"{server.url}/a", target, patience=ONCE)
    assert len(server.asked) == 1
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("size", [299_999, 300_001])
def test_another_size_than_was_published_is_refused(server, target, size: int) -> None:
    with pytest.raises(FetchError, match=f"300,000 bytes and {size:,} are expected"):
        fetch(f"{server.url}/a", target, size=size, patience=PATIENT)
    assert list(target.parent.iterdir()) == []


def test_a_server_that_sends_too_much_is_stopped(server: Server, target: Path) -> None:
    server.chunked, server.extra = True, bytes(10_000_000)
    with pytest.raises(FetchError, match="more than the 300,000 bytes"):
        fetch(f"{server.url}/a", target, size=300_000, patience=PATIENT)
    assert list(target.parent.iterdir()) == []


def test_an_early_end_shows_by_the_published_size_where_the_server_tells_none(server, target):
    server.chunked, server.cuts = True, [100_000]
    fetch(f"{server.url}/a", target, size=300_000, patience=PATIENT)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(server: Server, target: Path, status: int) -> None:
    server.refusals = [(status, {}), (status, {})]
    fetch(f"{server.url}/a", target, patience=PATIENT)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("moment", [False, True])
def test_it_waits_as_long_as_the_server_asks(server, target, moment: bool) -> None:
    wait = formatdate(time.time() + 2, usegmt=True) if moment else "1"
    server.refusals = [(429, {"Retry-After": wait})]
    begin = time.monotonic()
    fetch(f"{server.url}/a", target, patience=PATIENT)
    assert time.monotonic() - begin > 0.9


def test_a_server_that_asks_for_an_hour_is_given_up_at_once(server, target) -> None:
    server.refusals = [(503, {"Retry-After": "3600"})]
    with pytest.raises(FetchError, match="503.*wait for 3600 s"):
        fetch(f"{server.url}/a", target, patience=PATIENT)


@pytest.mark.parametrize(
    ("status", "said", "access"),
    [(403, "access is refused", True), (401, "access is refused", True),
     (404, "no longer there", False), (410, "no longer there", False), (400, "400", False)],
)  # fmt: skip
def test_a_refusal_is_said_at_once(server, target, status: int, said: str, access: bool) -> None:
    server.status = (status, {})
    with pytest.raises(FetchError, match=said) as caught:
        fetch(f"{server.url}/a", target, patience=PATIENT)
    assert caught.value.access is access
    assert len(server.asked) == 1


def test_a_web_page_is_not_taken_for_the_file(server: Server, target: Path) -> None:
    server.kind = "text/html; charset=utf-8"
    with pytest.raises(FetchError, match="web page instead of the file"):
        fetch(f"{server.url}/a", target, patience=PATIENT)
    assert list(target.parent.iterdir()) == []


def test_a_redirection_is_followed_to_web_servers_only(server: Server, target: Path) -> None:
    server.refusals = [(302, {"Location": f"{server.url}/a"})]
    fetch(f"{server.url}/here", target, patience=ONCE)
    assert target.read_bytes() == CONTENT
    for place in ("ftp://127.0.0.1/a", f"ftp{server.url[4:]}/a"):
        server.refusals = [(302, {"Location": place})]
        with pytest.raises(FetchError, match="which is not followed"):
            fetch(f"{server.url}/here", target.with_name("b"), patience=ONCE)
    with pytest.raises(FetchError, match="no address of a web server"):
        fetch("file:///etc/passwd", target.with_name("b"), patience=ONCE)


def test_no_server_is_the_reason(target: Path) -> None:
    with pytest.raises(FetchError, match="(?i)no connection .*refused"):
        fetch("http://127.0.0.1:9/a", target, patience=PATIENT)


def test_a_caller_can_stop_it_and_keeps_what_has_arrived(server: Server, target: Path) -> None:
    stop = threading.Event()

    def notice(have: int, of: int | None) -> None:
        assert of == 300_000
        stop.set()

    with pytest.raises(StoppedFetchError):
        fetch(f"{server.url}/a", target, patience=ONCE, notice=notice, stop=stop)
    assert 0 < arrived(target) < 300_000
    fetch(f"{server.url}/a", target, patience=ONCE)
    assert target.read_bytes() == CONTENT


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_disk_that_is_full_is_the_callers_to_tell(server: Server, target: Path) -> None:
    target.with_name("a.zip.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        fetch(f"{server.url}/a", target, patience=PATIENT)


def test_digests_of_a_file_are_those_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    found = digests(tmp_path / "a", "md5", "sha256")
    assert found["md5"] == "900150983cd24fb0d6963f7d28e17f72"
    assert found["sha256"].startswith("ba7816bf8f01cfea414140de5dae2223")
