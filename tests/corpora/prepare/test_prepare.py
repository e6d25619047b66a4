"""A corpus is fetched into its folder whole, or it is said what is lacking and why."""

from __future__ import annotations

import hashlib
from collections import namedtuple
from pathlib import Path

import pytest

from raqa.errors import UserError
from tests.corpora.prepare.conftest import (
    SOUNDS,
    TABLE,
    WHOLE,
    Published,
    Run,
    manifest,
    offering,
    tarred,
    tree,
    zipped,
)
from tests.web_server import Server


def test_everything_is_fetched_unpacked_and_written_down(run: Run, corpus, server) -> None:
    shown = run(corpus)
    assert tree(corpus.root) == WHOLE
    assert "Complete: 9 files" in shown
    assert sorted(path.name for path in (corpus.root / ".raqa").iterdir()) == [
        "lock", "manifest.json",
    ]  # fmt: skip
    written = manifest(corpus)
    assert written["licence"] == "CC BY 4.0"
    archive, table = written["downloads"]
    assert archive["url"] == f"{server.url}/public_dataset.zip"
    content = server.files["/public_dataset.zip"]
    assert archive["size"] == len(content)
    assert archive["sha256"] == hashlib.sha256(content).hexdigest()
    assert archive["verified"] == "not verified against a published checksum"
    assert archive["fetched"].endswith("+00:00")
    assert len(archive["files"]) == 8
    assert table["files"][0]["sha256"] == hashlib.sha256(TABLE).hexdigest()


def test_licence_size_and_folder_are_said_before_anything_is_written(run: Run, corpus) -> None:
    shown = run(corpus, agreed=lambda: False)
    for said in ("Coughs of a clinic", "CC BY 4.0", "321 kB", "1 file of unknown size",
                 str(corpus.root), "Nothing was fetched"):  # fmt: skip
        assert said in shown
    assert not corpus.root.exists()


def test_a_dry_run_writes_and_asks_nothing(run: Run, corpus, server: Server) -> None:
    shown = run(corpus, dry_run=True, agreed=lambda: pytest.fail("asked"))
    assert "dry run" in shown
    assert not corpus.root.exists()
    assert server.asked == []


def test_a_second_call_fetches_nothing_and_does_not_ask(run: Run, corpus, server) -> None:
    run(corpus)
    asked = len(server.asked)
    shown = run(corpus, agreed=lambda: pytest.fail("asked"))
    assert "Complete: 9 files" in shown
    assert len(server.asked) == asked


def test_verify_reads_every_byte_and_names_what_was_changed(run: Run, corpus) -> None:
    run(corpus)
    assert "every byte read" in run(corpus, verify=True)
    path = corpus.root / "public_dataset/3.wav"
    path.write_bytes(path.read_bytes()[::-1])
    run(corpus)  # the size is the same
    with pytest.raises(UserError, match=r"1 files .* not as they were fetched: .*3\.wav"):
        run(corpus, verify=True)
    path.write_bytes(b"cut")
    with pytest.raises(UserError, match=r"not as they were fetched: .*3\.wav"):
        run(corpus)


def test_files_that_were_removed_are_fetched_again(run: Run, corpus, server: Server) -> None:
    run(corpus)
    (corpus.root / "public_dataset/3.wav").unlink()
    shown = run(corpus)
    assert "1 of its files are missing" in shown
    assert tree(corpus.root) == WHOLE
    assert len(server.asked) == 3  # the table is not asked for again


def test_what_fails_is_said_and_the_rest_stays_for_the_next_call(run: Run, corpus, server):
    table = server.files.pop("/table.csv")
    with pytest.raises(UserError, match=r"table.csv: the server answers 404.*browser") as caught:
        run(corpus)
    assert str(corpus.root) in str(caught.value)
    assert tree(corpus.root) == SOUNDS
    assert not (corpus.root / ".raqa/manifest.json").exists()
    server.files["/table.csv"] = table
    assert "in place" in run(corpus)
    assert tree(corpus.root) == WHOLE
    assert [asked for asked in server.asked if asked] == []
    assert len(manifest(corpus)["downloads"]) == 2


def test_all_problems_are_reported_together(run: Run, corpus, server: Server) -> None:
    server.status = (403, {})
    with pytest.raises(UserError) as caught:
        run(corpus)
    assert len(caught.value.problems) == 2
    assert tree(corpus.root) == {}


def test_cut_connections_are_continued_within_one_call(run: Run, corpus, server) -> None:
    server.cuts = [100_000, 100_000, 50_000]
    run(corpus)
    assert tree(corpus.root) == WHOLE


def test_changed_bytes_are_told_by_the_checksum_and_leave_nothing(run, server, tmp_path) -> None:
    right = hashlib.md5(TABLE).hexdigest()
    offered = {
        "page": "p",
        "files": [
            {"file": "table.csv", "urls": [f"{server.url}/table.csv"], "checksum": f"md5:{right}"}
        ],
    }
    corpus = offering(tmp_path / "clinic", offered)
    server.files["/table.csv"] = TABLE.replace(b"30", b"31")
    with pytest.raises(UserError, match=f"not what was published: its md5 is .*, not {right}"):
        run(corpus)
    assert tree(corpus.root) == {}
    server.files["/table.csv"] = TABLE
    assert f"md5:{right} as published" in run(corpus)


def test_a_mixture_of_two_versions_is_fetched_once_more(run, server, tmp_path) -> None:
    content = server.files["/public_dataset.zip"]
    offered = {
        "page": "p",
        "files": [
            {
                "file": "a.zip",
                "urls": [f"{server.url}/public_dataset.zip"],
                "unpack": "zip",
                "checksum": f"sha256:{hashlib.sha256(content).hexdigest()}",
            }
        ],
    }
    corpus = offering(tmp_path / "clinic", offered)
    server.cuts, server.heeds = [100_000] + [0] * 3, False
    with pytest.raises(UserError, match="ended after"):
        run(corpus)
    part = corpus.root / ".raqa/arriving/a.zip.part"
    part.write_bytes(bytes(100_000))  # as a power cut leaves it
    run(corpus)
    assert tree(corpus.root) == SOUNDS


def test_a_mirror_is_used_where_the_first_address_fails(run, server: Server, tmp_path) -> None:
    offered = {
        "page": "p",
        "files": [
            {"file": "table.csv", "urls": [f"{server.url}/gone.csv", f"{server.url}/table.csv"]}
        ],
    }
    corpus = offering(tmp_path / "clinic", offered)
    run(corpus)
    assert manifest(corpus)["downloads"][0]["url"] == f"{server.url}/table.csv"


def test_an_archive_that_is_refused_is_said_and_leaves_nothing(run, corpus, server) -> None:
    evil = zipped({"public_dataset/1.wav": b"x", "../../evil": b"x"})
    offered = {
        "page": "p",
        "files": [{"file": "a.zip", "urls": [f"{server.url}/public_dataset.zip"], "unpack": "zip"}],
    }
    corpus = offering(corpus.root, offered)
    server.files["/public_dataset.zip"] = evil
    with pytest.raises(UserError, match="a.zip is refused.*leads out of the folder"):
        run(corpus)
    assert tree(corpus.root.parent) == {}
    server.files["/public_dataset.zip"] = zipped(SOUNDS)
    run(corpus)
    assert tree(corpus.root) == SOUNDS


def test_archives_in_parts_are_unpacked_together(run, server: Server, tmp_path: Path) -> None:
    days = {
        "20200413": tarred({"20200413/p1/cough.wav": SOUNDS["public_dataset/0.wav"]}),
        "20200414": tarred({"20200414/p2/cough.wav": SOUNDS["public_dataset/1.wav"]}),
    }
    members = {
        f"Data-master/{day}/{day}.tar.gz.a{'abc'[piece]}": content[
            piece * 15_000 : (piece + 1) * 15_000
        ]
        for day, content in days.items()
        for piece in range(3)
    }
    server.files["/master.zip"] = zipped({**members, "Data-master/combined_data.csv": TABLE})
    offered = {
        "page": "p",
        "parts": [{"pattern": "20*/*.tar.gz.*", "into": "Extracted_data"}],
        "files": [
            {"file": "Data.zip", "urls": [f"{server.url}/master.zip"], "unpack": "zip", "strip": 1}
        ],
    }
    corpus = offering(tmp_path / "clinic", offered)
    run(corpus)
    assert (corpus.root / "Extracted_data/20200413/p1/cough.wav").read_bytes() == SOUNDS[
        "public_dataset/0.wav"
    ]
    assert (corpus.root / "combined_data.csv").read_bytes() == TABLE
    for part in corpus.root.glob("20*/*.tar.gz.*"):
        part.unlink()  # nobody needs them any more
    asked = len(server.asked)
    assert "Complete: 9 files" in run(corpus)
    assert len(server.asked) == asked
    (corpus.root / "Extracted_data/20200413/p1/cough.wav").unlink()
    run(corpus)
    assert (corpus.root / "Extracted_data/20200413/p1/cough.wav").is_file()


def test_a_disk_that_is_too_small_is_said_before(run: Run, corpus, monkeypatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(0, 0, 500_000))
    with pytest.raises(UserError, match="GB are needed"):
        run(corpus)
    assert not corpus.root.exists()


def test_a_disk_that_fills_up_is_one_message(run: Run, corpus, monkeypatch) -> None:
    import errno

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("raqa.corpora.prepare.work.unpack_zip", full)
        with pytest.raises(UserError, match="the disk is full. Make room"):
            run(corpus)
    run(corpus)
    assert tree(corpus.root) == WHOLE


def test_a_file_where_the_folder_should_be_is_named(run: Run, corpus) -> None:
    corpus.root.parent.mkdir(parents=True)
    corpus.root.write_text("x")
    with pytest.raises(UserError, match="is a file, and a folder is needed"):
        run(corpus)


def test_what_can_not_be_downloaded_is_asked_for(run: Run, tmp_path: Path) -> None:
    shown = run(Published(tmp_path / "clinic", None))
    assert "ask the clinic" in shown
    assert str(tmp_path / "clinic") in shown
    assert not (tmp_path / "clinic").exists()


def test_what_is_left_to_the_user_is_said_before_and_after(run, server, tmp_path) -> None:
    offered = {
        "page": "p",
        "by_hand": "unpack it with 7-Zip",
        "files": [{"file": "table.csv", "urls": [f"{server.url}/table.csv"]}],
    }
    shown = run(offering(tmp_path / "clinic", offered))
    assert shown.count("unpack it with 7-Zip") == 2
