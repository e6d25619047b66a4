import io
from dataclasses import replace

import polars as pl
import pytest
from rich.console import Console

from raqa.reports.console import print_run
from raqa.reports.run_folder import read_run


def printed(path, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, no_color=True)
    print_run(read_run(path), console)
    return console.file.getvalue()


def test_the_header_says_what_was_run_and_marks_what_is_not_real(make_run):
    text = printed(
        make_run(corpus="demo", synthetic=True, weights="random", weights_real=False, encoder="ast")
    )
    assert "age (year) from demo (synthetic): ast (random weights) → mlp_small" in text
    assert "5 seeds" in " ".join(text.split())


def test_the_cohort_is_shown_with_recordings_and_subjects_at_every_step(make_run):
    text = printed(make_run())
    for line in ("labelled", "shallow cough, quality 1 or 2", "train", "validation", "test"):
        assert line in text
    assert "2,746" in text


def test_what_was_set_aside_is_grouped_by_reason_with_the_first_names(make_run):
    text = printed(make_run(), width=120)
    silent = next(line for line in text.splitlines() if "digital silence" in line)
    assert "4" in silent
    assert "b2_cough-shallow" in silent
    assert "and 1 more" in silent


def test_the_results_stand_beside_their_baselines(make_run):
    text = printed(make_run())
    for word in ("model", "training median", "training mean", "MAD", "R²", "Spearman", "spread"):
        assert word in text
    assert "95 % interval over subjects" in text
    assert "SD over seeds" in text
    assert "Above the training median by" in text


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(make_run, width):
    text = printed(make_run(subjects=40, known=False), width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text


def test_probabilities_have_three_decimals(make_run):
    text = printed(make_run(unit="probability", task="tb_probability"))
    model = next(line for line in text.splitlines() if line.startswith("model"))
    assert len(model.split()[1].split(".")[1]) == 3


def test_many_reasons_are_counted_rather_than_listed(make_run):
    run = read_run(make_run())
    many = pl.concat(
        [run.set_aside.head(1).with_columns(reason=pl.lit(f"age of {age}")) for age in range(30)]
    )
    console = Console(file=io.StringIO(), width=80)
    print_run(replace(run, set_aside=many), console)
    assert "18  for 18 further reasons, see set_aside.csv" in console.file.getvalue()


def test_names_that_look_like_markup_are_printed_as_they_are(make_run):
    run = read_run(make_run(encoder="[bold]x[/nonsense]"))
    console = Console(file=io.StringIO(), width=120)
    strange = run.set_aside.with_columns(item=pl.lit("[/red]"), reason=pl.lit("has [brackets]"))
    print_run(replace(run, set_aside=strange), console)
    assert "[bold]x[/nonsense]" in console.file.getvalue()
    assert "has [brackets]: [/red]" in console.file.getvalue()
