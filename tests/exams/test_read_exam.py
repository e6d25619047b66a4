"""A file of questions is checked whole: every fault with its line, nothing read that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from raqa.errors import UserError
from raqa.exams.read import read_exam
from raqa.exams.write import write_exam
from raqa.judges.rules import RulesJudge
from raqa.tables import ANSWERS, EXAM
from tests.exams.made_exams import OPTIONS, chain, choice, inferred, labelled, write_lines

SOUND = [choice(), *chain(), inferred(), labelled(),
         inferred("e1", question_type="explicit", start_s=1, end_s=2.5, recording_id=None),
         choice("o1", question_type="oe_speech", options=None, answer="A cough.")]  # fmt: skip


def _problems(file: Path) -> list[str]:
    with pytest.raises(UserError) as refused:
        read_exam(file)
    return list(refused.value.problems[1:])


def test_every_kind_is_read_and_knows_how_it_is_scored(tmp_path: Path) -> None:
    exam = read_exam(write_lines(tmp_path / "e.jsonl", SOUND))
    assert exam.questions.columns == list(EXAM)
    assert exam.questions["form"].to_list() == ["choice"] * 4 + [
        "concept",
        "label",
        "facts",
        "open",
    ]
    assert exam.questions["recording_id"][6] == "kauh/k1.wav#1-2.5"
    assert exam.cautions == ()


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_what_is_written_is_read_back_equal(tmp_path: Path, suffix: str) -> None:
    exam = read_exam(write_lines(tmp_path / "e.jsonl", SOUND)).questions
    again = tmp_path / f"again{suffix}"
    write_exam(exam, again)
    assert_frame_equal(read_exam(again).questions, exam)
    with pytest.raises(UserError, match="is there already"):
        write_exam(exam, again)


def test_published_spellings_are_understood(tmp_path: Path) -> None:
    rows = [choice(question_type="MCQ_Sound_Cough", benchmark="MedMosaic", difficulty="Easy")]
    exam = read_exam(write_lines(tmp_path / "e.jsonl", rows)).questions
    assert exam.select("question_type", "benchmark", "difficulty").row(0) == (
        "mcq_sound_cough", "medmosaic", "easy")  # fmt: skip


FAULTS: list[tuple[dict[str, Any], str]] = [
    (choice(answer=None), "line 1: answer: is missing"),
    (choice(question_type="mcq_sounds_cough"), "question_type: \"mcq_sounds_cough\". Did you mean "
     "mcq_sound_cough"),
    (choice(question_type="explicit", options=None), "is none of medmosaic's"),
    (choice(anwser="x"), "\"anwser\": there is no such field. Did you mean answer?"),
    (choice(options=None), "options: is missing; mcq_sound_cough needs it"),
    (choice(options="three coughs"), "options: is \"three coughs\"; expected a list of texts"),
    (choice(options=["three coughs"]), "options: is 1 option(s); expected at least 2 options"),
    (choice(options=["three coughs", 3]), "options: holds 3; expected text"),
    (choice(options=[*OPTIONS, "Three  Coughs"]), "options: \"three coughs\" stands there more"),
    (choice(options=[*OPTIONS, *(f"o{n}" for n in range(17))]), "are 27; expected at most 26"),
    (choice(answer="thre coughs"), "is none of the options. Did you mean three coughs"),
    (choice(answer="C."), "Give the option's text, not its letter."),
    (choice(qa_id=7), "qa_id: is 7; expected text"),
    (choice(question=" "), "question: is blank"),
    (choice(corpus="a\nb"), "corpus: holds signs that can not be printed"),
    (choice(difficulty=True), "difficulty: is true; expected text"),
    (choice(start_s=-1), "start_s: is -1; expected 0 or more"),
    (choice(start_s=float("nan")), "start_s: is nan; expected a finite number"),
    (choice(start_s=2, end_s=1), "end_s: is 1.0, not after start_s=2.0"),
    (choice(audio="/etc/r1.wav"), "audio: \"/etc/r1.wav\" is absolute"),
    (choice(audio="C:/r1.wav"), "is absolute"),
    (choice(audio="a/../../r1.wav"), "leads out of the folder"),
    (choice(audio="a\\r1.wav"), "write / between folders"),
    (choice(audio="a\x1b[31m.wav"), "holds signs that can not be printed"),
    (choice(turn=1), "turn: has no meaning in mcq_sound_cough"),
    (choice(label="x"), "label: has no meaning in mcq_sound_cough"),
    (inferred(options=OPTIONS), "options: has no meaning in inferred"),
    (labelled(label=None), "label: is missing"),
    (labelled(kind="numeric", label=None), "value: is missing"),
    (labelled(kind="numeric", label=None, value="3"), "value: is \"3\"; expected a number"),
    (labelled(question_type="single_verify"), "asked_label: is missing"),
    (labelled(question_type="single_verify", asked_label="male"),
     "label: is \"male\"; expected \"yes\" or \"no\""),
    (labelled(kind="binary"), "kind: is \"binary\"; sex is categorical"),
    (labelled(attribute="age"), "kind: is \"categorical\"; age is numeric"),
    (labelled(attribute="age", kind="numeric", label=None, value=3, asked_label="3",
     question_type="single_verify"), "question_type: asks for no number"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "told"), FAULTS, ids=[told for _, told in FAULTS])
def test_a_fault_is_told(tmp_path: Path, row: dict[str, Any], told: str) -> None:
    problems = _problems(write_lines(tmp_path / "e.jsonl", [row]))
    assert any(told in one for one in problems), problems
    assert all(one.startswith("line 1: ") for one in problems)


CHAINS: list[tuple[list[dict[str, Any]], str]] = [
    (chain(turns=[1, 3]), "line 1: turn: chain c1 lacks turn 2; chains have 3"),
    (chain(turns=[1]), "lacks turn 2 and 3"),
    (chain(turns=[1, 2, 3, 4]), "turn: is 4; expected 1 to 3: chains have 3 turns"),
    ([*chain(), choice("again", question_type="multi_turn", chain="c1", turn=3)],
     "chain c1 has turn 3 more than once"),
    ([*chain(turns=[1, 2]), choice("other", question_type="multi_turn", chain="c1", turn=3,
      recording_id="r2")], "chain c1 is about different recordings"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "told"), CHAINS, ids=[told for _, told in CHAINS])
def test_a_faulty_chain_is_told(tmp_path: Path, rows: list[dict[str, Any]], told: str) -> None:
    problems = _problems(write_lines(tmp_path / "e.jsonl", rows))
    assert any(told in one for one in problems), problems


def test_a_recording_is_one_place_and_one_subject(tmp_path: Path) -> None:
    rows = [choice(), choice("m2", subject_id="p2"), choice("m3", audio="clinic/other.wav")]
    assert _problems(write_lines(tmp_path / "e.jsonl", rows)) == [
        'line 2: subject_id: is "p2"; recording r1 has "p1" before',
        'line 3: audio: is "clinic/other.wav"; recording r1 has "clinic/r1.wav" before',
    ]


PLACES = {"audio": "/r1.wav", "start_s": -1, "end_s": "late", "subject_id": 5}


@pytest.mark.parametrize("field", PLACES)
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
def test_a_faulty_place_says_nothing_about_other_questions(
    tmp_path: Path, field: str, *, first: bool
) -> None:
    sound = [choice(f"m{n}", start_s=1.0, end_s=2.0) for n in range(2)]
    faulty = choice("bad", **{"start_s": 1.0, "end_s": 2.0, field: PLACES[field]})
    problems = _problems(
        write_lines(tmp_path / "e.jsonl", [faulty, *sound] if first else [*sound, faulty])
    )
    assert len(problems) == 1, problems
    assert problems[0].startswith(f"line {1 if first else 3}: {field}: ")


def test_all_faults_are_told_at_once_and_equal_ones_together(tmp_path: Path) -> None:
    rows = [choice(), choice(), *(choice(f"x{n}", difficulty="hardd") for n in range(8)),
            inferred(answer=None, audio="../k1.wav")]  # fmt: skip
    assert [one.split(". ")[0] for one in _problems(write_lines(tmp_path / "e.jsonl", rows))] == [
        'lines 1, 2: qa_id: "m1" is the name of more than one question',
        'lines 3, 4, 5, 6, 7 and 3 more: difficulty: "hardd"',
        "line 11: answer: is missing",
        'line 11: audio: "../k1.wav" leads out of the folder of the audio (..)',
    ]


def test_very_many_faults_are_cut_short_and_counted(tmp_path: Path) -> None:
    problems = _problems(
        write_lines(tmp_path / "e.jsonl", [choice(f"m{n}", answer=f"no {n}") for n in range(60)])
    )
    assert len(problems) == 41
    assert problems[-1].startswith("and 20 further faults in 20 places")


RAW: list[tuple[bytes, str]] = [
    (b"", "holds no question"),
    (b"\n \n", "holds no question"),
    (b'{"qa_id": "\xff"}', "line 1: is no UTF-8 (byte 12 of the line)"),
    (b"{", "line 1: is no JSON: Expecting property name"),
    (b"[1, 2]", "line 1: is [1, 2]; expected a JSON object"),
    (b"\n{}", "line 2: qa_id: is missing"),
    (b'{"qa_id": "a", "qa_id": "b"}', 'line 1: names "qa_id" more than once'),
    (b'{"question": "\\ud800"}', "question: holds half a Unicode character"),
    (b"[" * 100_000, "is no JSON that can be read"),
    (b'{"turn": ' + b"1" * 5000 + b"}", "is no JSON that can be read"),
]


@pytest.mark.parametrize(("content", "told"), RAW, ids=range(len(RAW)))
def test_bytes_that_are_no_questions_are_told(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "e.jsonl").write_bytes(content)
    assert any(told in one for one in _problems(tmp_path / "e.jsonl"))


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps(choice()).encode())
    assert read_exam(tmp_path / "e.jsonl").questions.height == 1


def _table(rows: list[dict[str, Any]], file: Path) -> None:
    pl.DataFrame(rows).write_parquet(file)


PARQUET: list[tuple[Callable[[Path], Any], str]] = [
    (lambda file: file.write_bytes(b"PAR1 damaged"), "can not be read as Parquet"),
    (lambda file: _table([choice(qa_id=1)], file), "row 1: qa_id: is 1; expected text"),
    (lambda file: _table([choice() | {"row_nr": 1}], file), 'row 1: "row_nr": there is no such'),
]


@pytest.mark.parametrize(("write", "told"), PARQUET, ids=[told for _, told in PARQUET])
def test_faulty_parquet_is_told(tmp_path: Path, write: Callable[[Path], Any], told: str) -> None:
    write(tmp_path / "e.parquet")
    assert any(told in one for one in _problems(tmp_path / "e.parquet"))


def test_what_is_no_fault_is_a_caution(tmp_path: Path) -> None:
    rows = [choice(options=OPTIONS[:4]), choice("m2", recording_id="r2", subject_id=None)]
    few, other = read_exam(write_lines(tmp_path / "e.jsonl", rows)).cautions
    assert few.startswith("1 of 2 questions do not say who is heard")
    assert "1 of 2 of MedMosaic's choices have 4 options, not ten" in other


@pytest.mark.parametrize(
    ("name", "told"), [("e.csv", "expected a file of questions"), ("f.jsonl", "There is no file")]
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "e.csv").write_text("qa_id\n")
    with pytest.raises(UserError, match=told):
        read_exam(tmp_path / name)


def test_facts_about_a_known_label_may_say_which_and_rules_then_read_the_answer(
    tmp_path: Path,
) -> None:
    known = {"attribute": "sex", "family": "profile", "kind": "categorical", "label": "male"}
    rows = [
        inferred("known", question_type="explicit", question="Which sex?", answer="Male.", **known),
        inferred("free", question_type="explicit"),
    ]
    exam = read_exam(write_lines(tmp_path / "e.jsonl", rows)).questions
    said = pl.DataFrame(
        [
            {"seed": 0, "qa_id": "known", "response": "She is female."},
            {"seed": 0, "qa_id": "free", "response": "A wheeze."},
        ],
        schema=dict(ANSWERS),
    )
    found = dict(RulesJudge().judge(exam, said).select("qa_id", "outcome").rows())
    assert found == {"known": "wrong", "free": "unscored"}
    half = [inferred("half", question_type="explicit", attribute="sex")]
    told = "\n".join(_problems(write_lines(tmp_path / "h.jsonl", half)))
    assert all(f"{name}: is missing; explicit needs it" in told for name in ("family", "kind"))
    idea = [inferred("idea", **known)]
    assert "attribute: has no meaning in inferred" in "\n".join(
        _problems(write_lines(tmp_path / "i.jsonl", idea))
    )
