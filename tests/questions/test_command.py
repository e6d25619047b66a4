"""`raqa qa ...` as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from raqa.main import USER_MISTAKE
from raqa.questions.collection import scan

Command = Callable[..., str]
SMALL = ("demo", "datamodule.corpus.subjects=12")


@pytest.fixture
def qa(raqa: Command) -> Command:
    """Run `raqa qa ...`; what it printed, on one line."""
    return partial(raqa, "qa")


@pytest.fixture
def folder(qa: Command, tmp_path: Path) -> Path:
    qa("build", *SMALL, "--out", str(tmp_path / "q"))
    return tmp_path / "q"


def test_what_was_made_and_what_was_not_is_counted(qa: Command, tmp_path: Path) -> None:
    shown = qa("build", *SMALL, "--out", str(tmp_path / "q"))
    questions = scan(tmp_path / "q").collect()
    assert f"{questions.height:,} questions" in shown
    lost = pl.read_csv(tmp_path / "q" / "dropped.csv")["rows"].sum()
    assert f"its surplus {lost:,}" in shown
    assert "raqa qa show --in" in shown


def test_a_question_is_shown_by_the_beginning_of_its_id(qa: Command, folder: Path) -> None:
    row = scan(folder).collect().row(0, named=True)
    shown = qa("show", row["qa_id"][:12], "--in", str(folder))
    for name in ("question", "answer", "recording_id", "template_id", "qa_id"):
        assert row[name] in shown
    assert "No question" in qa("show", "xyz", "--in", str(folder), status=USER_MISTAKE)
    assert "More than one" in qa("show", "", "--in", str(folder), status=USER_MISTAKE)


def test_examples_are_shown_with_ids_that_can_be_asked_for(qa: Command, folder: Path) -> None:
    shown = qa("show", "--in", str(folder))
    assert any(qa_id in shown for qa_id in scan(folder).collect()["qa_id"])
    assert "sex/open_ended" in qa("show", "--in", str(folder), "--attribute", "sex")
    said = qa("show", "--in", str(folder), "--attribute", "sexx", status=USER_MISTAKE)
    assert "Did you mean sex?" in said


def test_mistakes_are_said_together(qa: Command, tmp_path: Path) -> None:
    shown = qa("build", "demmo", "wordings=0", "balance=perhaps", "sead=1", "--out",
               str(tmp_path / "q"), status=USER_MISTAKE)  # fmt: skip
    for said in ("Did you mean demo", "wordings=0: expected", "balance=perhaps: expected",
                 "Did you mean seed"):  # fmt: skip
        assert said in shown
    assert not (tmp_path / "q").exists()


def test_a_setting_that_one_corpus_lacks_can_be_given_to_the_other_alone(
    qa: Command, tmp_path: Path
) -> None:
    out = ("--out", str(tmp_path / "q"))
    both = ("demo", "demo_clinic")
    shown = qa("build", *both, "datamodule.corpus.subject=9", *out, status=USER_MISTAKE)
    assert "write demo.corpus.SETTING=VALUE" in shown
    qa("build", *both, "demo.corpus.subjects=10", "demo_clinic.corpus.subjects=11", *out)
    questions = scan(tmp_path / "q").collect()
    subjects = questions.group_by("corpus").agg(pl.col("subject_id").n_unique())
    assert dict(subjects.iter_rows()) == {"demo": 10, "demo_clinic": 11}


def test_without_a_corpus_those_that_are_there_are_taken(
    qa: Command, tmp_path: Path, test_data: Path
) -> None:
    out = ("--out", str(tmp_path / "q"))
    nowhere = qa("build", f"paths.data={tmp_path}", *out, status=USER_MISTAKE)
    assert "raqa corpora list" in nowhere
    (tmp_path / "resp_tr").symlink_to(test_data / "resp_tr")
    qa("build", f"paths.data={tmp_path}", *out)
    assert scan(tmp_path / "q").collect()["corpus"].unique().to_list() == ["resp_tr"]


def test_edited_templates_change_what_is_asked(qa: Command, tmp_path: Path) -> None:
    qa("templates", str(tmp_path / "mine"))
    profile = tmp_path / "mine" / "profile.yaml"
    asked = "Which sex does the person in this recording have?"
    assert asked in profile.read_text()
    profile.write_text(profile.read_text().replace(asked, "What is the sex, please?"))
    qa("build", *SMALL, f"templates={tmp_path / 'mine'}", "wordings=all", "--out",
       str(tmp_path / "q"))  # fmt: skip
    questions = scan(tmp_path / "q").collect()["question"].to_list()
    assert "What is the sex, please?" in questions
    assert asked not in questions


def test_json_records_are_written_on_request(qa: Command, tmp_path: Path) -> None:
    qa("build", *SMALL, "--format", "raqa-json", "--out", str(tmp_path / "q"))
    (path,) = (tmp_path / "q").rglob("sex.json")
    assert json.loads(path.read_text())[0]["audio_filename_list"][0].endswith(".wav")


def test_a_published_folder_is_imported_and_its_faults_are_said(
    qa: Command, test_data: Path, tmp_path: Path
) -> None:
    shown = qa("import", str(test_data / "raqa_preview"), "--corpus", "coswara", "--out",
               str(tmp_path / "q"))  # fmt: skip
    assert "3,105 questions" in shown
    assert "AppleDouble" in shown
    assert (tmp_path / "q" / "split.csv").is_file()


@pytest.mark.parametrize("setting", ["head=linear", "task=age", "trainer.max_epochs=2"])
def test_a_setting_of_training_that_questions_do_not_depend_on_is_refused(
    setting: str, qa: Command, tmp_path: Path
) -> None:
    shown = qa("build", *SMALL, setting, "--out", str(tmp_path / "q"), status=USER_MISTAKE)
    assert "would change nothing" in shown
    assert "datamodule, split, paths" in shown
