"""Where nothing can be written, every command that writes says so and what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from raqa.cli import main
from raqa.main import USER_MISTAKE
from raqa.questions.build import build, parse_request
from tests.corpora.miniatures import kauh


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "questions"
    build(parse_request(["demo", "datamodule.corpus.subjects=12"]), folder)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "qa build demo datamodule.corpus.subjects=12 --out {file}/x",
        "qa sample {questions} --out {file}/x",
        "qa audit {questions} --out {file}/x --decode 0 --recordings 0",
        "qa templates {file}/x",
        "qa templates {file}",
        "corpora audit kauh paths.data={data} --out {file}/x.csv",
        "prepare coughvid --yes paths.data={file}",
    ],
)
def test_a_folder_below_a_file_is_a_message(
    command: str,
    collection: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "a_file"
    file.touch()
    (tmp_path / "kauh").mkdir()
    kauh.write(tmp_path / "kauh")
    words = command.format(file=file, questions=collection, data=tmp_path).split()
    monkeypatch.setattr(sys, "argv", ["raqa", *words])
    monkeypatch.setenv("COLUMNS", "300")
    with pytest.raises(SystemExit) as stopped:
        main()
    shown = capsys.readouterr().err
    assert stopped.value.code == USER_MISTAKE, shown
    assert str(file) in shown
    assert "folder" in shown
