"""The no-audio baseline: found, compared in pairs, and asked for where it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from raqa.metrics.answers import error_difference
from raqa.metrics.questions import compare_answers
from raqa.reports.asked.silent import pair_runs, silent_run, silent_text
from raqa.reports.compare_runs import compare
from raqa.reports.console import print_run
from raqa.reports.recipes.cells import RecipeFacts
from raqa.reports.recipes.write import make_recipe_report
from raqa.reports.report import report
from raqa.reports.run_tables import Run
from reports.exam_runs import exam_maker
from reports.question_runs import MakeAnswers, answers_maker

NOT_RUN = "No-audio baseline: not run; add head.hearing.given=none to the same command."


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> MakeAnswers:
    return answers_maker(tmp_path_factory.mktemp("runs"))


def _run(make: MakeAnswers, skill: float, given: str | None, **facts: object) -> Run:
    head = f"zero_shot_model_{given}" if given else "fusion"
    run = make(head, skill=skill, given=given, encoder="none", seeds=(0,), **facts).run
    assert run is not None
    return run


@pytest.fixture(scope="module")
def heard(make: MakeAnswers) -> Run:
    return _run(make, 0.9, "audio", responder="listener")


@pytest.fixture(scope="module")
def silent(make: MakeAnswers) -> Run:
    return _run(make, 0.1, "none", responder="listener")


def test_it_lies_beside_the_run_and_the_difference_is_paired(heard: Run, silent: Run) -> None:
    found = silent_run(heard)
    assert found is not None
    assert found.path == silent.path
    paired = pair_runs(heard, found)
    assert heard.answered is not None
    train, test = (heard.answered.questions.filter(split=side) for side in ("train", "test"))
    expected = compare_answers(train, test, heard.predictions, silent.predictions)
    assert (paired.difference, paired.interval) == error_difference(expected)
    assert paired.difference.value < 0
    assert paired.left_out == 0
    text = silent_text(heard)
    assert text is not None
    assert text.startswith("Above the no-audio baseline by 0.")


def test_of_another_responder_or_other_questions_it_is_not(make: MakeAnswers, silent: Run) -> None:
    stranger = _run(make, 0.9, "audio", responder="stranger")
    fewer = _run(make, 0.9, "audio", responder="listener", subjects=40)
    assert silent_run(stranger) is None
    assert silent_run(fewer) is None
    assert silent_text(stranger) == silent_text(stranger, [silent]) == NOT_RUN


def test_the_baseline_itself_those_who_never_listen_and_trained_heads(
    make: MakeAnswers, silent: Run
) -> None:
    assert silent_text(silent) == (
        "No-audio baseline: this is it. Nothing of the recordings was given."
    )
    deaf = _run(make, 0.2, "audio", responder="constant")
    assert silent_text(deaf) == (
        "No-audio baseline: this responder never listens, so it is its own."
    )
    assert silent_text(_run(make, 0.2, None)) is None


def test_a_local_model_whose_class_decides_what_it_is_given_is_asked_for_it(
    make: MakeAnswers,
) -> None:
    assert silent_text(_run(make, 0.2, "audio", responder="local")) == NOT_RUN


def test_questions_that_one_of_both_did_not_answer_are_left_out_and_counted(
    make: MakeAnswers, silent: Run
) -> None:
    broken = _run(make, 0.9, "both", responder="listener", unanswered=3)
    assert not broken.answering.answers.complete
    paired = pair_runs(broken, silent)
    assert paired.left_out == 3
    assert paired.difference.defined
    text = silent_text(broken)
    assert text is not None
    assert text.endswith(" 3 questions that one of both did not answer left out.")


def test_where_nothing_is_answered_by_both_the_difference_is_undefined(
    make: MakeAnswers, silent: Run
) -> None:
    mute = _run(make, 0.9, "spectrogram", responder="listener", unanswered=10_000, subjects=80)
    text = silent_text(mute)
    assert text is not None
    assert text.startswith("Can not be told from the no-audio baseline: no question was answered")


def test_every_report_says_it(
    heard: Run, silent: Run, make: MakeAnswers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger = _run(make, 0.9, "audio", responder="stranger")
    for run, said in ((heard, "Above the no-audio baseline by"), (stranger, NOT_RUN)):
        print_run(run, Console(width=300))
        assert said in capsys.readouterr().out
        report([run.path], tmp_path / run.path.name)
        for name in ("report.md", "report.html"):
            assert said in (tmp_path / run.path.name / name).read_text(encoding="utf-8")
    compare(heard.path, stranger.path, Console(width=300))
    shown = capsys.readouterr().out
    assert "A: Above the no-audio baseline by" in shown
    assert f"B: {NOT_RUN}" in shown


def test_of_exams_too_in_every_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make = exam_maker(tmp_path / "runs")
    cells = [
        make(f"zero_shot_listener_{given}", skill=skill, given=given)
        for given, skill in (("audio", 0.9), ("none", 0.2))
    ]
    heard, silent = (cell.run for cell in cells)
    said = "Above the no-audio baseline by 0."
    print_run(heard, Console(width=300))
    assert said in capsys.readouterr().out
    compare(heard.path, silent.path, Console(width=300))
    shown = capsys.readouterr().out
    assert f"A: {said}" in shown
    assert "B: No-audio baseline: this is it." in shown
    report([heard.path], tmp_path / "report")
    assert said in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    made = make_recipe_report(RecipeFacts("mine", "An exam", "exam"), cells)
    assert any(said in text for text in made.summary)
    assert {"inputs_1", "input_pairs_1"} <= {table.name for table in made.tables}
