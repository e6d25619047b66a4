"""Responses are kept once, found again only for the very same request, and survive kills."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from raqa.responders.base import Response
from raqa.responders.store import ResponseStore, request_key

ANSWER = Response("yes", finish="stop", tokens_in=3, latency_s=0.5, raw='{"a": "\x00é"}')


def test_what_is_added_is_found_by_another_process(tmp_path: Path) -> None:
    with ResponseStore(tmp_path) as store:
        store.add("k", {"text": "?"}, ANSWER)
        assert store.get("k") == ANSWER
    assert ResponseStore(tmp_path).get("k") == ANSWER


def test_failures_and_refusals_are_kept_but_not_found(tmp_path: Path) -> None:
    with ResponseStore(tmp_path) as store:
        store.add("a", {}, Response(None, "failed", "why", raw="<html>"))
        store.add("b", {}, Response("no!", "refused", raw="the refusal"))
    (file,) = tmp_path.glob("*.jsonl")
    assert "<html>" in file.read_text()
    assert "the refusal" in file.read_text()
    assert len(ResponseStore(tmp_path)) == 0


def test_a_file_cut_at_any_byte_gives_what_was_whole(tmp_path: Path) -> None:
    with ResponseStore(tmp_path / "whole") as store:
        store.add("a", {}, ANSWER)
        store.add("b", {}, ANSWER)
    (file,) = (tmp_path / "whole").glob("*.jsonl")
    content = file.read_bytes()
    second = content.index(b"\n") + 1
    (tmp_path / "cut").mkdir()
    for end in [*range(0, len(content), 7), len(content) - 1, len(content)]:
        (tmp_path / "cut" / "x.jsonl").write_bytes(content[:end])
        found = ResponseStore(tmp_path / "cut")
        assert ("a" in found, "b" in found) == (end >= second, end == len(content))
        assert found.damaged == 0


@pytest.mark.parametrize("line", [b"{", b"[]", b"\xff\xfe", b"{}", b'{"key": "k"}', b"", b"null"])
def test_a_damaged_line_is_asked_again_and_harms_no_other(line: bytes, tmp_path: Path) -> None:
    with ResponseStore(tmp_path) as store:
        store.add("a", {}, ANSWER)
    (file,) = tmp_path.glob("*.jsonl")
    file.write_bytes(line + b"\n" + file.read_bytes())
    found = ResponseStore(tmp_path)
    assert found.get("a") == ANSWER
    assert found.damaged == 1


def test_several_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    def write(writer: int) -> None:
        with ResponseStore(tmp_path) as store:
            for number in range(50):
                store.add(f"{writer}/{number}", {}, Response(f"{writer}/{number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    found = ResponseStore(tmp_path)
    assert len(found) == 400
    assert all(found.get(f"{w}/{n}").text == f"{w}/{n}" for w in range(8) for n in range(50))


def test_nothing_added_makes_no_file(tmp_path: Path) -> None:
    with ResponseStore(tmp_path / "new"):
        pass
    assert not (tmp_path / "new").exists()


def test_a_key_depends_on_every_fact_and_not_on_their_order() -> None:
    facts = {"model": "a", "text": "?", "decoding": {"temperature": 0}}
    assert request_key(facts) == request_key(dict(reversed(facts.items())))
    for changed in ({"model": "b"}, {"text": "??"}, {"decoding": {"temperature": 1}}):
        assert request_key({**facts, **changed}) != request_key(facts)
