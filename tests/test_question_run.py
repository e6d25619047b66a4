"""Runs that answer questions, from the command to the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from raqa.main import USER_MISTAKE, main
from raqa.metrics.answers import AnswerScores, headline_of
from raqa.reports.compare_runs import compare
from raqa.reports.report import report
from raqa.reports.results import load_results
from raqa.reports.run_folder import read_run, rescore
from raqa.reports.run_tables import Run
from raqa.tables import ANSWERS

DEMO = "datamodule.corpus.subjects=40"
SMALL = ("trainer.max_epochs=2", "seeds=2")
Train = Callable[..., Run]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def train(runs: Path, tiny_bert: Path, capsys: pytest.CaptureFixture[str]) -> Train:
    """Train on the questions of a small demo; what is finished is only shown."""

    def call(head: str, *overrides: str) -> Run:
        text = [f"head.text_encoder.model={tiny_bert}"] if head in {"fusion", "text_only"} else []
        demo = [] if "datamodule=questions" in overrides else [DEMO]
        main([*SMALL, *demo, "task=qa", f"head={head}", f"paths.runs={runs}", *text, *overrides])
        shown = capsys.readouterr().out.replace("\n", "")
        (found,) = [p for p in runs.iterdir() if p.name != "splits" and p.name in shown]
        return read_run(found)

    return call


@pytest.mark.parametrize(
    "head",
    ["svm", *(pytest.param(head, marks=pytest.mark.slow)
              for head in ("majority", "random", "question_prior", "text_only"))],
)  # fmt: skip
def test_every_head_answers_every_test_question_with_every_seed(head: str, train: Train) -> None:
    run = train(head)
    assert isinstance(run.scores, AnswerScores)
    assert run.answered is not None
    test = run.answered.questions.filter(pl.col("split") == "test")
    assert run.predictions.columns == list(ANSWERS)
    assert run.predictions.height == 2 * test.height
    counts = run.scores.answers.all.counts
    assert (counts.expected, counts.unscored, counts.unreadable) == (2 * test.height, 0, 0)
    assert rescore(run) == run.scores


def test_a_run_keeps_what_its_numbers_come_from_and_only_what_was_trained(train: Train) -> None:
    run = train("fusion")
    files = {
        path.relative_to(run.path).as_posix() for path in run.path.rglob("*") if path.is_file()
    }
    assert files == {
        "config.yaml", "provenance.json", "fold.parquet", "predictions.parquet",
        "questions.parquet", "prior.parquet", "set_aside.csv", "steps.csv", "history.csv",
        "head/head.safetensors", "metrics.json",
    }  # fmt: skip


def test_questions_of_a_recording_are_on_its_side(train: Train) -> None:
    run = train("majority")
    assert run.answered is not None
    sides = run.fold.select("recording_id", pl.col("side"))
    joined = run.answered.questions.join(sides, on="recording_id")
    assert joined.height == run.answered.questions.height
    assert (joined["split"] == joined["side"]).all()


def test_the_prior_is_measured_against_itself(train: Train) -> None:
    scores = train("question_prior").answering
    assert scores.difference.value == 0
    assert headline_of(scores.answers).mean == headline_of(scores.prior).mean


def test_rendered_answers_are_sentences_and_the_result_says_so(train: Train) -> None:
    run = train("majority")
    assert all(str(said).endswith(".") for said in run.predictions["response"])
    assert any("made from labels" in remark for remark in run.scores.remarks)


def test_results_compare_and_reports_know_runs_of_questions(
    train: Train, runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = train("fusion"), train("text_only")
    table = load_results(runs).filter(pl.col("kind") == "questions")
    row = table.filter(pl.col("head") == "fusion")
    assert row["macro_f1_mean"][0] == first.answering.answers.all.labels.macro_f1.mean.value
    assert row["answers_unscored"][0] == 0
    report([runs], tmp_path / "report")
    (file,) = (tmp_path / "report").glob("*.html")
    page = file.read_text(encoding="utf-8")
    assert "macro-F1" in page
    assert "question prior" in page
    capsys.readouterr()
    compare(first.path, second.path, Console(width=120))
    said = capsys.readouterr().out
    assert "macro-F1" in said
    assert "relative MAE" in said


def test_a_label_can_be_asked_for_in_words(train: Train) -> None:
    age = train("fusion", "task=age")
    assert age.regression.mae.mean.defined
    assert age.predictions.height == 2 * age.scores.recordings["test"]
    sex = train("svm", "task=sex")
    assert sex.classification.macro_f1.mean.defined
    assert sex.predictions["probabilities"].list.sum().to_list() == pytest.approx(
        [1.0] * sex.predictions.height
    )


def test_a_label_asked_for_in_another_corpus_has_a_gap_to_that_corpuss_own_model(
    train: Train,
) -> None:
    run = train(
        "svm", "task=age", "regime=cross", "datamodule=demo_crowd_a",
        "datamodule@regime.target=demo_clinic",
    )  # fmt: skip
    assert run.own is not None
    assert run.transfer is not None
    assert run.transfer.gap.mean.defined
    assert run.own.predictions["prediction"].n_unique() > 1
    assert run.predictions["prediction"].n_unique() > 1  # it does not fall back to a guess


def test_a_collection_is_a_corpus_of_its_own(tmp_path: Path, train: Train) -> None:
    from raqa.questions.build import build, parse_request

    given = ["demo", f"paths.cache={tmp_path}", DEMO]
    build(parse_request(given), tmp_path / "qa", audio=True)
    run = train(
        "majority", "datamodule=questions", f"datamodule.corpus.folder={tmp_path / 'qa'}",
    )  # fmt: skip
    assert run.provenance.corpus == "questions"
    assert set(run.fold["corpus"]) == {"demo"}
    assert run.provenance.synthetic  # as the corpus that it was built from


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (("head=linear",), "does no questions"),
        (("head=fusion", "head.text_encoder.model=/nowhere"), "head.text_encoder.model=/nowhere"),
        (("head=majority", "task.templates=/nowhere"), "/nowhere"),
        (("head=majority", "task=age"), "does no regression"),
        (("head=majority", "task.collection=/nowhere"), "raqa qa build"),
        (("head=majority", "datamodule=questions"), "datamodule.corpus.folder=DIR"),
    ],
)  # fmt: skip
def test_what_can_not_work_is_said_before_any_work(
    overrides: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*SMALL, "task=qa", f"paths.runs={tmp_path}", *overrides])
    assert stop.value.code == USER_MISTAKE
    assert message in capsys.readouterr().err.replace("\n", " ").replace("  ", " ")
