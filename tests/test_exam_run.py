"""An exam from the command to the run folder: asked, judged, scored, and nothing learnt."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from raqa.ask import ask_files
from raqa.configuration.overrides import compose_choices
from raqa.errors import UserError
from raqa.exams.read import read_exam
from raqa.main import main
from raqa.reports.run_folder import read_run, rescore
from raqa.reports.run_tables import Run
from raqa.run import run
from raqa.tables import EXAM_FORMS
from tests.exams.made_exams import chain, choice, inferred, labelled, write_lines

SIT = ("task=exam", "head=zero_shot", "seeds=1")


def _sit(tmp_path: Path, *settings: str) -> Run:
    config, choices = compose_choices([*SIT, f"paths.runs={tmp_path / 'runs'}", *settings], ())
    return run(config, choices, Console(file=io.StringIO()))


def _file(tmp_path: Path, *rows: dict[str, object]) -> list[str]:
    import numpy as np
    import soundfile

    for row in rows:
        sound = tmp_path / str(row["audio"])
        sound.parent.mkdir(exist_ok=True)
        soundfile.write(sound, np.random.default_rng(0).normal(0, 0.1, 8000), 8000)
    write_lines(tmp_path / "some.jsonl", rows)
    return ["datamodule=exam", f"datamodule.corpus.file={tmp_path / 'some.jsonl'}",
            f"datamodule.corpus.data={tmp_path}"]  # fmt: skip


def test_the_demo_is_sat_offline_and_every_number_follows_from_its_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*SIT, f"paths.runs={tmp_path}", "datamodule=demo_exam", "responder=random"])
    shown = " ".join(capsys.readouterr().out.split())
    (folder,) = tmp_path.glob("demo_exam-*")
    sat = read_run(folder)
    assert sat.path.name.startswith("demo_exam-exam-zero_shot_random_audio-within-")
    assert sat.examined is not None
    assert rescore(sat) == sat.exam
    assert read_exam(sat.path / "exam.parquet").questions.equals(sat.examined.questions)
    types = {name for name, kinds in EXAM_FORMS.items() if name != "ra_qa" for name in kinds}
    assert {part.name for part in sat.exam.parts if part.by == "question_type"} == types
    choices = sat.exam.part("benchmark", "medmosaic")
    assert choices is not None
    assert choices.counts.right + choices.counts.wrong == 120
    free = sat.exam.part("benchmark", "carecos")
    assert free is not None
    assert free.accuracy.mean.reason == "no answer has a score"
    assert "rules can not judge this" in free.counts.reasons[0][0]
    assert "Can not be told from the chance level" in shown
    assert sat.provenance.synthetic
    assert set(sat.fold["side"]) == {"test"}


def test_an_exam_of_all_benchmarks_is_read_by_rules_where_rules_can(tmp_path: Path) -> None:
    rows = [choice(), *chain(), labelled(), labelled(
        "q2", question_type="multiple_choice", options=["male", "female"]), inferred()]  # fmt: skip
    sat = _sit(tmp_path, *_file(tmp_path, *rows), "responder=constant", "responder.text=C")
    assert sat.examined is not None
    found = dict(sat.examined.verdicts.select("qa_id", "outcome").iter_rows())
    assert found == {"m1": "right", "c1-1": "right", "c1-2": "right", "c1-3": "right",
                     "q1": "unreadable", "q2": "unreadable", "i1": "unscored"}  # fmt: skip
    assert sat.exam.chains is not None
    assert sat.exam.chains.whole.mean.value == 1.0


def test_questions_about_missing_recordings_stay_unscored_with_the_reason(tmp_path: Path) -> None:
    rows = [choice(), choice("m2", audio="clinic/gone.wav", recording_id="gone")]
    settings = _file(tmp_path, *rows)
    (tmp_path / "clinic" / "gone.wav").unlink()
    sat = _sit(tmp_path, *settings, "responder=constant", "responder.text=C")
    counts = sat.exam.all.counts
    assert (counts.expected, counts.scored) == (2, 1)
    assert counts.reasons == (("there is no file of the recording", 1),)
    assert sat.set_aside["item"].to_list() == ["gone"]
    assert sat.predictions["qa_id"].to_list() == ["m1"]


def test_some_questions_are_asked_and_chains_stay_whole(tmp_path: Path) -> None:
    rows = [choice(difficulty="hard"), choice("m2"), *chain(difficulty="easy"),
            *chain("c2", difficulty="hard", recording_id="r2", audio="clinic/r2.wav")]  # fmt: skip
    rows[2]["difficulty"] = "hard"
    settings = [*_file(tmp_path, *rows), "responder=constant"]
    sat = _sit(tmp_path, *settings, "task.only.difficulty=[hard]")
    asked = ["c1-1", "c1-2", "c1-3", "c2-1", "c2-2", "c2-3", "m1"]
    assert sat.predictions["qa_id"].to_list() == asked
    with pytest.raises(UserError, match="has no 'harder'. Did you mean hard"):
        _sit(tmp_path, *settings, "task.only.difficulty=[harder]")


def test_where_a_file_lies_is_no_part_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    settings = _file(tmp_path / "a", choice())
    first = _sit(tmp_path, *settings, "responder=constant")
    (tmp_path / "a").rename(tmp_path / "b")
    moved = [one.replace(str(tmp_path / "a"), str(tmp_path / "b")) for one in settings]
    assert _sit(tmp_path, *moved, "responder=constant").path == first.path


def test_answers_are_not_in_reach_of_whoever_answers(tmp_path: Path) -> None:
    rows = [choice(answer="ten coughs"), inferred(answer="Only the judge knows.")]
    sat = _sit(tmp_path, *_file(tmp_path, *rows), "responder=echo")
    said = sat.predictions["response"].str.join(" ")[0]
    assert "Only the judge knows" not in said
    facts = json.loads((sat.path / "head" / "responder.json").read_text())
    assert facts["responder"] == {"responder": "echo"}
    assert pl.read_csv(sat.path / "head" / "usage.csv").height == 2


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (["datamodule=demo"], "task=exam asks an exam's questions, and demo is none"),
        (["datamodule=demo_exam", "head=fusion"], "Heads that do: zero_shot"),
        (["datamodule=demo_exam", "regime=low_n"], "an exam is not trained on"),
        (["datamodule=demo_exam", "split=by_subject"], "an exam is asked as a whole"),
        (["datamodule=demo_exam", "task=age"], "its questions are asked with task=exam"),
        (["datamodule=exam"], "give datamodule.corpus.file=FILE"),
    ],
)
def test_what_does_not_go_with_an_exam_is_refused_before_any_work(
    settings: list[str], told: str, tmp_path: Path
) -> None:
    asking = [] if "head=fusion" in settings else ["responder=constant"]
    with pytest.raises(UserError, match=told):
        _sit(tmp_path, *asking, *settings)


def test_a_task_by_itself_says_what_it_needs() -> None:
    from raqa.exams.task import ExamTask

    with pytest.raises(UserError, match="set datamodule=exam"):
        ExamTask().questions()


def test_a_run_that_sat_an_exam_is_asked_nothing_else(tmp_path: Path) -> None:
    sat = _sit(tmp_path, *_file(tmp_path, choice()), "responder=constant")
    with pytest.raises(UserError, match="sat an exam"):
        ask_files(sat.path, [tmp_path / "clinic" / "r1.wav"], "Why?", tmp_path / "cache")
