"""A sheet is stratified, blind and harmless; what comes back is checked whole and compared."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from raqa.errors import UserError
from raqa.judges.base import Found
from raqa.reports.judges.read import read_judged
from raqa.reports.judges.returned import Returned, read_returned
from raqa.reports.judges.sheet import CORRECT, GRADES, MARKS, draw, sampled, write_sheet
from tests.conftest import Command
from tests.judges.judging import item
from tests.reports.judges.folders import MODEL, RIGHT, WRONG, graded, write_folder

COUNT = 120
TYPES = ("explicit", "inferred", "oe_speech")
ROWS = [
    item(f"q{n:03}", TYPES[n % 3], subject_id=f"s{n % 15}", corpus="ab"[n // 60],
         recording_id=f"r{n:03}")
    for n in range(COUNT)
]  # fmt: skip
SAID = {row["qa_id"]: f"Answer {n}, of somebody." for n, row in enumerate(ROWS)}
FOUND = {
    row["qa_id"]: graded(1 + n % 3, 2, 3, 1 + n % 2) if n % 3 == 2 else RIGHT if n % 4 else WRONG
    for n, row in enumerate(ROWS)
}
Change = Callable[[list[dict[str, str]]], None]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "run", ROWS, SAID, FOUND, seeds=(0, 1))


def _sheet(run: Path, per_stratum: int = 4, seed: int = 0) -> list[dict[str, str]]:
    path = run.parent / "drawn.csv"
    path.unlink(missing_ok=True)
    write_sheet(draw(read_judged(run), per_stratum, seed), path)
    return _read(path)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _number(row: dict[str, str]) -> int:
    return int(row["answer"].split()[1].rstrip(","))


def _stratum(n: int) -> tuple[str, str, str]:
    return ROWS[n]["question_type"], FOUND[f"q{n:03}"].outcome, ROWS[n]["corpus"]


def _returned(run: Path, change: Change, delimiter: str = ",") -> Returned:
    rows = _sheet(run)
    change(rows)
    path = run.parent / "returned.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return read_returned(read_judged(run), path)


def _as_the_judge(rows: list[dict[str, str]]) -> None:
    """Mark every answer as the judge does."""
    for row in rows:
        found = FOUND[f"q{_number(row):03}"]
        if found.outcome == "graded":
            for name, heading in GRADES.items():
                row[heading] = str(getattr(found, name))
        else:
            row[CORRECT] = f"{found.score:.0f}"


def test_a_sheet_has_as_many_of_each_stratum_in_no_order(run: Path) -> None:
    rows = _sheet(run)
    strata = Counter(_stratum(_number(row)) for row in rows)
    assert len(strata) == 2 * (2 + 2 + 1)
    assert set(strata.values()) == {4}
    for order in ([_number(row) for row in rows], [_stratum(_number(row)) for row in rows]):
        assert order != sorted(order)


def test_the_same_seed_draws_the_same_and_another_one_others(run: Path) -> None:
    judged = read_judged(run)
    assert draw(judged, 3, 0).equals(draw(judged, 3, 0))
    assert set(draw(judged, 3, 0)["id"]) != set(draw(judged, 3, 1)["id"])
    assert draw(judged, 10_000, 0).height == sampled(judged).height == COUNT


def test_a_sheet_names_no_model_and_no_verdict(run: Path) -> None:
    (first, *_) = _sheet(run)
    assert list(first) == ["id", "recording", "question", "reference", "answer", *MARKS, "comment"]
    content = (run.parent / "drawn.csv").read_text(encoding="utf-8-sig")
    for hidden in (MODEL.judge, MODEL.version, "wrong", "right", "graded", "another grade", "fine"):
        assert hidden not in content


def test_only_what_is_to_be_marked_is_empty(run: Path) -> None:
    for row in _sheet(run, per_stratum=2, seed=5):
        graded_row = _number(row) % 3 == 2
        assert row[CORRECT] == ("-" if graded_row else "")
        assert {row[one] for one in GRADES.values()} == {"" if graded_row else "-"}
        assert row["comment"] == ""


def test_hostile_answers_are_harmless_in_a_spreadsheet(tmp_path: Path) -> None:
    said = {"a": '=HYPERLINK("http://x")', "b": "@SUM(1)\x1b[2J\n-2", "c": "x" * 100_000}
    rows = [item(name) for name in said]
    run = write_folder(tmp_path / "run", rows, said, dict.fromkeys(said, RIGHT))
    cells = sorted(row["answer"] for row in _sheet(run))
    assert cells[0] == '\'=HYPERLINK("http://x")'
    assert cells[1] == "'@SUM(1)[2J -2"
    assert cells[2].endswith("(100,000 characters)")
    assert len(cells[2]) < 6_000
    assert all(len(row["id"]) == 10 and row["id"].isalpha() for row in _sheet(run, 1, 1))


def test_unscored_answers_and_those_read_by_rules_are_not_drawn(tmp_path: Path) -> None:
    said = {"a": "x", "b": None, "c": "y"}
    found = {"a": RIGHT, "b": Found("unscored", "nothing came back"), "c": Found("unscored", "no")}
    rows = [item(name) for name in said]
    run = write_folder(tmp_path / "run", rows, said, found)
    assert [row["answer"] for row in _sheet(run)] == ["x"]
    read_judged(run).by_rules.verdicts.write_parquet(run / "verdicts.parquet")
    with pytest.raises(UserError, match="judge=language_model"):
        draw(read_judged(run), 3, 0)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_marked_as_the_judge_did_agrees_with_it_whatever_spreadsheet_wrote_it(
    delimiter: str, run: Path
) -> None:
    found = _returned(run, _as_the_judge, delimiter)
    assert (found.rows, found.unmarked, found.empty, found.unseen) == (40, 0, 0, 0)
    assert [part.name for part in found.on_sheet] == [
        "facts", "concept", "right or wrong", *GRADES,
    ]  # fmt: skip
    for part in (*found.on_sheet, *found.in_run):
        assert part.found.agreed.value == 1.0
        assert part.found.kappa.reason or part.found.kappa.value == pytest.approx(1.0)


def test_kappa_on_the_sheet_and_as_in_the_run(run: Path) -> None:
    def half(rows: list[dict[str, str]]) -> None:
        for place, row in enumerate(rows):
            if row[CORRECT] == "":
                row[CORRECT] = str(place % 2)

    found = _returned(run, half)
    whole = next(part for part in found.on_sheet if part.name == "right or wrong")
    marked = [row for row in _read(run.parent / "returned.csv") if row[CORRECT] != "-"]
    clinicians = [int(row[CORRECT]) for row in marked]
    judge = [int(FOUND[f"q{_number(row):03}"].score or 0) for row in marked]
    assert whole.found.kappa.value == pytest.approx(cohen_kappa_score(judge, clinicians))
    sizes = Counter(_stratum(n) for n in range(COUNT))
    drawn = Counter(_stratum(_number(row)) for row in marked)
    stands = [sizes[_stratum(_number(row))] / drawn[_stratum(_number(row))] for row in marked]
    in_run = next(part for part in found.in_run if part.name == "right or wrong")
    expected = cohen_kappa_score(judge, clinicians, sample_weight=stands)
    assert in_run.found.kappa.value == pytest.approx(expected)
    everything = [FOUND[f"q{n:03}"].score or 0 for n in range(COUNT) if n % 3 != 2]
    assert in_run.first == pytest.approx(sum(everything) / len(everything))
    assert (found.unmarked, found.empty, found.unseen) == (8, 0, 40)


def test_empty_cells_are_counted_and_are_no_marks(run: Path) -> None:
    def partly(rows: list[dict[str, str]]) -> None:
        _as_the_judge(rows)
        of_open = [row for row in rows if row[CORRECT] == "-"]
        of_open[0][GRADES["clarity"]] = ""
        of_open[1].update(dict.fromkeys(GRADES.values(), ""))
        of_open[2][GRADES["clarity"]] = " 1.0 " if of_open[2][GRADES["clarity"]] == "1" else "2,0"

    found = _returned(run, partly)
    assert (found.unmarked, found.empty) == (1, 1)
    answers = {part.name: part.found.answers for part in found.on_sheet}
    assert (answers["relevance"], answers["clarity"]) == (7, 6)
    assert all(part.found.agreed.value == 1.0 for part in found.on_sheet)


def test_everything_that_is_wrong_is_said_at_once(run: Path) -> None:
    def faulty(rows: list[dict[str, str]]) -> None:
        _as_the_judge(rows)
        binary = [row for row in rows if row[CORRECT] != "-"]
        open_ones = [row for row in rows if row[CORRECT] == "-"]
        binary[0]["id"] = "=cmd\x1b[2J"
        binary[1]["id"] = binary[2]["id"]
        binary[3][CORRECT] = "2"
        binary[4][CORRECT] = "yes"
        binary[5][GRADES["clarity"]] = "3"
        open_ones[0][GRADES["clarity"]] = "0"
        open_ones[1][GRADES["relevance"]] = "2.5"

    with pytest.raises(UserError) as caught:
        _returned(run, faulty)
    message = str(caught.value)
    assert len(caught.value.problems) == 7
    for part in ("is of no answer of this run", "stands in line", "is '2'; it has to be 0 or 1",
                 "is 'yes'; it has to be 0 or 1", "is not marked for that: leave -",
                 "is '0'; it has to be 1, 2 or 3", "is '2.5'; it has to be 1, 2 or 3"):  # fmt: skip
        assert part in message
    assert "\x1b" not in message


def test_many_faults_are_counted_and_other_files_refused(run: Path, tmp_path: Path) -> None:
    def all_wrong(rows: list[dict[str, str]]) -> None:
        for row in rows:
            row["id"] += "x"

    with pytest.raises(UserError, match="and 20 more faults"):
        _returned(run, all_wrong)
    with pytest.raises(UserError, match="no cell is filled in"):
        _returned(run, lambda _: None)
    judged = read_judged(run)
    for content in (b"", b"id,other\n1,2\n", b"\x00\xff" * 10):
        (tmp_path / "other.csv").write_bytes(content)
        with pytest.raises(UserError, match="is no "):
            read_returned(judged, tmp_path / "other.csv")
    with pytest.raises(UserError, match="can not be opened"):
        read_returned(judged, tmp_path / "absent.csv")


def test_a_sheet_of_other_answers_is_not_this_runs(run: Path, tmp_path: Path) -> None:
    said = {name: f"{text} Again." for name, text in SAID.items()}
    other = write_folder(tmp_path / "other", ROWS, said, FOUND)
    path = tmp_path / "sheet.csv"
    write_sheet(draw(read_judged(other), 1, 0), path)
    with pytest.raises(UserError, match="is of no answer of this run"):
        read_returned(read_judged(run), path)


def test_the_commands_as_they_are_typed(run: Path, tmp_path: Path, raqa: Command) -> None:
    path = tmp_path / "sheet.csv"
    said = raqa("judge", "sheet", str(run), "--out", str(path), "--per-stratum", "4")
    assert f"40 of 120 answers: {path}" in said
    assert f"raqa judge agreement {run} {path}" in said
    assert "is there already" in raqa("judge", "sheet", str(run), "--out", str(path), status=2)
    rows = _read(path)
    _as_the_judge(rows)
    pl.DataFrame(rows).write_csv(path)
    shown = raqa("judge", "agreement", str(run), str(path))
    assert "A: a-model (v1+0123456789), in run B: clinicians" in shown
    assert "right or wrong 32 0.50 0.50 1.00 n/a 1.00 n/a" in shown
    assert "40 answers on the sheet, 0 not marked at all; 0 empty cells" in shown
