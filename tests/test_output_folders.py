"""Where nothing can be written, every command that writes says so and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from raqa.main import USER_MISTAKE
from raqa.questions.build import build, parse_request
from tests.conftest import Command
from tests.corpora.miniatures import kauh
from tests.reports.conftest import run_maker

NOWHERE = Path("/proc/x")
"""A place where Linux makes no folder for anyone; it calls the new folder "not found"."""

WRITING = (
    "qa build demo datamodule.corpus.subjects=12 --out {file}/x",
    "qa sample {questions} --out {file}/x",
    "qa audit {questions} --out {file}/x --decode 0 --recordings 0",
    "qa templates {file}/x",
    "corpora audit kauh paths.data={data} --out {file}/x.csv",
    "prepare coughvid --yes paths.data={file}",
    "train datamodule.corpus.subjects=12 paths.runs={file}/x",
    "train -m seeds=1,2 datamodule.corpus.subjects=12 paths.runs={file}/x",
    "train datamodule.corpus.subjects=12 paths.runs={data}/runs paths.cache={file}/x",
    "embed datamodule.corpus.subjects=12 --export {file}/x.parquet",
    "report {run} --out {file}/x",
    "predict {run} {data}/none.wav --csv {file}/x/y.csv",
    "sweep demo/table3 paths.runs={file}/x",
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "questions"
    build(parse_request(["demo", "datamodule.corpus.subjects=12"]), folder)
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_maker(tmp_path_factory.mktemp("runs"))()


@pytest.mark.parametrize("command", [*WRITING, "qa templates {file}"])
def test_a_folder_below_a_file_is_a_message(
    command: str, collection: Path, run: Path, raqa: Command, tmp_path: Path
) -> None:
    file = tmp_path / "a_file"
    file.touch()
    _check(raqa, command, file, collection, run, tmp_path)


@pytest.mark.skipif(not NOWHERE.parent.is_dir(), reason="this system has no /proc")
@pytest.mark.parametrize("command", WRITING)
def test_a_place_that_takes_no_folder_is_a_message(
    command: str, collection: Path, run: Path, raqa: Command, tmp_path: Path
) -> None:
    _check(raqa, command, NOWHERE, collection, run, tmp_path)


def _check(
    raqa: Command, command: str, file: Path, collection: Path, run: Path, data: Path
) -> None:
    """A command ends with a message that names the place and says what to do."""
    (data / "kauh").mkdir()
    kauh.write(data / "kauh")
    words = command.format(file=file, questions=collection, data=data, run=run).split()
    shown = raqa(*words, status=USER_MISTAKE)
    assert str(file) in shown
    assert "folder" in shown
