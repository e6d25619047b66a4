"""`raqa ask`: a trained run answers about recordings of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile
from tone_runs import RATE, TONES, Tones, write_tones

from raqa.main import USER_MISTAKE

Command = Callable[..., str]


@pytest.fixture(scope="module")
def tones(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Path) -> Tones:
    return write_tones(tmp_path_factory.mktemp("tones"), tiny_bert, heard=True, subjects=120)


@pytest.fixture(scope="module")
def fusion(tones: Tones) -> Path:
    return tones.run("fusion", "trainer.max_epochs=30", seeds=2).path


@pytest.fixture
def ask(raqa: Command, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: object, status: int = 0, command: str = "ask") -> str:
        capsys.readouterr()  # what training printed
        return raqa(command, *map(str, arguments), status=status)

    return call


@pytest.fixture
def wheeze(tmp_path: Path) -> Path:
    """A recording with the tone that stands for a wheeze and without the other."""
    sound = 0.2 * np.sin(2 * np.pi * TONES["wheeze"] * np.arange(RATE) / RATE)
    sound += np.random.default_rng(3).normal(0, 0.02, RATE)
    soundfile.write(tmp_path / "own.wav", sound, RATE)
    return tmp_path / "own.wav"


def test_the_recording_is_heard_and_the_question_says_what_about(
    ask: Command, fusion: Path, wheeze: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answers.csv"
    shown = ask(fusion, wheeze, "What is the WHEEZE", "--csv", out)
    assert "taken as expert_wheezing (open ended), the same words: what is the wheeze ?" in shown
    assert "answered as a recording of manifest, the only one with this question" in shown
    assert "the wheeze is there probability" in shown
    assert "the answer of 2 of 2 seeds or: the wheeze is absent" in shown
    assert "for research; the run's test macro-F1 was" in shown
    assert "Not for diagnosis." in shown
    table = pl.read_csv(out)
    assert table["rank"].to_list() == [1, 2]
    assert table["label"].to_list() == ["yes", "no"]
    assert table["probability"].sum() == pytest.approx(1)
    assert set(table["question"]) == {"what is the wheeze ?"}
    assert "the pitch is absent probability" in ask(fusion, wheeze, "what is the pitch ?")


def test_the_runs_own_test_recordings_are_answered_as_they_were(tones: Tones, fusion: Path) -> None:
    from raqa.ask import ask_files
    from raqa.reports.run_folder import read_run

    run = read_run(fusion)
    assert run.answered is not None
    asked = run.answered.questions.filter(pl.col("question") == "what is the pitch ?")
    said = run.predictions.join(asked.select("qa_id", "recording_id"), on="qa_id")
    names = said["recording_id"].unique().sort().to_list()
    files = [tones.folder / name for name in names]
    replies = ask_files(fusion, files, "what is the pitch ?", tones.folder / "cache")
    own = said.filter(pl.col("seed") == 0).sort("recording_id")
    same = said.group_by("recording_id").agg(pl.col("label").n_unique() == 1).sort("recording_id")
    best = replies.possible.filter(pl.col("rank") == 1).sort("file")
    assert best.filter(same["label"])["label"].equals(own.filter(same["label"])["label"])


def test_files_that_can_not_be_used_are_named(ask: Command, fusion: Path, wheeze: Path,
                                              tmp_path: Path) -> None:  # fmt: skip
    silent, out = tmp_path / "silent.wav", tmp_path / "answers.csv"
    soundfile.write(silent, np.zeros(RATE), RATE)
    shown = ask(fusion, silent, tmp_path / "none.wav", "what is the wheeze ?", "--csv", out)
    assert f"no answer: {silent}: every sample is zero" in shown
    assert "none.wav: there is no audio file" in shown
    assert pl.read_csv(out)["reason"].null_count() == 0
    assert wheeze.is_file()


def test_a_question_that_is_not_there_is_asked_for(
    ask: Command, fusion: Path, wheeze: Path
) -> None:
    assert "then a question in quotes" in ask(fusion, wheeze, wheeze, status=USER_MISTAKE)
    shown = ask(fusion, wheeze, "what is the pitch ?", "--corpus", "kauh", status=USER_MISTAKE)
    assert "Choices: manifest" in shown


def test_a_run_of_another_kind_is_asked_by_another_command(
    ask: Command, tones: Tones, fusion: Path, wheeze: Path
) -> None:
    age = tones.run("ridge", "task=age").path
    shown = ask(age, wheeze, "How old is this person?", status=USER_MISTAKE)
    assert f"raqa predict {age}" in shown
    shown = ask(fusion, wheeze, command="predict", status=USER_MISTAKE)
    assert f"raqa ask {fusion}" in shown


def test_a_head_without_words_refuses_others_and_one_without_ears_says_so(
    ask: Command, tones: Tones, wheeze: Path
) -> None:
    svm = tones.run("svm").path
    assert "the wheeze is there" in ask(svm, wheeze, "what is the wheeze ?")
    shown = ask(svm, wheeze, "Is there a wheeze?", status=USER_MISTAKE)
    assert "The nearest are 'what is the wheeze ?'" in shown
    prior = tones.run("question_prior").path
    assert "does not listen" in ask(prior, wheeze, "what is the wheeze ?")


def test_a_label_that_was_asked_for_in_words_can_be_asked_for_again(
    ask: Command, tones: Tones, wheeze: Path
) -> None:
    age = tones.run("svm", "task=age").path
    shown = ask(age, wheeze, "How old is the person in this recording?")
    assert "taken as age (open ended)" in shown
    assert " year" in shown


@pytest.mark.slow  # a language model is trained
def test_a_language_model_is_asked_in_the_users_own_words(
    ask: Command, tones: Tones, wheeze: Path, tmp_path: Path
) -> None:
    run, out = tones.run("soft_prefix").path, tmp_path / "answers.csv"
    shown = ask(run, wheeze, "is the wheeze there ?", "--csv", out)
    assert "asked as it stands; no training question has these words" in shown
    assert pl.read_csv(out)["question"].to_list() == ["is the wheeze there ?"]
    assert "the wheeze is there probability" in ask(run, wheeze, "what is the wheeze ?")
