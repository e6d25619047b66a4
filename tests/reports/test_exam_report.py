"""How a run that sat an exam is shown: parts, coverage, chains, fluent errors."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from raqa.errors import UserError
from raqa.reports.compare_runs import compare
from raqa.reports.console import print_run
from raqa.reports.exam_report import part_columns
from raqa.reports.headline import kind_of
from raqa.reports.report import write_report
from raqa.reports.results import load_results
from raqa.reports.run_folder import read_run, rescore
from reports.exam_runs import MakeExam, carecos, exam_maker, medmosaic


@pytest.fixture
def make_exam(tmp_path: Path) -> MakeExam:
    return exam_maker(tmp_path / "runs")


def _shown(run: object, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_run(run, console)  # type: ignore[arg-type]
    return " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]


def test_the_stored_scores_are_those_of_the_stored_answers_and_verdicts(
    make_exam: MakeExam,
) -> None:
    run = make_exam(unscored=0.1).run
    assert rescore(run) == read_run(run.path).scores == run.exam


def test_the_terminal_shows_every_part_with_chance_and_what_was_lost(make_exam: MakeExam) -> None:
    text = _shown(make_exam(refused=0.1, unscored=0.1).run)
    for word in ("mcq_speech", "voice_qa", "easy", "synthetic", "chance", "1–3", "refused",
                 "unscored", "turn 1", "later turns, first wrong"):  # fmt: skip
        assert word in text
    assert "unreadable" not in text  # nothing was
    assert "the judge timed out" in text
    assert "Above the chance level by" in text


@pytest.mark.parametrize(("expected", "said"), [(1, "7"), (5, "7 of 50")])
def test_lost_answers_of_several_seeds_stand_beside_how_many_they_are_of(
    make_exam: MakeExam, expected: int, said: str
) -> None:
    run = make_exam(unscored=0.1).run
    assert run is not None
    counts = replace(run.exam.all.counts, questions=10, expected=10 * expected, unscored=7)
    whole, *others = run.exam.parts
    scores = replace(run.exam, parts=(replace(whole, counts=counts), *others))
    cells = dict(part_columns(scores))
    assert cells["unscored"](scores.all) == said


def test_nobody_is_above_chance_by_guessing(make_exam: MakeExam) -> None:
    assert "Can not be told from the chance level" in _shown(make_exam(skill=0.1, seed=3).run)


def test_the_terminal_fits_into_eighty_columns(make_exam: MakeExam) -> None:
    console = Console(file=io.StringIO(), width=80)
    print_run(make_exam(refused=0.1, unscored=0.1).run, console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert not [line for line in lines if "…" in line]


def test_a_page_shows_fluent_errors_and_is_not_steered_by_them(
    make_exam: MakeExam, tmp_path: Path
) -> None:
    hostile = "<script>alert(1)</script> There is a crackle in the second half.\x1b[31m | `x`"
    run = make_exam(exam=carecos(30), words=hostile).run
    write_report([run], tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Worded like the reference, judged wrong" in page
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\\<script\\>" in text
    assert "\x1b" not in page + text
    assert "no model was chosen" in page


def test_parts_of_one_name_only_are_not_repeated(make_exam: MakeExam) -> None:
    (parts, *_) = kind_of(run := make_exam(exam=carecos(30, ("circor",))).run).details(run)
    assert [row[1] for row in parts.rows] == ["all", "explicit", "inferred"]


def test_what_is_sorted_and_followed_has_every_part(make_exam: MakeExam, tmp_path: Path) -> None:
    run = make_exam(unscored=0.1).run
    summary = kind_of(run).summary(run)
    assert summary["accuracy_mcq_speech"] == pytest.approx(
        run.exam.part("question_type", "mcq_speech").accuracy.mean.value
    )
    assert math.isnan(summary["bertscore"])
    assert summary["unscored"] > 0
    row = load_results(tmp_path / "runs").row(0, named=True)
    assert row["kind"] == "exam"
    assert row["accuracy_mean"] == pytest.approx(run.exam.all.accuracy.mean.value)
    assert row["answers_unscored"] == run.exam.all.counts.unscored
    assert row["bertscore_mean"] is None
    assert row["against_chance"] == "above"


def test_a_picture_has_a_row_for_each_part(make_exam: MakeExam) -> None:
    run = make_exam().run
    (axes,) = kind_of(run).figure(run).axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0].startswith("all (420")
    assert any(label.startswith("voice_qa (60") for label in labels)


def _compared(first: Path, second: Path) -> str:
    console = Console(file=io.StringIO(), width=200)
    compare(first, second, console)
    return " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]


def test_two_runs_are_compared_question_by_question(make_exam: MakeExam) -> None:
    heard, deaf = make_exam(skill=0.8), make_exam("zero_shot_model_none", skill=0.3)
    text = _compared(heard.run.path, deaf.run.path)
    assert "A is better than B." in text
    assert "mcq_speech 60" in text
    again = make_exam("zero_shot_other_audio", skill=0.8, seed=1)
    assert "They can not be told apart." in _compared(heard.run.path, again.run.path)


def test_what_one_has_no_score_for_counts_for_neither(make_exam: MakeExam) -> None:
    one, other = make_exam(skill=1.0), make_exam("zero_shot_other_audio", skill=1.0, unscored=0.3)
    text = _compared(one.run.path, other.run.path)
    lost = other.run.exam.all.counts.unscored
    assert f"{lost} questions have no score of A or of B; they count for neither." in text
    assert "1.000 1.000 0.000" in text


def test_runs_of_different_questions_are_not_compared(make_exam: MakeExam) -> None:
    one, other = make_exam(), make_exam("zero_shot_other_audio", exam=medmosaic(59))
    with pytest.raises(UserError, match="413 of both, 7 of A alone, 0 of B alone"):
        _compared(one.run.path, other.run.path)
