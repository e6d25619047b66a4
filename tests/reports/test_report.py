import re

import polars as pl
import pytest

from raqa.errors import UserError
from raqa.reports.content import make_content
from raqa.reports.report import report, write_report
from raqa.reports.results import load_results
from raqa.reports.run_folder import read_run

RANDOM = {"weights": "random", "weights_real": False}


def test_a_report_is_a_page_a_markdown_file_and_two_tables(make_run, tmp_path):
    make_run("one-1a")
    make_run("two-2b", encoder="opera_ct", skill=0.8)
    written = report([tmp_path / "runs"], tmp_path / "out")
    names = ["report.md", "results.csv", "groups.csv", "report.html"]
    assert [file.name for file in written.files] == names
    assert all(file.stat().st_size for file in written.files)
    assert written.left_out == ()


def test_only_the_formats_asked_for_are_written(make_run, tmp_path):
    write_report([read_run(make_run())], tmp_path / "out", ["markdown"])
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["report.md"]
    with pytest.raises(UserError, match="Did you mean html"):
        write_report([read_run(make_run())], tmp_path / "out", ["htm"])


def test_the_csv_has_the_numbers_of_load_results(make_run, tmp_path):
    make_run()
    report([tmp_path / "runs"], tmp_path / "out", ["csv"])
    row = pl.read_csv(tmp_path / "out" / "results.csv").row(0, named=True)
    expected = load_results(tmp_path / "runs").row(0, named=True)
    for name in ("mae_mean", "mae_low", "difference_high", "n_test", "against_median"):
        assert row[name] == expected[name]
    groups = pl.read_csv(tmp_path / "out" / "groups.csv")
    assert groups.filter(attribute="sex")["recordings"].sum() == row["n_test"]


def test_random_weights_are_left_out_and_said_unless_asked_for(make_run, tmp_path):
    make_run("real-1a")
    make_run("random-2b", **RANDOM)
    written = report([tmp_path / "runs"], tmp_path / "out")
    assert written.left_out == ("1 run(s) of encoders with random weights",)
    assert "(random weights)" not in (tmp_path / "out" / "report.md").read_text()
    report([tmp_path / "runs"], tmp_path / "out", include_random=True)
    for name in ("report.md", "report.html"):
        text = (tmp_path / "out" / name).read_text()
        assert "(random weights)" in text
        assert "This is not a result" in text
    plots = re.findall(r"<svg.*?</svg>", (tmp_path / "out" / "report.html").read_text(), re.DOTALL)
    assert sum("not a result</text>" in plot for plot in plots) == 2  # both of the random run


def test_damaged_and_unfinished_runs_are_named_in_the_report(make_run, tmp_path):
    make_run("good-1a")
    (make_run("bad-2b") / "fold.parquet").unlink()
    (make_run("stopped-3c") / "metrics.json").unlink()
    written = report([tmp_path / "runs"], tmp_path / "out", ["markdown"])
    assert len(written.left_out) == 2
    text = (tmp_path / "out" / "report.md").read_text()
    assert "bad-2b/fold.parquet is missing" in text
    assert "stopped-3c is unfinished" in text


def test_nothing_to_report_says_why(make_run, tmp_path):
    with pytest.raises(UserError, match="no folder holds a run"):
        report([tmp_path], tmp_path / "out")
    make_run(**RANDOM)
    with pytest.raises(UserError, match="random weights"):
        report([tmp_path / "runs"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_all_runs_share_is_said_once_and_what_differs_is_a_column(make_run):
    runs = [read_run(make_run("a-1")), read_run(make_run("a-2", clip="4s-start-zero"))]
    content = make_content(runs)
    (table,) = content.tables
    headings = [column.heading for column in table.columns]
    assert "clip" in headings
    assert "corpus" not in headings
    assert ("corpus", "coswara") in content.shared
    assert content.title == "Age (year) from coswara, within"
    assert {view.name for view in content.views} == {
        "mel_stats · mlp_small · 2s-start-zero",
        "mel_stats · mlp_small · 4s-start-zero",
    }


def test_runs_of_one_name_are_told_apart_by_the_end_of_their_identity(make_run):
    content = make_content([read_run(make_run("x-1a")), read_run(make_run("x-2b"))])
    assert [view.name for view in content.views] == [
        "mel_stats · mlp_small · 1a",
        "mel_stats · mlp_small · 2b",
    ]


def test_runs_are_compared_only_within_one_corpus_task_and_regime(make_run):
    runs = [
        read_run(make_run("a-1", skill=0.2)),
        read_run(make_run("a-2", encoder="opera_ct")),
        read_run(make_run("b-1", corpus="coughvid", known=False)),
    ]
    content = make_content(runs)
    assert [len(setting.views) for setting in content.settings] == [2, 1]
    first = content.settings[0]
    assert first.views[0].name == "opera_ct · mlp_small"
    assert "The smallest error is that of opera_ct" in first.summary
    assert "best" not in first.summary


def test_markdown_tables_survive_marks_in_names(make_run, tmp_path):
    run = read_run(make_run(encoder="a|b"))
    write_report([run], tmp_path / "out", ["markdown"])
    lines = (tmp_path / "out" / "report.md").read_text().splitlines()
    start = lines.index("## Results") + 2
    header, rule, row = lines[start : start + 3]
    cells = row.replace("\\|", "/").count("|")
    assert header.count("|") == rule.count("|") == cells
    assert "mlp_small" in row
