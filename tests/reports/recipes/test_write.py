import json
import re

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.reports.recipes.latex import escape, latex
from raqa.reports.recipes.write import RECIPE_FORMATS, make_recipe_report, write_recipe_report


def write(facts, cells, out, formats=RECIPE_FORMATS):
    return write_recipe_report(make_recipe_report(facts, cells), out, formats)


@pytest.fixture
def cells(make_cell):
    return [
        make_cell("mel_stats", skill=0.9),
        make_cell("opera_gt", real=False),
        make_cell("hear", problem="failed: disk full, 100% & more_"),
    ]


def test_every_form_is_written(cells, recipe, tmp_path):
    files = write(recipe("within"), cells, tmp_path / "out")
    names = [str(file.relative_to(tmp_path / "out")) for file in files]
    assert names[:7] == [
        "report.md",
        "table.csv",
        "pairs.csv",
        "report.tex",
        "report.html",
        "records.jsonl",
        "records.parquet",
    ]
    assert {"figures/errors-1.png", "figures/predicted-1.pdf", "figures/groups-1.png"} <= set(names)
    assert all(file.stat().st_size for file in files)


def test_only_the_formats_asked_for_are_written_and_unknown_ones_refused(cells, recipe, tmp_path):
    (file,) = write(recipe("within"), cells, tmp_path / "out", ["latex"])
    assert file.name == "report.tex"
    with pytest.raises(UserError, match="Did you mean latex"):
        write(recipe("within"), cells, tmp_path / "out", ["latx"])


def test_random_weights_are_watermarked_in_every_form(cells, recipe, tmp_path):
    out = tmp_path / "out"
    write(recipe("within"), cells, out)
    for name in ("report.md", "report.html"):
        assert "Random weights: cells of opera_gt" in (out / name).read_text()
    assert "RANDOM WEIGHTS: CELLS OF OPERA" in (out / "report.tex").read_text()
    assert "textsuperscript{R}" in (out / "report.tex").read_text()
    assert "random weights" in pl.read_csv(out / "table.csv")["opera_gt_flags"][0]
    assert "not results" in pl.read_csv(out / "table.csv")["watermark"][0]
    marks = pl.read_parquet(out / "records.parquet")["watermark"].to_list()
    assert marks == [None, "random weights, not a result", None]
    plots = re.findall(r"<svg.*?</svg>", (out / "report.html").read_text(), re.DOTALL)
    assert "not a result" in plots[0]  # the one that shows all encoders


def test_records_are_the_same_in_json_lines_and_parquet(cells, recipe, tmp_path):
    write(recipe("within"), cells, tmp_path, ["records"])
    lines = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert lines == pl.read_parquet(tmp_path / "records.parquet").to_dicts()
    assert lines[0]["mae_mean"] == cells[0].run.scores.mae.mean.value
    assert lines[2]["problem"] == "failed: disk full, 100% & more_"


def test_the_same_cells_give_the_same_bytes(cells, recipe, tmp_path):
    first = write(recipe("within"), cells, tmp_path / "a")
    second = write(recipe("within"), cells, tmp_path / "b")
    differing = [one.name for one, two in zip(first, second, strict=True)
                 if one.read_bytes() != two.read_bytes()]  # fmt: skip
    assert differing == []


def test_the_csv_has_the_papers_rows_and_a_column_for_every_number(cells, recipe, tmp_path):
    write(recipe("within"), cells, tmp_path, ["csv"])
    row = pl.read_csv(tmp_path / "table.csv").row(0, named=True)
    assert (row["corpus"], row["task"]) == ("coswara", "age")
    assert row["mel_stats"] == pytest.approx(cells[0].run.scores.mae.mean.value)
    assert row["mel_stats_low"] < row["mel_stats"] < row["mel_stats_high"]
    assert row["hear_problem"].startswith("failed")
    (pair,) = pl.read_csv(tmp_path / "pairs.csv").to_dicts()
    assert (pair["first"], pair["second"]) == ("mel_stats", "opera_gt")


def test_markdown_rows_have_as_many_places_as_headings(cells, recipe, tmp_path):
    write(recipe("within"), cells, tmp_path, ["markdown"])
    lines = (tmp_path / "report.md").read_text().splitlines()
    start = lines.index("## Errors") + 2
    assert len({line.count("|") for line in lines[start : start + 3]}) == 1
    assert "figures/" not in "\n".join(lines)  # none were written


def test_latex_rows_have_as_many_places_as_headings_and_names_are_escaped(cells, recipe):
    text = latex(make_recipe_report(recipe("within"), cells))
    body = text[text.index("\\toprule") : text.index("\\bottomrule")]
    rows = [line for line in body.splitlines() if line.endswith("\\\\")]
    assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1
    assert "mel\\_stats" in body
    assert text.count("{") == text.count("}")
    assert not re.search(r"[^\x00-\x7f]", text.split("\n", 1)[1].replace("±", ""))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a_b", r"a\_b"), ("95 %", r"95 \%"), ("−1", "$-$1"), ("a → b", r"a $\rightarrow$ b")],
)
def test_marks_do_not_become_commands(text, expected):
    assert escape(text) == expected
