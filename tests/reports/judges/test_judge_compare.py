"""Two judges are compared on the same answers that both judged, and on nothing else."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from raqa.errors import UserError
from raqa.judges.base import Found, worthless
from raqa.reports.judges.compared import Compared, compare_judges
from raqa.reports.judges.read import read_judged
from tests.conftest import Command
from tests.judges.judging import item
from tests.judges.test_rules_judge import OPTIONS, WHEEZE
from tests.reports.judges.folders import RIGHT, RULES, WRONG, graded, write_folder

COUNT = 60
ROWS = [item(f"q{n:02}", "inferred" if n % 2 else "explicit", subject_id=f"s{n % 20}")
        for n in range(COUNT)]  # fmt: skip
SAID = {row["qa_id"]: f"Answer {n}." for n, row in enumerate(ROWS)}
FIRST = {name: RIGHT if n % 3 else WRONG for n, name in enumerate(SAID)}
SECOND = {name: RIGHT if n % 3 or n % 5 == 0 else WRONG for n, name in enumerate(SAID)}


def _compared(first: Path, second: Path) -> Compared:
    return compare_judges(read_judged(first), read_judged(second))


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    first = write_folder(tmp_path / "a", ROWS, SAID, FIRST)
    return first, write_folder(tmp_path / "b", ROWS, SAID, SECOND)


def test_kappa_is_over_all_answers_and_by_kind(folders: tuple[Path, Path]) -> None:
    found = _compared(*folders)
    assert [part.name for part in found.parts] == ["facts", "concept", "right or wrong"]
    whole = found.parts[-1]
    marks = [[one[name].score == 1 for name in SAID] for one in (FIRST, SECOND)]
    assert whole.found.kappa.value == pytest.approx(cohen_kappa_score(*marks))
    assert (whole.found.answers, whole.found.subjects) == (COUNT, 20)
    assert (whole.first, whole.second) == (sum(marks[0]) / COUNT, sum(marks[1]) / COUNT)
    assert found.counts == {"judged by both": COUNT}
    assert set(found.cases["qa_id"]) == {
        name for name in SAID if FIRST[name].score != SECOND[name].score
    }


def test_seeds_that_answer_alike_count_once(folders: tuple[Path, Path], tmp_path: Path) -> None:
    often = [
        write_folder(tmp_path / f"{place.name}5", ROWS, SAID, one, seeds=range(5))
        for place, one in zip(folders, (FIRST, SECOND), strict=True)
    ]
    once, five = _compared(*folders), _compared(*often)
    assert [part.found for part in five.parts] == [part.found for part in once.parts]


def test_answers_that_were_not_judged_twice_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [item(name) for name in "abcdef"] + [item("g", "mcq_speech", **OPTIONS)]
    said = dict.fromkeys("abcdefg", "B")
    refused = worthless("facts", "refused", "declines to answer")
    failed = Found("unscored", "the judge failed")
    first = {"a": RIGHT, "b": failed, "c": RIGHT, "d": refused, "e": failed, "f": RIGHT, "g": RIGHT}
    second = {**first, "b": WRONG, "c": failed, "d": refused, "f": WRONG}
    other_words = {**said, "f": "C"}
    places = [
        write_folder(tmp_path / "a", rows, said, first),
        write_folder(tmp_path / "b", rows, other_words, second),
    ]
    for place in places:
        table = read_judged(place).verdicts
        table = table.with_columns(judge=table["judge"].set(table["qa_id"] == "g", RULES.judge))
        table.write_parquet(place / "verdicts.parquet")
    assert _compared(*places).counts == {
        "judged by both": 1, "scored by B alone": 1, "scored by A alone": 1,
        "refused or unreadable for both": 1, "unscored by both": 1,
        "of which question or answer differ": 1, "read by rules for both": 1,
    }  # fmt: skip


def test_grades_are_compared_criterion_by_criterion_with_quadratic_weights(tmp_path: Path) -> None:
    rows = [item(f"q{n}", "oe_speech") for n in range(9)]
    said = {row["qa_id"]: f"Answer {row['qa_id']}." for row in rows}
    first = {name: graded(1 + n % 3, 2, 2, 3) for n, name in enumerate(said)}
    second = {name: graded(1 + n // 3, 2, 2, 3) for n, name in enumerate(said)}
    second["q0"] = graded(3, 2, 2, 3)
    parts = _compared(
        write_folder(tmp_path / "a", rows, said, first),
        write_folder(tmp_path / "b", rows, said, second),
    ).parts
    assert [part.name for part in parts] == ["correctness", "relevance", "completeness", "clarity"]
    marks = [[one[name].correctness for name in said] for one in (first, second)]
    expected = cohen_kappa_score(*marks, weights="quadratic")
    assert parts[0].found.kappa.value == pytest.approx(expected)
    assert (parts[0].first, parts[3].second) == (2.0, 3.0)
    assert "both always say the same" in (parts[1].found.kappa.reason or "")


def test_a_judge_is_compared_with_rules_where_they_can_read(tmp_path: Path) -> None:
    rows = [item(f"q{n}", **WHEEZE) for n in range(8)] + [item("free"), item("idea", "inferred")]
    said = {**{f"q{n}": f"{'Yes' if n % 2 else 'No'}, number {n}." for n in range(8)},
            "free": "A murmur.", "idea": "A murmur."}  # fmt: skip
    by_rules = {f"q{n}": RIGHT if n % 2 else WRONG for n in range(8)}
    found = {**by_rules, "q0": RIGHT, "free": RIGHT, "idea": WRONG}
    judged = read_judged(write_folder(tmp_path / "a", rows, said, found))
    compared = compare_judges(judged, judged.by_rules)
    assert compared.counts == {"judged by both": 8, "scored by A alone": 2}
    (part,) = compared.parts
    assert part.found.agreed.value == 7 / 8
    assert compared.cases["qa_id"].to_list() == ["q0"]


def test_runs_without_a_common_answer_say_what_became_of_all(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    others = {name: f"{said} Really." for name, said in SAID.items()}
    other = write_folder(tmp_path / "c", ROWS, others, FIRST)
    with pytest.raises(UserError, match="60 of which question or answer differ"):
        _compared(folders[0], other)


def test_a_folder_without_an_exam_is_named(tmp_path: Path, raqa: Command) -> None:
    said = raqa("judge", "compare", str(tmp_path), "rules", status=2)
    assert f"{tmp_path} is no finished run of task=exam: it lacks exam.parquet" in said
    (tmp_path / "exam.parquet").write_bytes(b"no")
    for name in ("predictions", "verdicts"):
        (tmp_path / f"{name}.parquet").write_bytes(b"no")
    assert "can not be read" in raqa("judge", "compare", str(tmp_path), "rules", status=2)


def test_the_command_prints_both_judges_and_writes_harmless_cases(
    tmp_path: Path, raqa: Command
) -> None:
    said = {**SAID, "q00": "=1+1\x1b[2J"}
    first = write_folder(tmp_path / "a", ROWS, said, FIRST)
    second = write_folder(tmp_path / "b", ROWS, said, SECOND)
    shown = raqa("judge", "compare", str(first), str(second), "--cases", str(tmp_path / "c.csv"))
    assert "A: a-model (v1+0123456789), in a B: a-model (v1+0123456789), in b" in shown
    assert "right or wrong 60 0.67 0.73" in shown
    assert "Answers: 60 judged by both." in shown
    assert "Too few: 10 subjects" in shown
    with (tmp_path / "c.csv").open(encoding="utf-8-sig") as file:
        cases = list(csv.DictReader(file))
    assert cases[0]["response"] == "'=1+1[2J"
    assert len(cases) == sum(FIRST[name].score != SECOND[name].score for name in SAID)
