"""`raqa qa sample` and `raqa qa audit`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raqa.main import USER_MISTAKE
from tests.conftest import Command

from .published import write_published


@pytest.fixture
def demo(raqa: Command, tmp_path: Path) -> Path:
    raqa("qa", "build", "demo", "datamodule.corpus.subjects=24", "--out", str(tmp_path / "all"))
    return tmp_path / "all"


def test_a_demo_is_sampled_and_audited(raqa: Command, demo: Path, tmp_path: Path) -> None:
    shown = raqa("qa", "sample", str(demo), "--out", str(tmp_path / "some"), "--train", "40")
    assert "of 40 wanted" in shown
    assert "test at natural prevalence" in shown
    shown = raqa("qa", "audit", str(demo), "--out", str(tmp_path / "audit"), "--recordings", "2",
                 columns=80)  # fmt: skip
    assert "Answered without listening" in shown
    assert "no subject and no recording in two splits" in " ".join(shown.split())
    assert max(len(line) for line in shown.splitlines() if "index.html" not in line) <= 80
    page = (tmp_path / "audit" / "index.html").read_text(encoding="utf-8")
    assert "2 recordings can be heard" in page
    sections = json.loads((tmp_path / "audit" / "audit.json").read_text())["sections"]
    assert [one["fault"] for one in sections if one["title"] == "Leakage"] == [False]


def test_the_published_preview_is_flagged(raqa: Command, test_data: Path, tmp_path: Path) -> None:
    shown = raqa("qa", "audit", str(test_data / "raqa_preview"), f"paths.data={test_data}", "--out",
                 str(tmp_path / "audit"), "--decode", "0", "--recordings", "1",
                 "--rows", "9")  # fmt: skip
    assert "a constant scores 100 %: asthma, breathing_difficulties" in shown
    assert "6 of 6 known faults" in shown
    assert "note: no recording was decoded (--decode 0)" in shown


def test_a_published_folder_without_recordings_says_what_is_not_known(
    raqa: Command, tmp_path: Path
) -> None:
    folder = write_published(tmp_path / "preview")
    shown = raqa("qa", "audit", str(folder), f"paths.data={tmp_path}", "--out",
                 str(tmp_path / "audit"))  # fmt: skip
    assert "not known: no recordings at hand" in shown
    assert "recordings of coswara are not at hand" in shown


def test_what_holds_no_questions_says_what_was_expected(raqa: Command, tmp_path: Path) -> None:
    shown = raqa("qa", "audit", str(tmp_path), status=USER_MISTAKE)
    assert "expected collection.json" in shown
    raqa("qa", "sample", str(tmp_path), "--out", str(tmp_path / "x"), status=USER_MISTAKE)
