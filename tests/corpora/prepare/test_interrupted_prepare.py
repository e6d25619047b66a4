"""Killed at any moment, it goes on; nothing that is not whole is ever called complete."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from raqa.main import STOPPED
from tests.corpora.prepare.conftest import SOUNDS, TABLE, zipped
from tests.web_server import Server

CHECKOUT = Path(__file__).parents[3]

# Ctrl-C is heard also where the tests themselves run in the background and do not hear it.
ONE_CALL = """
import sys, json, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from rich.console import Console
from raqa.corpora.prepare.run import Wishes, prepare_corpus
from tests.corpora.prepare.conftest import PATIENT, offering

offered = json.loads(sys.argv[2])
"""
PLAIN = (
    ONE_CALL
    + """
prepare_corpus(offering(Path(sys.argv[1]), offered), Wishes(patience=PATIENT), Console())
"""
)

TYPED = (
    ONE_CALL
    + """
from pydantic import TypeAdapter
from raqa.cli import main
from raqa.corpora import downloads

made = TypeAdapter(dict[str, downloads.Downloads]).validate_python({"coughvid": offered})
downloads.published_downloads = lambda: made
sys.argv = ["raqa", "prepare", "coughvid", "--yes", f"paths.data={sys.argv[1]}"]
main()
"""
)

# A child that is gone at its n-th operation on the folder, as by kill -9 just before it; then
# another that is left alone.
EVERY_MOMENT = (
    ONE_CALL
    + """
import io, os

def child(root, moment):
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    left = [moment]
    def hook(event, arguments):
        touching = event in {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"} or (
            event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR))
        if touching and str(root) in str(arguments[0]):
            left[0] -= 1
            if left[0] == 0:
                os._exit(9)
    if moment:
        sys.addaudithook(hook)
    silent = Console(file=io.StringIO())
    try:
        prepare_corpus(offering(root, offered), Wishes(patience=PATIENT), silent)
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(1)
    os._exit(0)

def tree(root):
    return {str(path.relative_to(root)): len(path.read_bytes())
            for path in root.rglob("*") if path.is_file() and ".raqa" not in path.parts}

moment, killed = 1, 9
while killed == 9:
    root = Path(sys.argv[1]) / str(moment)
    killed = child(root, moment)
    whole = (root / ".raqa/manifest.json").exists()
    seen = tree(root) if root.exists() else {}
    again = child(root, 0)
    after = tree(root)
    print(json.dumps([moment, killed, whole, seen, again, after]), flush=True)
    moment += int(sys.argv[3])
"""
)


def _start(script: str, root: Path, offered: object, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(root), json.dumps(offered), *more],
        cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def _offered(server: Server) -> dict[str, object]:
    return {"page": "p", "files": [
        {"file": "a.zip", "urls": [f"{server.url}/public_dataset.zip"], "unpack": "zip"},
        {"file": "table.csv", "urls": [f"{server.url}/table.csv"]}]}  # fmt: skip


def test_killed_in_the_middle_of_a_download_it_goes_on_from_there(server, tmp_path) -> None:
    server.block_s = 0.1
    first = _start(PLAIN, tmp_path, _offered(server))
    part = tmp_path / ".raqa/arriving/a.zip.part"
    _arrived(first, part)
    first.kill()
    first.communicate()
    assert part.exists()
    assert not (tmp_path / "public_dataset").exists()
    server.block_s = 0.0
    second = _start(PLAIN, tmp_path, _offered(server))
    shown = second.communicate()[0]
    assert second.returncode == 0, shown
    assert "of it fetched already" in shown
    assert any(asked and int(asked[6:-1]) >= 60_000 for asked in server.asked)
    for name, content in SOUNDS.items():
        assert (tmp_path / name).read_bytes() == content


def _arrived(process: subprocess.Popen[str], part: Path) -> None:
    """Wait until a part of a download is there."""
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size > 60_000):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.005)


def test_ctrl_c_stops_at_once_and_says_how_to_go_on(server: Server, tmp_path: Path) -> None:
    server.block_s = 1.0  # so that it is under way whenever the signal comes
    process = _start(TYPED, tmp_path, _offered(server))
    _arrived(process, tmp_path / "coughvid/.raqa/arriving/a.zip.part")
    process.send_signal(signal.SIGINT)
    shown = process.communicate()[0]
    assert process.returncode == STOPPED, shown
    assert "The same command goes on from there" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.slow)])  # 10 s, all 70
def test_killed_before_any_operation_it_goes_on(server: Server, tmp_path, stride: int) -> None:
    small = {"public_dataset/a.wav": b"abc", "public_dataset/x/b.wav": b"de"}
    server.files["/public_dataset.zip"] = zipped(small)
    process = _start(EVERY_MOMENT, tmp_path, _offered(server), str(stride))
    lines = process.communicate()[0].splitlines()
    assert process.returncode == 0, lines[-5:]
    whole = {"table.csv": len(TABLE), "public_dataset/a.wav": 3, "public_dataset/x/b.wav": 2}
    moments = [json.loads(line) for line in lines]
    assert len(moments) > 25 / stride
    for moment, _, manifest, seen, again, after in moments:
        assert (again, after) == (0, whole), moment
        assert seen == whole or not manifest, moment  # the manifest is the last thing
        assert seen.items() <= whole.items(), moment  # and nothing is there in part
    assert moments[-1][1] == 0


def test_two_at_once_do_the_work_once(server: Server, tmp_path: Path) -> None:
    server.block_s = 0.05
    both = [_start(PLAIN, tmp_path, _offered(server)) for _ in range(2)]
    shown = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], shown
    assert len(server.asked) == 2
    assert (tmp_path / "table.csv").read_bytes() == TABLE
