"""Runs that predict classes are shown everywhere, in their own words, beside those of numbers."""

from __future__ import annotations

import io
import math
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from raqa.errors import UserError
from raqa.metrics import ClassificationScores, RegressionScores
from raqa.reports.console import print_run
from raqa.reports.content import make_content
from raqa.reports.headline import kind_of
from raqa.reports.html_page import html_page
from raqa.reports.markdown import markdown
from raqa.reports.report import report
from raqa.reports.results import RESULTS, load_results
from raqa.reports.run_folder import read_run, rescore
from raqa.reports.run_tables import METRICS
from raqa.reports.text import task_text, verdict_text, warning_texts
from raqa.reports.wandb_run import summary

from .conftest import MakeRun


def printed(path: Path, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, no_color=True)
    print_run(read_run(path), console)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_scores_are_read_back_as_what_they_are(make_run: MakeRun, make_class_run: MakeRun) -> None:
    number, classes = read_run(make_run()), read_run(make_class_run())
    assert type(number.scores) is RegressionScores
    assert type(classes.scores) is ClassificationScores
    assert '"kind": "classification"' in (classes.path / METRICS).read_text()
    assert rescore(classes) == classes.scores == classes.classification
    assert rescore(number) == number.scores == number.regression
    with pytest.raises(UserError, match="predicts no number"):
        _ = classes.regression
    with pytest.raises(UserError, match="predicts no classes"):
        _ = number.classification


def test_the_terminal_shows_measures_prior_and_how_many_there_are(make_class_run: MakeRun) -> None:
    path = make_class_run()
    text, scores = printed(path), read_run(path).classification
    assert "sex (female or male) from coswara: mel_stats" in text
    for word in ("AUROC (male)", "cross-entropy (nat)", "AUPRC (male)", "macro-F1",
                 "balanced accuracy", "calibration error", "training prior"):  # fmt: skip
        assert word in text
    assert f"{scores.auroc.mean.value:.3f}" in text
    female = next(line for line in text.splitlines() if line.startswith("female"))
    counts = [scores.class_counts[side][0] for side in ("train", "validation", "test")]
    assert [int(word) for word in female.split()[1:]] == counts
    assert "Above the training prior by" in text
    assert "nat (95 % interval" in " ".join(text.split())


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(make_class_run: MakeRun, width: int) -> None:
    text = printed(make_class_run(subjects=40, classes=("a", "b", "c", "d", "e")), width)
    assert max(map(len, text.splitlines())) <= width
    assert "AUROC (macro)" in text


def test_a_task_is_named_with_its_classes(make_class_run: MakeRun) -> None:
    facts = read_run(make_class_run(classes=("a", "b", "c"))).provenance
    assert task_text(facts) == "sex (a, b or c)"
    other = facts.model_copy(update={"task": "covid_status", "classes": ("no", "yes")})
    assert task_text(other) == "COVID-19 status (no or yes)"


def test_the_verdict_is_of_the_cross_entropy(make_class_run: MakeRun) -> None:
    weak = read_run(make_class_run("weak", skill=0.15, subjects=60)).scores
    assert verdict_text(weak, None).startswith("Can not be told from the training prior: the cross")
    bad = read_run(make_class_run("bad", skill=-1.0)).scores
    assert verdict_text(bad, None).startswith("Worse than the training prior by ")


def test_what_a_reader_must_know_is_said(make_class_run: MakeRun) -> None:
    flat = read_run(make_class_run("flat", skill=0.0))
    (warning,) = warning_texts(flat.scores, flat.provenance)
    assert warning.startswith("Collapsed")
    constant = flat.provenance.model_copy(update={"head": "prior"})
    assert warning_texts(flat.scores, constant) == []
    lacking = read_run(make_class_run("lacking", subjects=3))
    assert any("Classes missing" in one for one in warning_texts(lacking.scores, constant))


def test_an_undefined_auroc_is_shown_with_its_reason_and_null_in_tables(
    make_class_run: MakeRun, tmp_path: Path
) -> None:
    path = make_class_run(subjects=3)
    text = printed(path)
    assert "n/a: all test recordings are of one class" in " ".join(text.split())
    (row,) = load_results(tmp_path / "runs").rows(named=True)
    assert row["auroc_mean"] is None
    assert row["cross_entropy_mean"] is not None
    assert html_page(make_content([read_run(path)]))


def test_an_interval_that_can_not_be_had_says_why(make_class_run: MakeRun) -> None:
    text = " ".join(printed(make_class_run(subjects=12)).split())
    assert "n/a: a class is missing from" in text


def test_both_kinds_are_rows_of_one_table_null_where_they_do_not_apply(
    make_run: MakeRun, make_class_run: MakeRun, tmp_path: Path
) -> None:
    make_run("number")
    scores = read_run(make_class_run("classes")).classification
    table = load_results(tmp_path / "runs")
    assert dict(table.schema) == dict(RESULTS)
    rows = {row["run"]: row for row in table.rows(named=True)}
    number, classes = rows["number"], rows["classes"]
    assert (number["kind"], classes["kind"]) == ("regression", "classification")
    assert classes["classes"] == ["female", "male"]
    assert number["classes"] is None
    assert classes["auroc_mean"] == scores.auroc.mean.value
    assert classes["auroc_low"] < classes["auroc_mean"] < classes["auroc_high"]
    assert classes["cross_entropy_mean"] < classes["cross_entropy_prior"]
    assert classes["against_prior"] == number["against_median"] == "above"
    assert classes["mae_mean"] is classes["against_median"] is None
    assert number["auroc_mean"] is number["against_prior"] is None
    assert classes["difference"] == scores.difference.value


def test_each_kind_has_a_table_and_settings_of_its_own(
    make_run: MakeRun, make_class_run: MakeRun
) -> None:
    runs = [
        read_run(path)
        for path in (make_run("one"), make_class_run("low", skill=0.8, head="linear"),
                     make_class_run("high", skill=2.0), make_run("two", head="linear"))
    ]  # fmt: skip
    content = make_content(runs)
    assert [len(table.views) for table in content.tables] == [2, 2]
    headings = [{column.heading for column in table.columns} for table in content.tables]
    assert "MAE" in headings[0] - headings[1]
    assert "AUROC" in headings[1] - headings[0]
    setting = content.settings[1]
    assert setting.title == "Sex (female or male) from coswara, within"
    assert [view.run.path.name for view in setting.views] == ["high", "low"]  # best first
    assert "are above the training prior. The highest AUROC is that of mel_stats" in setting.summary
    terms = [term for term, _ in content.glossary]
    assert {"MAE", "AUROC", "Prior"} <= set(terms)
    assert terms.count("95 % interval") == 1


def test_classes_of_other_names_are_another_setting(make_class_run: MakeRun) -> None:
    five = ("a", "b", "c", "d", "e")
    runs = [
        read_run(make_class_run("one", classes=five)),
        read_run(make_class_run("two", classes=(*five[:4], "f"))),
    ]
    assert len(make_content(runs).settings) == 2


def test_pages_and_markdown_hold_both_kinds(
    make_run: MakeRun, make_class_run: MakeRun, tmp_path: Path
) -> None:
    make_run("number")
    make_class_run("classes")
    report([tmp_path / "runs"], tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<thead>") > 2
    for text in (page, (tmp_path / "out" / "report.md").read_text()):
        assert "against prior" in text
        assert "against median" in text
        assert "train, " in text  # how many recordings of each class
    rows = pl.read_csv(tmp_path / "out" / "results.csv")
    assert set(rows["classes"]) == {None, "female/male"}


def test_random_weights_are_never_shown_as_above_the_prior(make_class_run: MakeRun) -> None:
    run = read_run(make_class_run(weights="random", weights_real=False))
    assert run.scores.against_baseline == "above"
    assert 'class="number above"' not in html_page(make_content([run]))


def test_the_picture_shows_how_every_class_was_classified(make_class_run: MakeRun) -> None:
    run = read_run(make_class_run())
    figure = kind_of(run).figure(run)
    said = [text.get_text() for text in figure.axes[0].texts]
    shares = run.predictions.group_by("truth", "prediction").len().sort("truth", "prediction")
    counts = [count / 3 for count in shares["len"]]
    assert [text.split("\n")[1] for text in said] == [f"{count:,.0f}" for count in counts]
    assert said[0].startswith(f"{counts[0] / (counts[0] + counts[1]):.0%}")


def test_a_tracker_gets_the_numbers_of_classes(make_class_run: MakeRun) -> None:
    run = read_run(make_class_run())
    numbers, scores = summary(run), run.classification
    assert numbers["auroc_mean"] == scores.auroc.mean.value
    assert numbers["auroc_seed_1"] == scores.auroc.by_seed[1].value
    assert numbers["baseline_prior_cross_entropy"] == scores.prior_cross_entropy.value
    assert numbers["against_prior"] == "above"
    assert "mae_mean" not in numbers
    undefined = summary(read_run(make_class_run("few", subjects=3)))
    assert not any(isinstance(one, float) and math.isnan(one) for one in undefined.values())
    assert markdown(make_content([run])).count("AUROC") > 2
